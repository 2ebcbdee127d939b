package training_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// trainingTolerance is what sums of the same times in another order may differ by.
const trainingTolerance = 1e-9

// minibatch returns the time of a minibatch with a planner.
func minibatch(t *testing.T, trace *train.Trace, nodes, ports int, delay units.Duration, planner string) units.Time {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig.Base = nodes, ports, delay
	made, err := lightpath.Train(t.Context(), lightpath.TrainRequest{Trace: trace, Fabric: f, Planner: planner})
	if err != nil {
		t.Fatal(err)
	}
	if made.BoundNs > made.MinibatchNs*(1+trainingTolerance) || made.CommunicationNs < made.ExposedNs*(1-trainingTolerance) {
		t.Errorf("%d nodes, %d ports, %v: takes %v, at least %v; %v exposed of %v", nodes, ports, delay, made.MinibatchNs, made.BoundNs, made.ExposedNs, made.CommunicationNs)
	}
	return made.MinibatchNs
}

// layersOf returns some layers of a model.
func layersOf(t *testing.T, name string, from, to int) *train.Trace {
	t.Helper()
	trace, err := train.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return &train.Trace{Name: name, Layers: trace.Layers[from:min(to, len(trace.Layers))]}
}

// randomModel has layers of all kinds and sizes.
func randomModel(seed uint64) *train.Trace {
	random := rand.New(rand.NewPCG(seed, 9))
	model := &train.Trace{Name: fmt.Sprint("random", seed)}
	for i := range 2 + random.IntN(5) {
		l := train.Layer{
			Name: fmt.Sprint("l", i), Bytes: units.Bytes(1 << random.IntN(24)),
			Forward: units.Duration(random.IntN(200)) * units.Microsecond, Backward: units.Duration(random.IntN(300)) * units.Microsecond,
		}
		if random.IntN(2) == 0 {
			l.Exchange = units.Bytes(1 << (10 + random.IntN(13)))
		}
		model.Layers = append(model.Layers, l)
	}
	return model
}

// TestTrainingIsNeverSlowerForAChoice: a minibatch planned as a whole takes no longer than with
// planner static, than with fewer ports, or than with a longer delay.
func TestTrainingIsNeverSlowerForAChoice(t *testing.T) {
	t.Parallel()
	const us, ms = units.Microsecond, units.Millisecond
	all := samples.Few(3, []units.Duration{0, 700 * units.Nanosecond, 10 * us, 15 * us, 100 * us, 1 * ms, 15 * ms, 100 * ms})
	few := []units.Duration{15 * us, 15 * ms}
	large, last := few, randomModel(6) // with many GPUs
	if !samples.Every() {              // the rest takes seconds
		large, last.Layers = few[1:], last.Layers[:2]
	}
	for _, c := range []struct {
		trace  *train.Trace
		nodes  int
		ports  []int
		delays []units.Duration
	}{
		{layersOf(t, "switch_base_128", 60, 140), 8, []int{1, 2, 4, 8}, all},
		{layersOf(t, "alexnet", 0, 100), 8, []int{1, 2, 4, 8}, all},
		{randomModel(1), 8, []int{1, 2, 4, 8}, all},
		{randomModel(2), 12, []int{1, 2, 3, 4, 5, 6}, few},
		{randomModel(3), 8, []int{1, 2, 3, 4, 5, 6, 7, 8}, few},
		{randomModel(4), 27, samples.Few(1, []int{1, 2, 4, 7}), few[1:]},
		{layersOf(t, "switch_base_128", 100, 140), 32, []int{1, 4}, large},
		{layersOf(t, "alexnet", 0, 100), 64, samples.Few(1, []int{2, 4}), large},
		{last, 128, []int{4}, large},
	} {
		t.Run(fmt.Sprintf("%s-%d", c.trace.Name, c.nodes), func(t *testing.T) {
			t.Parallel()
			fewer := map[units.Duration]units.Time{}
			for _, ports := range c.ports {
				static := minibatch(t, c.trace, c.nodes, ports, 0, "static")
				var shorter units.Time
				for _, delay := range c.delays {
					got := minibatch(t, c.trace, c.nodes, ports, delay, "")
					about := fmt.Sprintf("%d ports, %v: %v", ports, delay, float64(got))
					if got > static*(1+trainingTolerance) {
						t.Errorf("%s; static %v", about, float64(static))
					}
					if last, ok := fewer[delay]; ok && got > last*(1+trainingTolerance) {
						t.Errorf("%s; with fewer ports %v", about, float64(last))
					}
					if got < shorter*(1-trainingTolerance) {
						t.Errorf("%s; with a shorter delay %v", about, float64(shorter))
					}
					fewer[delay], shorter = got, got
				}
			}
		})
	}
}

// TestTrainingKeepsCircuitsThatAreDearToChange: at 15 ms each, dozens of reconfigurations between
// collectives would take ten times as long as the minibatch.
func TestTrainingKeepsCircuitsThatAreDearToChange(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig.Base = 16, 4, 15*units.Millisecond
	made, err := lightpath.Train(t.Context(), lightpath.TrainRequest{Trace: layersOf(t, "switch_base_128", 0, 300), Fabric: f})
	if err != nil {
		t.Fatal(err)
	}
	if p := made.Network.Planned; p.Stays == "" || p.Changes+p.Within != 0 || made.Gap > 0.05 {
		t.Errorf("%+v, gap %v", p, made.Gap)
	}
}
