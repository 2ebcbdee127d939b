package emulate_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/inventory"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// stages is a plan whose circuits change several times.
func stages(settings map[string]string) request {
	return request{name: "stages", op: collective.AllReduce, nodes: 8, ports: 1, size: 8 << 10, algorithm: "recursive-doubling", planner: "every-step", settings: settings}
}

// TestAControllerSetsTheSameCircuits: in every protocol, with barriers and without, a run under
// a controller equals the run under the coordinator: it has the same changes, the same bytes
// over the same circuits, and right results. All changes come over the switch's protocol, and
// the switch makes no others.
func TestAControllerSetsTheSameCircuits(t *testing.T) {
	for _, settings := range []map[string]string{nil, {"initial": "base", "reconfig": "1us"}, {"initial": "dark"}, {"overlap": "ports", "ports": "3"}, {"overlap": "circuits", "ports": "2"}} {
		p := stages(settings).make(t)
		for _, free := range []bool{false, true} {
			o := emulate.Options{Type: number.Int32, Slow: 100, Asynchronous: free, Patience: time.Minute}
			want, err := emulate.Run(t.Context(), p, o)
			if err != nil || !want.OK || want.Commands != 0 {
				t.Fatal(err, want)
			}
			for _, protocol := range samples.Some(inventory.Drivers()) {
				if free && protocol != "scpi" {
					continue
				}
				o.Control = protocol
				got, err := emulate.Run(t.Context(), p, o)
				if err != nil {
					t.Fatal(err)
				}
				if !got.OK || got.Fault != nil || got.Control != protocol || got.Checked != want.Checked || !reflect.DeepEqual(got.Circuits, want.Circuits) {
					t.Errorf("%s, %v, asynchronous %t: %+v; want %+v", protocol, settings, free, got, want)
				}
				if changes(got) != changes(want) || got.Commands == 0 {
					t.Errorf("%s, %v, asynchronous %t: %d commands, %d circuits changed; want %d", protocol, settings, free, got.Commands, changes(got), changes(want))
				}
				for _, s := range got.Stages {
					if s.Changed > 0 && s.Dark < s.Predicted && settings["overlap"] == "" && !free {
						t.Errorf("%s, %v: circuits of stage %d were up after %v; they take %v", protocol, settings, s.Index, s.Dark, s.Predicted)
					}
				}
			}
		}
	}
}

// changes counts the new circuits.
func changes(r *emulate.Report) int {
	count := 0
	for _, s := range r.Stages {
		count += s.Changed
	}
	return count
}

// TestAControllerSetsTheCircuitsOfIterations: every result of every communication is right, and
// the same bytes take the same routes as without a controller.
func TestAControllerSetsTheCircuitsOfIterations(t *testing.T) {
	three := parallel.Config{TP: 2, DP: 2, PP: 2, GlobalBatch: 4}
	for _, c := range samples.Some([]struct {
		name     string
		policy   string
		settings map[string]string
	}{
		{"phases on one port", iteration.Phases, map[string]string{"ports": "1"}},
		{"each", iteration.Each, map[string]string{"reconfig": "1us"}},
		{"best", iteration.Best, nil},
		{"islands", iteration.Best, map[string]string{"island": "2", "island-bandwidth": "3600Gbps", "ports": "1"}},
		{"dark", iteration.Best, map[string]string{"initial": "dark"}},
	}) {
		t.Run(c.name, func(t *testing.T) {
			a, rounds := agendaOf(t, small(2), three, c.policy, c.settings), 2
			if a.Fabric.Initial != fabric.InitialFree {
				rounds = 1
			}
			for _, slow := range []float64{0, 200} {
				o := emulate.Options{Type: number.Int32, Slow: slow, Patience: time.Minute}
				want, err := emulate.Iterate(t.Context(), a, rounds, false, o)
				if err != nil {
					t.Fatal(err)
				}
				o.Control = "scpi"
				got, err := emulate.Iterate(t.Context(), a, rounds, false, o)
				if err != nil {
					t.Fatal(err)
				}
				if !got.OK || got.Fault != nil || got.Results != rounds*results(a) || got.Commands == 0 || want.Commands != 0 || !reflect.DeepEqual(got.Circuits, want.Circuits) {
					t.Errorf("%+v; want %d results, and %+v", got, rounds*results(a), want)
				}
			}
		})
	}
}

