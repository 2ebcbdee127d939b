package directconnect

import (
	"cmp"
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// trainingRow is a topology of Table 4, or one with which §8.4 compares.
type trainingRow struct {
	name     string
	schedule train.Schedule
}

// trainingModels are the models of Table 8, with the topology that the table chooses.
var trainingModels = [...]struct{ model, topology string }{
	{"alexnet", "L(DBJMod)"}, {"inception_v3", "L2(Diamond)"}, {"resnet18", "L2(Diamond)"}, {"resnet50", "L2(Diamond)"},
	{"resnext50_32x4d", "L2(Diamond)"}, {"shufflenet_v2_x2_0", "L3(C)"}, {"squeezenet1_1", "L3(C)"},
	{"vgg16", "L(DBJMod)"}, {"vgg19", "L(DBJMod)"}, {"bert_base", "L(DBJMod)"}, {"gpt2", "L(DBJMod)"},
}

// training is the result of simulating all models.
type training struct {
	// otherChoices counts models for which a topology other than Table 8's is best.
	otherChoices float64
	// Times of allreduces over those of ring and tree, and their mean and largest gap to the
	// bound.
	overRing, overTree, meanGap, mostGap float64
	// Times of minibatches over those of ring and tree, and their mean and largest gap to the
	// bound.
	ring, tree, minibatch, minibatchBy float64
	// gaps are times of minibatches above the bound, by model as in trainingModels.
	gaps [len(trainingModels)]float64
}

// readiness is a guess of when gradients are ready, because the authors' times are not
// published.
type readiness func(t *train.Trace) *train.Trace

// asTraced uses our own traces: layer by layer, 64 images per GPU.
func asTraced(t *train.Trace) *train.Trace { return t }

// inABurst makes all gradients ready within a few ns at the end of the computation, which is
// faster than in our traces by a factor. The network then does two allreduces: one of the
// gradients that are ready first, and one of all others.
func inABurst(faster float64) readiness {
	return func(t *train.Trace) *train.Trace {
		burst := t.Faster(faster)
		for i := range burst.Layers {
			l := &burst.Layers[i]
			l.Forward, l.Backward = l.Forward+l.Backward, units.Nanosecond
		}
		return burst
	}
}

// simulateTraining repeats Fig. 8b.
func simulateTraining(ctx context.Context, ready readiness) (training, error) {
	rows := []trainingRow{
		{"GenKautz", train.Schedule{Steps: 10, Bandwidth: 341. / 128}},
		{"L3(C)", train.Schedule{Steps: 12, Bandwidth: 261. / 128}},
		{"L2(Diamond)", train.Schedule{Steps: 16, Bandwidth: 257. / 128}},
		{"L(DBJMod)", train.Schedule{Steps: 22, Bandwidth: 2}},
		{"UniRing", train.Schedule{Steps: 40, Bandwidth: 1023. / 512}},
	}
	bound := train.Schedule{Steps: 10, Bandwidth: 1023. / 512}
	ring := train.Schedule{Steps: 2 * 1023, Bandwidth: 1023. / 512}
	// The tree of Table 4's caption sends the whole buffer in each step.
	tree := train.Schedule{Steps: 20, Bandwidth: 20}
	var result training
	const share = 1 / float64(len(trainingModels))
	for i, m := range trainingModels {
		trace, err := train.Builtin(m.model)
		if err != nil {
			return result, err
		}
		simulate := func(s train.Schedule) (*train.Result, error) {
			cost := train.AlphaBeta{Alpha: 10 * units.Microsecond, NodeBandwidth: 100 * units.Gbps, AllReduce: s}
			return train.Simulate(ctx, ready(trace), cost.Cost(), train.Options{})
		}
		var best *train.Result
		name := ""
		for _, row := range rows {
			r, err := simulate(row.schedule)
			if err != nil {
				return result, err
			}
			if best == nil || r.AllReduceNs < best.AllReduceNs {
				name, best = row.name, r
			}
		}
		var others [3]*train.Result
		for k, s := range []train.Schedule{bound, ring, tree} {
			if others[k], err = simulate(s); err != nil {
				return result, err
			}
		}
		if name != m.topology {
			result.otherChoices++
		}
		gap := float64(best.AllReduceNs/others[0].AllReduceNs) - 1
		result.meanGap += share * gap
		result.mostGap = max(result.mostGap, gap)
		result.overRing += share * float64(others[1].AllReduceNs/best.AllReduceNs)
		result.overTree += share * float64(others[2].AllReduceNs/best.AllReduceNs)
		gap = float64(best.MinibatchNs/others[0].MinibatchNs) - 1
		result.gaps[i] = gap
		result.minibatch += share * gap
		result.minibatchBy = max(result.minibatchBy, gap)
		result.ring += share * float64(others[1].MinibatchNs/best.MinibatchNs)
		result.tree += share * float64(others[2].MinibatchNs/best.MinibatchNs)
	}
	return result, nil
}

func directTraining() []claim.Entry {
	stated := claim.Once(func(ctx context.Context) (training, error) { return simulateTraining(ctx, asTraced) })
	burst := claim.Once(func(ctx context.Context) (training, error) { return simulateTraining(ctx, inABurst(2)) })
	between := claim.Once(func(ctx context.Context) (training, error) { return simulateTraining(ctx, inABurst(3)) })
	faster := claim.Once(func(ctx context.Context) (training, error) { return simulateTraining(ctx, inABurst(4)) })
	pick := func(by func(context.Context) (training, error), of func(training) float64) func(context.Context) (float64, error) {
		return func(ctx context.Context) (float64, error) {
			t, err := by(ctx)
			return of(t), err
		}
	}
	const name = "gradients ready together, compute twice as fast as in our traces"
	const traces = "as stated with our own traces of A100s; the authors' times at which gradients were ready are not published"
	const tree = "the schedule behind it is not stated. It is not that of Table 4's caption: whatever part of its 1800 us is per allreduce and whatever per byte, the mean is below 11"
	const treeTest = "go test ./train -run TestFigure8bDoubleTreeIsNotThatOfTable4"
	const mean = "it takes compute more than three times as fast as in our traces, and then minibatches over the ring are 3 times and more (published: 2.6); twice as fast, those are 2.6 and this is less. No factor gives both"
	const most = "it takes compute nearly four times as fast as in our traces, and then minibatches over the ring are 3.3 times (published: 2.6); twice as fast, those are 2.6 and no model is far above 1% here. No factor gives both"
	// byFactor shows the effect of the speed of computation on a claim and on minibatches over
	// the ring.
	byFactor := func(ctx context.Context, name string, of func(training) float64) ([]claim.Part, error) {
		var list []claim.Part
		for _, r := range []struct {
			name string
			by   func(context.Context) (training, error)
		}{{"as traced", stated}, {"compute twice as fast", burst}, {"three times as fast", between}, {"four times as fast", faster}} {
			t, err := r.by(ctx)
			if err != nil {
				return nil, err
			}
			list = append(list, claim.Part{Name: r.name + ": above the bound, " + name, Value: of(t), Unit: "%"},
				claim.Part{Name: r.name + ": ShiftedRing over the best, mean", Value: t.ring, Unit: "times"})
		}
		return list, nil
	}
	meanParts := func(ctx context.Context) ([]claim.Part, error) {
		return byFactor(ctx, "mean", func(t training) float64 { return 100 * t.minibatch })
	}
	mostParts := func(ctx context.Context) ([]claim.Part, error) {
		list, err := byFactor(ctx, "largest", func(t training) float64 { return 100 * t.minibatchBy })
		if err != nil {
			return nil, err
		}
		t, err := burst(ctx)
		if err != nil {
			return nil, err
		}
		var models []claim.Part
		for i, m := range trainingModels {
			models = append(models, claim.Part{Name: "compute twice as fast: above the bound, " + m.model, Value: 100 * t.gaps[i], Unit: "%"})
		}
		slices.SortFunc(models, func(a, b claim.Part) int { return cmp.Compare(b.Value, a.Value) })
		return append(list, models[:3]...), nil
	}
	var entries []claim.Entry
	for _, c := range []struct {
		id, source, quantity, unit string
		published, tolerance       float64
		convention                 claim.Verdict
		why, rerun                 string
		of                         func(training) float64
	}{
		{"table8", "Table 8", "models, of 11, for which another topology of Table 4 than the printed one is best", "", 0, 0, claim.Matched, traces, "", func(t training) float64 { return t.otherChoices }},
		{"fig8b/ring", "§8.4, Fig. 8b", "allreduce time of ShiftedRing over that of the best topology, mean of 11 models", "times", 6.7, 0.05, claim.Matched, traces, "", func(t training) float64 { return t.overRing }},
		{"fig8b/tree", "§8.4, Fig. 8b", "allreduce time of the double binary tree over that of the best topology, mean of 11 models", "times", 38, 0.5, claim.Differs, tree, treeTest, func(t training) float64 { return t.overTree }},
		{"fig8b/bound-mean", "§8.4, Fig. 8b", "allreduce time above the bound, mean of 11 models", "%", 1.5, 0.05, claim.Matched, traces, "", func(t training) float64 { return 100 * t.meanGap }},
		{"fig8b/bound-most", "§8.4, Fig. 8b", "allreduce time above the bound, largest of 11 models", "%", 5.7, 0.05, claim.Matched, traces, "", func(t training) float64 { return 100 * t.mostGap }},
		{"fig8b/minibatch", "§8.4, Fig. 8b", "minibatch time of ShiftedRing over that of the best topology, mean of 11 models", "times", 2.6, 0.05, claim.Matched, traces + ". Compute 64 times as fast, for one image per GPU, would give 6.46", "", func(t training) float64 { return t.ring }},
		{"fig8b/minibatch/tree", "§8.4, Fig. 8b", "minibatch time of the double binary tree over that of the best topology, mean of 11 models", "times", 28, 0.5, claim.Differs, tree, treeTest, func(t training) float64 { return t.tree }},
		{"fig8b/minibatch/bound-mean", "§8.4, Fig. 8b", "minibatch time above the bound, mean of 11 models", "%", 0.7, 0.05, claim.Differs, mean, "", func(t training) float64 { return 100 * t.minibatch }},
		{"fig8b/minibatch/bound-most", "§8.4, Fig. 8b", "minibatch time above the bound, largest of 11 models", "%", 1.7, 0.05, claim.Differs, most, "", func(t training) float64 { return 100 * t.minibatchBy }},
	} {
		e := claim.Entry{ID: "direct-connect/" + c.id, Source: "Direct-connect, " + c.source, Quantity: c.quantity, Unit: c.unit, Published: c.published, Tolerance: c.tolerance,
			Recorded: claim.Differs, Why: c.why, Rerun: c.rerun, Ours: pick(stated, c.of),
			Convention: &claim.Reading{Name: name, Recorded: c.convention, Ours: pick(burst, c.of)}}
		if c.tolerance > 0 {
			e.Reason = "half a unit of the last digit that is printed"
		}
		switch c.id {
		case "fig8b/minibatch/bound-mean":
			e.Parts = meanParts
			e.Best = &claim.Reading{Name: "gradients ready together, compute four times as fast", Recorded: claim.Matched, Ours: pick(faster, c.of)}
		case "fig8b/minibatch/bound-most":
			e.Parts = mostParts
		}
		entries = append(entries, e)
	}
	return entries
}
