package directconnect

import (
	"context"
	"fmt"
	"math/big"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Paper lists claims of Zhao et al., "Efficient Direct-Connect Topologies for
// Collective Communications". Those on training are in training.go.
func Paper() claim.Paper {
	p := claim.Paper{Name: "direct-connect", Title: "Efficient Direct-Connect Topologies for Collective Communications", Convention: directConvention}
	for _, claims := range [][]claim.Entry{table4(), table4Expanded(), table5(), table7(), table9(), directTheorems(), expansionTheorems(), scheduleTheorems(), directFigures(), figure12(), testbedFigures(), otherFamilies()} {
		p.Entries = append(p.Entries, claims...)
	}
	p.Entries = append(p.Entries, directTraining()...)
	p.Entries = append(p.Entries,
		claim.Entry{ID: "direct-connect/table6/Q10", Source: "Direct-connect, Table 6", Quantity: "time to make the allgather of a hypercube of 1024 nodes",
			Unit: "s", Published: 52.7, Recorded: claim.NotCheckable,
			Why: "a time of the authors' machine; what is computed here takes no clocks. BenchmarkBFB/Q10 of planner/direct/bfb measures ours"},
		claim.Entry{ID: "direct-connect/fig14/alpha", Source: "Direct-connect, Fig. 14", Quantity: "alpha fitted to the testbed", Unit: "us", Published: 13.33, Recorded: claim.NotCheckable,
			Why: "measured on twelve servers of the authors, as are Fig. 8a and the times of Table 6"},
	)
	p.Entries = append(p.Entries, directMeasured()...)
	p.Panels = directPanels()
	return p
}

// directMeasured returns measured speed-ups of quantities that are not published as numbers.
func directMeasured() []claim.Entry {
	const gpus = "measured on the authors' GPUs; when the gradients of a layer are ready, and how long the other calls take, is not published"
	const frontera = "measured on a supercomputer, averaged over sizes that are not listed; its start-up and bandwidth are not published"
	entry := func(id, source, quantity, unit string, published float64, why string) claim.Entry {
		return claim.Entry{ID: "direct-connect/" + id, Source: "Direct-connect, " + source, Quantity: quantity, Unit: unit, Published: published, Recorded: claim.NotCheckable, Why: why}
	}
	const training = "training on 8 GPUs, K(4,4), mean of the models: "
	return []claim.Entry{
		entry("abstract/training", "§1", "latency of collectives in training on the testbed, lower by more than", "%", 30, gpus),
		entry("fig8a/allreduce/ring", "§8.4, Fig. 8a", training+"allreduce time below ShiftedRing, lower by", "%", 30, gpus),
		entry("fig8a/allreduce/tree", "§8.4, Fig. 8a", training+"allreduce time below the double binary tree, lower by", "%", 50, gpus),
		entry("fig8a/minibatch/ring", "§8.4, Fig. 8a", training+"time of a minibatch below ShiftedRing, lower by", "%", 10, gpus),
		entry("fig8a/minibatch/tree", "§8.4, Fig. 8a", training+"time of a minibatch below the double binary tree, lower by", "%", 25, gpus),
		entry("fig10", "§8.5.2, Fig. 10", "tori of 18, 27 and 54 nodes, less than 100 MB: bandwidth of breadth-first broadcast over the traditional schedule, mean", "times", 3.1, frontera),
		entry("fig10/3x3x2", "§8.5.2, Fig. 10", "torus of 3x3x2 nodes, 100 MB or more: bandwidth of breadth-first broadcast above the traditional schedule, mean", "%", 29, frontera),
		entry("fig10/3x3x3x2", "§8.5.2, Fig. 10", "torus of 3x3x3x2 nodes, 100 MB or more: bandwidth of breadth-first broadcast above the traditional schedule, mean", "%", 42, frontera),
	}
}

// directConvention is the convention of all claims.
const directConvention = "gradients of a training step are ready together at the end of its computation, which takes half of what our traces have; the network then does two allreduces, of the gradients that are ready first and of all others. The authors measured these times and did not publish them. The reading was found by trying factors until the speed-up of minibatches came out; Table 8 and the three figures of allreduces then follow for every factor. A megabyte is 2^20 bytes in the rows of Table 4 and 10^6 in its caption, where a ring has 2N steps."

// scheduled returns the best breadth-first-broadcast schedule of a topology's expression.
func scheduled(ctx context.Context, expr string, op bfb.Op) (steps int, bandwidth *big.Rat, err error) {
	g, err := topology.Parse(expr)
	if err != nil {
		return 0, nil, err
	}
	return bfb.Cost(ctx, g, op)
}

func float(r *big.Rat) float64 { f, _ := r.Float64(); return f }

// table4Row is a topology of Table 4 with its steps, bandwidth and time of an allreduce, and how
// we compute them.
type table4Row struct {
	id, expr               string
	steps, bandwidth, time float64
	cost                   func(ctx context.Context) (finder.Cost, error)
}

// entries returns the three claims of the row.
func (row table4Row) entries(why string) []claim.Entry {
	pick := func(of func(finder.Cost) (float64, error)) func(context.Context) (float64, error) {
		return func(ctx context.Context) (float64, error) {
			c, err := row.cost(ctx)
			if err != nil {
				return 0, err
			}
			return of(c)
		}
	}
	base := claim.Entry{Source: "Direct-connect, Table 4", Sense: claim.Lower, Recorded: claim.Matched, Why: why}
	steps, bandwidth, time := base, base, base
	steps.ID, steps.Quantity, steps.Published = "direct-connect/table4/"+row.id+"/steps", "steps of an allreduce on "+row.expr, row.steps
	steps.Ours = pick(func(c finder.Cost) (float64, error) { return float64(c.Steps), nil })
	bandwidth.ID, bandwidth.Quantity, bandwidth.Unit, bandwidth.Published = "direct-connect/table4/"+row.id+"/bandwidth", "bandwidth of an allreduce on "+row.expr, "M/B", row.bandwidth
	bandwidth.Tolerance, bandwidth.Reason = 0.0005, printedDigit
	bandwidth.Ours = pick(func(c finder.Cost) (float64, error) { return float(c.Bandwidth), nil })
	time.ID, time.Quantity, time.Unit, time.Published = "direct-connect/table4/"+row.id+"/time", "allreduce of 1 MiB on "+row.expr, "us", row.time
	time.Tolerance, time.Reason = 0.05, printedDigit
	time.Ours = pick(func(c finder.Cost) (float64, error) {
		t, err := machine.Time(c, units.MiB)
		return float64(t) / 1e3, err
	})
	return []claim.Entry{steps, bandwidth, time}
}

// table4 is the allreduce on 1024 nodes of degree 4: 10 us per step, 1 MB at 100 Gbps.
func table4() []claim.Entry {
	find := func(ctx context.Context) ([]finder.Point, error) {
		return finder.New(4, finder.Options{Op: bfb.AllReduce}).Frontier(ctx, 1024)
	}
	var entries []claim.Entry
	for _, row := range []table4Row{
		{id: "GenKautz", expr: "GenKautz(4,1024)", steps: 10, bandwidth: 2.664, time: 323.5},
		{id: "L3(C(16;3,4))", expr: "Line(C(16;3,4),3)", steps: 12, bandwidth: 2.039, time: 291.0},
		{id: "UniRing", expr: "Power(Product(UniRing(1,4),UniRing(1,8)),2)", steps: 40, bandwidth: 1.998, time: 567.6},
	} {
		row.cost = func(ctx context.Context) (finder.Cost, error) {
			steps, bandwidth, err := scheduled(ctx, row.expr, bfb.AllReduce)
			return finder.Cost{Steps: steps, Bandwidth: bandwidth}, err
		}
		entries = append(entries, row.entries("")...)
	}
	return append(entries,
		claim.Entry{ID: "direct-connect/table4/bound", Source: "Direct-connect, Table 4",
			Quantity: "least time of an allreduce of 1 MiB on 1024 nodes of degree 4", Unit: "us", Published: 267.6, Tolerance: 0.05, Reason: printedDigit,
			Recorded: claim.Matched,
			Ours: func(context.Context) (float64, error) {
				bound, err := finder.Bound(1024, 4, finder.Options{Op: bfb.AllReduce})
				if err != nil {
					return 0, err
				}
				t, err := machine.Time(bound, units.MiB)
				return float64(t) / 1e3, err
			}},
		claim.Entry{ID: "direct-connect/table4/best", Source: "Direct-connect, Table 4",
			Quantity: "least time of an allreduce of 1 MiB on 1024 nodes of degree 4 among the topologies found", Unit: "us", Published: 291.0,
			Sense: claim.Lower, Tolerance: 0.05, Reason: printedDigit, Recorded: claim.Better,
			Why: "line graphs of one-way circulants, which the paper does not look at, have as few steps and the least bandwidth",
			Ours: func(ctx context.Context) (float64, error) {
				points, err := find(ctx)
				if err != nil {
					return 0, err
				}
				best, err := machine.Choose(points, []finder.Weighted{{Size: units.MiB, Weight: 1}})
				return float64(best.Time) / 1e3, err
			}},
		claim.Entry{ID: "direct-connect/table4/covered", Source: "Direct-connect, Table 4",
			Quantity: "rows that no topology found here equals or beats in both steps and bandwidth", Published: 0, Recorded: claim.Matched,
			Ours: func(ctx context.Context) (float64, error) {
				points, err := find(ctx)
				if err != nil {
					return 0, err
				}
				missed := 0.0
				for _, row := range []finder.Cost{
					{Steps: 10, Bandwidth: big.NewRat(341, 128)}, {Steps: 12, Bandwidth: big.NewRat(261, 128)}, {Steps: 16, Bandwidth: big.NewRat(257, 128)},
					{Steps: 22, Bandwidth: big.NewRat(2, 1)}, {Steps: 40, Bandwidth: big.NewRat(1023, 512)},
				} {
					found := false
					for _, p := range points {
						found = found || p.Steps <= row.Steps && p.Bandwidth.Cmp(row.Bandwidth) <= 0
					}
					if !found {
						missed++
					}
				}
				return missed, nil
			}},
	)
}

// table5 is the best two-way topologies of degree 4.
func table5() []claim.Entry {
	var entries []claim.Entry
	for _, row := range []struct {
		nodes int
		steps float64
	}{{5, 2}, {6, 4}, {7, 4}, {8, 4}, {9, 4}, {10, 4}, {11, 4}, {12, 4}} {
		entries = append(entries, claim.Entry{
			ID: fmt.Sprintf("direct-connect/table5/%d", row.nodes), Source: "Direct-connect, Table 5",
			Quantity:  fmt.Sprintf("steps of the best bandwidth-optimal allreduce on %d nodes of degree 4, two-way", row.nodes),
			Published: row.steps, Sense: claim.Lower, Recorded: claim.Matched,
			Ours: func(ctx context.Context) (float64, error) {
				points, err := finder.New(4, finder.Options{Op: bfb.AllReduce, Bidirectional: true}).Frontier(ctx, row.nodes)
				if err != nil {
					return 0, err
				}
				least := big.NewRat(int64(2*row.nodes-2), int64(row.nodes))
				for _, p := range points {
					if p.Bandwidth.Cmp(least) == 0 {
						return float64(p.Steps), nil
					}
				}
				return 0, fmt.Errorf("no topology of %d nodes is bandwidth-optimal", row.nodes)
			},
		})
	}
	return entries
}

// figure12 is the bandwidth of generalized Kautz graphs.
func figure12() []claim.Entry {
	upTo := func(from, step int) func(yield func(int) bool) {
		return func(yield func(int) bool) {
			for n := from; n <= 2000 && yield(n); n += step {
			}
		}
	}
	const source = "Direct-connect, Fig. 12"
	worst := func(from, step int) func(context.Context) (float64, error) {
		return func(ctx context.Context) (float64, error) {
			largest, _, err := kautzRatios(ctx, []int{2, 4, 8, 16}, upTo(from, step))
			return largest, err
		}
	}
	return []claim.Entry{
		{ID: "direct-connect/fig12", Source: source, Quantity: "largest ratio of a generalized Kautz graph's bandwidth to the least, degrees 2, 4, 8, 16, every 150th number of nodes up to 2000, allgather", Unit: "times",
			Published: 2, Sense: claim.AtMost, Recorded: claim.Matched, Ours: worst(50, 150)},
		{ID: "direct-connect/fig12/2000", Source: source, Quantity: "largest ratio of a generalized Kautz graph's bandwidth to the least, degrees 2, 4, 8, 16, every 10th number of nodes up to 2000, allgather", Unit: "times",
			Published: 2, Sense: claim.AtMost, Recorded: claim.Matched, Full: true, Ours: worst(10, 10)},
		{ID: "direct-connect/fig12/degree", Source: source, Quantity: "degrees 4, 8 and 16 at which the mean ratio is above that of the next smaller degree, every 150th number of nodes up to 2000: the higher the degree, the closer, it is said", Recorded: claim.Matched,
			Ours: func(ctx context.Context) (float64, error) {
				_, means, err := kautzRatios(ctx, []int{2, 4, 8, 16}, upTo(50, 150))
				count := 0.0
				for i := 1; i < len(means); i++ {
					if means[i] > means[i-1] {
						count++
					}
				}
				return count, err
			}},
	}
}