// TestARefusalEndsTheRun: the error is one line that names the refusal.
func TestARefusalEndsTheRun(t *testing.T) {
	p := stages(nil).make(t)
	a := agendaOf(t, small(2), parallel.Config{TP: 2, DP: 2, PP: 2, GlobalBatch: 4}, iteration.Phases, map[string]string{"ports": "1"})
	for _, protocol := range samples.Some(inventory.Drivers()) {
		refusing := func(after int) emulate.Options {
			commands := 0
			return emulate.Options{Control: protocol, Patience: time.Minute, Refuse: func(control.Change) error {
				if commands++; commands > after {
					return errors.New("no light today")
				}
				return nil
			}}
		}
		for _, after := range []int{0, 3} {
			r, err := emulate.Run(t.Context(), p, refusing(after))
			if err != nil {
				t.Fatal(err)
			}
			i, err := emulate.Iterate(t.Context(), a, 2, false, refusing(after))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range []*fault.Fault{r.Fault, i.Fault} {
				if f == nil || f.Kind != fault.Refused || strings.Contains(f.Error(), "\n") || !strings.Contains(f.Error(), "does not set circuits over "+protocol) || !strings.Contains(f.Error(), "no light today") {
					t.Errorf("%s, after %d: %v", protocol, after, f)
				}
			}
			if after > 0 && !strings.HasPrefix(i.Fault.Error(), "the switch, iteration 1, ") {
				t.Errorf("%v", i.Fault)
			}
		}
	}
}

// TestFaultsUnderAController: a run under a controller finds the same faults as a run without
// one.
func TestFaultsUnderAController(t *testing.T) {
	p := stages(nil).make(t)
	for text, want := range map[string]fault.Kind{
		"gpu:2@step:2": fault.Died, "switch@step:2": fault.SwitchDied, "link:0-4@step:1": fault.Cut, "garbage:0@step:2": fault.Garbage, "corrupt:0-4@step:1": fault.WrongData,
	} {
		injection, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []fault.Kind
		for _, protocol := range []string{"", "scpi"} {
			r, err := emulate.Run(t.Context(), p, emulate.Options{Control: protocol, Patience: 20 * time.Second, Faults: []fault.Injection{injection}})
			if err != nil {
				t.Fatal(err)
			}
			if r.Fault == nil {
				t.Fatalf("%s over %q: no fault", text, protocol)
			}
			kinds = append(kinds, r.Fault.Kind)
		}
		if kinds[0] != kinds[1] || kinds[1] != want {
			t.Errorf("%s: %v; want %s", text, kinds, want)
		}
	}
	if _, err := emulate.Run(t.Context(), p, emulate.Options{Control: "telnet"}); err == nil || !strings.Contains(err.Error(), "telnet") {
		t.Error(err)
	}
}

// TestIterationsRunOverCircuitsThatControlSets: package control sets the circuits of iterations
// through the protocol of a real switch, one transaction per change. Every result is right.
func TestIterationsRunOverCircuitsThatControlSets(t *testing.T) {
	a := agendaOf(t, small(2), parallel.Config{TP: 2, DP: 2, PP: 2, GlobalBatch: 4}, iteration.Phases, map[string]string{"ports": "1"})
	for _, protocol := range samples.Some(inventory.Drivers()) {
		t.Run(protocol, func(t *testing.T) {
			r, err := emulate.Iterate(t.Context(), a, 2, false, emulate.Options{Type: number.Int32, Patience: time.Minute, Control: protocol})
			if err != nil {
				t.Fatal(err)
			}
			if !r.OK || r.Fault != nil || r.Results != 2*results(a) || r.Moved == 0 {
				t.Errorf("%+v; want %d results", r, 2*results(a))
			}
		})
	}
}

// TestPlansRunOverCircuitsThatControlSets, stage by stage and without barriers.
func TestPlansRunOverCircuitsThatControlSets(t *testing.T) {
	for i, r := range shown() {
		if i%9 != 0 {
			continue
		}
		p := r.make(t)
		report, err := emulate.Run(t.Context(), p, emulate.Options{Type: number.Int32, Patience: time.Minute, Asynchronous: i%2 == 1, Control: inventory.Drivers()[0]})
		if err != nil {
			t.Fatal(err)
		}
		if !report.OK || report.Fault != nil {
			t.Errorf("request %d: %v", i, report.Fault)
		}
		checkLoads(t, p, report)
	}
}
