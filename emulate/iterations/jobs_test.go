package iterations_test

import (
	"math"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/emulate/iterations"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/iteration/rehearsal"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

func agendaOf(t *testing.T, policy string, settings map[string]string) *iteration.Agenda {
	t.Helper()
	f := fabric.Default()
	f.Ports = 2
	for name, value := range settings {
		if err := f.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	m := &model.Model{Name: "small", Layers: 4, Hidden: 512, Heads: 4, FFN: 2048, Words: 2048, Norm: "rms", Length: 256}
	d, err := iterating.Iterate(t.Context(), iterating.IterateRequest{Model: m, Config: parallel.Config{TP: 2, DP: 2, PP: 2, GlobalBatch: 8}, Fabric: f, Policy: policy})
	if err != nil {
		t.Fatal(err)
	}
	a, err := iterating.Agenda(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

var fabrics = map[string]map[string]string{
	"plain":   nil,
	"slow":    {"reconfig": "1ms", "ports": "1"},
	"instant": {"reconfig": "0ns"},
	"islands": {"island": "2", "island-bandwidth": "3600Gbps", "ports": "1"},
	"rails":   {"switches": "rails"},
	"two-way": {"duplex": "true"},
	"dark":    {"initial": "dark"},
	"links":   {"fixed": "Torus(2,4)", "ports": "1"},
}

// The longest chain of jobs, each with the time of its packets, equals the simulated time of the
// iterations. The simulation uses no list of dependencies.
func TestJobsTakeAsLongAsSimulated(t *testing.T) {
	for name, settings := range fabrics {
		for _, policy := range []string{iteration.Best, iteration.Phases, iteration.PhasesAhead, iteration.Each, iteration.One} {
			if policy != iteration.Best && name != "plain" && name != "instant" {
				continue // not all of them have a plan by all policies
			}
			a, rounds := agendaOf(t, policy, settings), 3
			if name == "dark" {
				rounds = 1
			}
			jobs, err := iterations.New(t.Context(), a, rounds)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, policy, err)
			}
			simulated, err := rehearsal.Run(t.Context(), a, rehearsal.Options{Level: sim.PacketLevel, Iterations: rounds, Slow: map[int]float64{1: 1.25}})
			if err != nil {
				t.Fatal(err)
			}
			ends, last := make([]units.Time, len(jobs.List)), make([]units.Time, rounds)
			for j := range jobs.List {
				job := &jobs.List[j]
				for _, before := range job.After {
					if before >= j {
						t.Fatalf("%s, %s: job %d waits for %d", name, policy, j, before)
					}
					ends[j] = max(ends[j], ends[before])
				}
				switch job.Kind {
				case iterations.Computes:
					if ends[j] += job.Compute; job.Group[0] == 1 {
						ends[j] += job.Compute / 4
					}
				case iterations.Changes:
					ends[j] += job.Dark
				case iterations.Communicates:
					ends[j] += simulated.Communications[simulated.Of[job.Item]].Took
				case iterations.Waits:
				}
				if job.Item >= 0 && a.Items[job.Item].Change == nil {
					last[job.Round] = max(last[job.Round], ends[j])
				}
			}
			at := units.Time(0)
			for round, end := range last {
				if want := simulated.Iterations[round]; math.Abs(float64(end-at-want)) > 1e-6*float64(want) {
					t.Errorf("%s, %s: iteration %d takes %v by its jobs, %v simulated", name, policy, round+1, end-at, want)
				}
				at = end
			}
		}
	}
}

// The circuits of a communication are up when it begins: they were set last on their fibres, and
// no fibre was taken since.
func TestCircuitsAreUpWhenTheyAreUsed(t *testing.T) {
	for name, settings := range fabrics {
		a := agendaOf(t, iteration.Best, settings)
		jobs, err := iterations.New(t.Context(), a, 1)
		if err != nil {
			t.Fatal(name, err)
		}
		type fibre struct{ rank, port, side int }
		board := map[fibre]wire.Circuit{}
		set := func(circuits []wire.Circuit) {
			for _, c := range circuits {
				for _, f := range []fibre{{c.From, c.FromPort, 0}, {c.To, c.ToPort, 1}} {
					old, there := board[f]
					if there {
						delete(board, fibre{old.From, old.FromPort, 0})
						delete(board, fibre{old.To, old.ToPort, 1})
					}
				}
				board[fibre{c.From, c.FromPort, 0}], board[fibre{c.To, c.ToPort, 1}] = c, c
			}
		}
		set(jobs.Initial)
		used := 0
		for j := range jobs.List { // an order that keeps to what waits for what
			job := &jobs.List[j]
			set(job.Circuits)
			for k, s := range job.Stages {
				set(s.Set)
				for _, c := range s.Circuits {
					used++
					if board[fibre{c.From, c.FromPort, 0}] != c || board[fibre{c.To, c.ToPort, 1}] != c {
						t.Fatalf("%s: job %d, stage %d: %v is not up", name, j, k+1, c)
					}
				}
			}
		}
		if used == 0 && name != "links" {
			t.Errorf("%s: no circuits", name)
		}
	}
}

// Standalone iterations cannot follow one another.
func TestWhatCannotBeLaidOut(t *testing.T) {
	if _, err := iterations.New(t.Context(), agendaOf(t, iteration.Best, fabrics["dark"]), 2); err == nil {
		t.Error("an iteration that stands by itself is repeated")
	}
	jobs, err := iterations.New(t.Context(), agendaOf(t, iteration.Best, nil), 4)
	if err != nil || !slices.IsSorted(jobs.FirstStep) || jobs.FirstStep[0] != 1 || jobs.FirstStep[3] > jobs.Steps {
		t.Error(err, jobs.FirstStep, jobs.Steps)
	}
}
