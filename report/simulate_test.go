package report

import (
	"bytes"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/command/simulating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/sim/simtest"
	"github.com/lightpath-net/lightpath/units"
)

// failures reads failures.
func failures(t *testing.T, texts ...string) []replay.Failure {
	t.Helper()
	var list []replay.Failure
	for _, text := range texts {
		f, err := replay.ParseFailure(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, f)
	}
	return list
}

func TestReportsOfSimulationsAreAsTheyWere(t *testing.T) {
	f := fabric.Default()
	f.Nodes = 16
	p, err := planning.Plan(t.Context(), planning.PlanRequest{
		Fabric: f, Planner: "harvest",
		Operations: []collective.Operation{{Op: collective.AllReduce, Size: 1000 * units.KB, Algorithm: "recursive-doubling"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var failed *simulating.Simulation
	for name, r := range map[string]simulating.SimulateRequest{
		"packet": {Level: sim.PacketLevel},
		"jitter": {Level: sim.FlowLevel, Jitter: units.Nanosecond},
		"fail":   {Level: sim.PacketLevel, Fail: failures(t, "link:0-1@1s", "gpu:3@20us", "link:2->3@5us")},
	} {
		r.Plan = p
		s, err := simulating.Simulate(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		Simulation(&out, s)
		golden(t, "simulate-"+name, out.Bytes())
		if name == "fail" {
			failed = s
		}
	}
	if got, want := FirstLoss(failed), "gpu:3@20us: step 3 fails at 22.50us on circuit 3 -> 7; 2 transfers lost in it, 15 in total"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	s, err := simulating.Simulate(t.Context(), simulating.SimulateRequest{
		Topology: "DC(4;1)", Traffic: simtest.AllToAll(4, 100_000), Fail: failures(t, "link:1->2@5.9us"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	Simulation(&out, s)
	golden(t, "simulate-traffic", out.Bytes())
	if got, want := FirstLoss(s), "link:1>2@5.9us: 1 message lost, the first at 5.900us on circuit 1 -> 2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := FirstLoss(&simulating.Simulation{}); got != "" {
		t.Errorf("nothing is lost: %s", got)
	}
}
