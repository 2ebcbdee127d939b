package train_test

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// Zhao et al., Table 4: allreduce on 1024 nodes of degree 4. The names abbreviate the paper's
// expressions.
var table4 = []struct {
	name     string
	schedule train.Schedule
}{
	{"GenKautz", train.Schedule{Steps: 10, Bandwidth: 2.664}},
	{"L3(C)", train.Schedule{Steps: 12, Bandwidth: 2.039}},
	{"L2(Diamond)", train.Schedule{Steps: 16, Bandwidth: 2.008}},
	{"L(DBJMod)", train.Schedule{Steps: 22, Bandwidth: 2.000}},
	{"UniRing", train.Schedule{Steps: 40, Bandwidth: 1.998}},
}

var (
	lowerBound = train.Schedule{Steps: 10, Bandwidth: 1.998}
	// Two two-way rings, each for half of the data: N-1 steps to reduce and as many to gather.
	shiftedRing = train.Schedule{Steps: 2 * 1023, Bandwidth: 1.998}
)

// Zhao et al., Table 8: the best of Table 4 for the allreduces of each model.
var table8 = map[string]string{
	"alexnet": "L(DBJMod)", "inception_v3": "L2(Diamond)", "resnet18": "L2(Diamond)", "resnet50": "L2(Diamond)",
	"resnext50_32x4d": "L2(Diamond)", "shufflenet_v2_x2_0": "L3(C)", "squeezenet1_1": "L3(C)",
	"vgg16": "L(DBJMod)", "vgg19": "L(DBJMod)", "bert_base": "L(DBJMod)", "gpt2": "L(DBJMod)",
}

// simulate runs a model with one image per GPU (or as much less of a sequence) under the
// parameters of Figure 8b.
func simulate(t *testing.T, model string, s train.Schedule) *train.Result {
	t.Helper()
	trace, err := train.Builtin(model)
	if err != nil {
		t.Fatal(err)
	}
	cost := train.AlphaBeta{Alpha: 10 * units.Microsecond, NodeBandwidth: 100 * units.Gbps, AllReduce: s}
	r, err := train.Simulate(t.Context(), trace.Faster(64), cost.Cost(), train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// best returns the name of the row of Table 4 that takes the least time for all allreduces.
func best(t *testing.T, model string) (name string, r *train.Result) {
	for _, row := range table4 {
		if other := simulate(t, model, row.schedule); r == nil || other.AllReduceNs < r.AllReduceNs {
			name, r = row.name, other
		}
	}
	return name, r
}

// The authors did not publish the times at which they measured gradients to be ready. If these
// times are close together compared with an allreduce, as with one image per GPU, the test
// reproduces all choices of Table 8 and the statements of §8.4 on Figure 8b: the time of
// allreduces is 6.7 times lower than with ShiftedRing on average, and exceeds the lower bound by
// 1.5% on average and by 5.7% at most. With 64 images per GPU there are more allreduces than
// Table 8 allows for: ResNet-18 has 13, but L2(Diamond) is best for it only if there are at most
// 2. The speed-up of minibatches (2.6) depends on unknown times.
func TestTable8AndFigure8b(t *testing.T) {
	var overRing, above, most float64
	for model, want := range table8 {
		name, r := best(t, model)
		if name != want {
			t.Errorf("%s: the best topology is %s; published is %s", model, name, want)
		}
		overRing += float64(simulate(t, model, shiftedRing).AllReduceNs / r.AllReduceNs)
		gap := float64(r.AllReduceNs/simulate(t, model, lowerBound).AllReduceNs) - 1
		above += gap
		most = max(most, gap)
	}
	models := float64(len(table8))
	for _, c := range []struct {
		what            string
		got, want, half float64 // half a unit of the last published digit
	}{
		{"times ShiftedRing", overRing / models, 6.7, 0.05},
		{"average above the bound", above / models, 0.015, 0.0005},
		{"most above the bound", most, 0.057, 0.0005},
	} {
		if math.Abs(c.got-c.want) > c.half {
			t.Errorf("%s: %.4f; published is %v", c.what, c.got, c.want)
		}
	}
}

// §8.4 also states a factor of 38 for the double binary tree. That does not follow from Table 4,
// where the tree takes 1800 us for 1 MB: however this time splits into a part per allreduce and
// a part per byte, the average is below 11.
func TestFigure8bDoubleTreeIsNotThatOfTable4(t *testing.T) {
	const measured, size = 1800 * units.Microsecond, units.MiB
	perMB := float64(measured.Time()) / float64((100 * units.Gbps).Transmit(float64(size)))
	for part := range 11 {
		s := train.Schedule{Steps: 18 * part, Bandwidth: perMB * float64(10-part) / 10}
		sum := 0.0
		for model := range table8 {
			_, r := best(t, model)
			sum += float64(simulate(t, model, s).AllReduceNs / r.AllReduceNs)
		}
		if average := sum / float64(len(table8)); average > 11 {
			t.Errorf("with %d us per allreduce: %.1f times", 180*part, average)
		}
	}
}
