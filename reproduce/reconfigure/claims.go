package reconfigure

import (
	"context"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/reproduce/claim"
)

// exchanged schedules one chunk per pair, checks the schedule, and returns it.
func exchanged(ctx context.Context, nodes, ports int, how string, stages int, r float64) (*model.Schedule, error) {
	demand, err := model.Uniform(nodes, 1)
	if err != nil {
		return nil, err
	}
	s, err := strategy.Solve(ctx, strategy.Problem{Demand: demand, Ports: ports, R: r, T: 1, Strategy: how, Stages: stages})
	if err != nil {
		return nil, err
	}
	return s, s.Check(demand)
}

// Paper lists claims of Zhou, Addanki and Apostolaki, "To Reconfigure or Not to
// Reconfigure".
func Paper() claim.Paper {
	p := claim.Paper{Name: "reconfigure-or-not", Title: "To Reconfigure or Not to Reconfigure"}
	p.Entries = append(p.Entries, motivatingExample()...)
	p.Entries = append(p.Entries,
		claim.Entry{ID: "reconfigure-or-not/theorem1/8", Source: "Reconfigure or not, Theorem 1",
			Quantity: "least slots of 8 nodes over two topologies, by the theorem's formula", Unit: "T", Published: 16, Recorded: claim.Matched,
			Ours: func(context.Context) (float64, error) {
				bound, err := model.LoadBound(8, 1, 2)
				return float64(bound), err
			}},
		claim.Entry{ID: "reconfigure-or-not/theorem1/any", Source: "Reconfigure or not, Theorem 1",
			Quantity: "slots of 8 nodes over two topologies, said to be at least 16 for any strategy", Unit: "T", Published: 16, Sense: claim.AtLeast, Recorded: claim.Differs,
			Why: "the theorem is stated for any strategy and holds for those that keep a flow within one topology. Chunks that wait at a node for the next topology need less; the schedule is checked",
			Ours: func(ctx context.Context) (float64, error) {
				s, err := exchanged(ctx, 8, 1, strategy.Relay, 2, 1)
				if err != nil {
					return 0, err
				}
				return float64(s.Slots()), nil
			}},
		claim.Entry{ID: "reconfigure-or-not/section4.3", Source: "Reconfigure or not, §4.3",
			Quantity: "slots of the rounds that the ring and its 3-shift keep, 8 nodes", Unit: "T", Published: 19, Recorded: claim.Differs,
			Why:  "an error of addition: the rounds kept are 1, 2, 4, 5 and 1, 2, 5",
			Ours: func(context.Context) (float64, error) { return float64(jumpset.Covered(8, []int{1, 3}).Total), nil }},
		claim.Entry{ID: "reconfigure-or-not/fig8c/rounds", Source: "Reconfigure or not, Fig. 8c",
			Quantity: "slots of 8 nodes with two ports and one topology, moving in rounds", Unit: "T", Published: 8, Sense: claim.Lower, Recorded: claim.Differs,
			Why: "two paths of the figure's last round use the same circuit in the same slot (TestFigure8cContends); in rounds it takes more. See fig8c/any.",
			Ours: func(ctx context.Context) (float64, error) {
				s, err := exchanged(ctx, 8, 2, strategy.Paper, 1, 1)
				if err != nil {
					return 0, err
				}
				return float64(s.Slots()), nil
			}},
		claim.Entry{ID: "reconfigure-or-not/fig8c/any", Source: "Reconfigure or not, Fig. 8c",
			Quantity: "slots of 8 nodes with two ports on the topology of jumps 6 and 5, not in rounds", Unit: "T", Published: 8, Sense: claim.Lower, Recorded: claim.Matched,
			Ours: func(ctx context.Context) (float64, error) {
				share := jumpset.NewStagedSharing(8, [][]int{{6, 5}})
				if err := share.Settle(ctx); err != nil {
					return 0, err
				}
				s := share.Ways(2).Schedule(strategy.Shifts, 1)
				demand, err := model.Uniform(8, 1)
				if err != nil {
					return 0, err
				}
				return float64(s.Slots()), s.Check(demand)
			}},
	)
	p.Entries = append(p.Entries, optimalityGaps()...)
	p.Entries = append(p.Entries, reconfigureMeans()...)
	p.Entries = append(p.Entries, reconfigureDelays()...)
	p.Panels = reconfigurePanels()
	return p
}

// motivatingExample is §2.3: 8 nodes, one port, one chunk per pair, R = 7T.
func motivatingExample() []claim.Entry {
	cost := func(how string, stages int) func(ctx context.Context) (float64, error) {
		return func(ctx context.Context) (float64, error) {
			s, err := exchanged(ctx, 8, 1, how, stages, 7)
			if err != nil {
				return 0, err
			}
			return s.Cost(7, 1), nil
		}
	}
	longer := func(how string, stages int) func(ctx context.Context) (float64, error) {
		return func(ctx context.Context) (float64, error) {
			best, err := cost(strategy.Paper, 0)(ctx)
			if err != nil {
				return 0, err
			}
			other, err := cost(how, stages)(ctx)
			return 100 * (other/best - 1), err
		}
	}
	const source, setting = "Reconfigure or not, §2.3", "8 nodes, one port, R = 7T: "
	return []claim.Entry{
		{ID: "reconfigure-or-not/example/never", Source: source, Quantity: setting + "one topology (Fig. 4)", Unit: "T", Published: 35, Recorded: claim.Matched, Ours: cost(strategy.Paper, 1)},
		{ID: "reconfigure-or-not/example/always", Source: source, Quantity: setting + "a circuit for every pair (Fig. 5)", Unit: "T", Published: 56,
			Recorded: claim.Matched, Ours: cost(strategy.Direct, 0)},
		{ID: "reconfigure-or-not/example/paper", Source: source, Quantity: setting + "the paper's (Fig. 3)", Unit: "T", Published: 30, Recorded: claim.Matched, Ours: cost(strategy.Paper, 0)},
		{ID: "reconfigure-or-not/example/best", Source: source, Quantity: setting + "the best strategy", Unit: "T", Published: 30, Sense: claim.Lower, Recorded: claim.Better,
			Why:  "chunks wait for the next topology; no schedule at all takes less (TestMotivatingExample)",
			Ours: cost(strategy.Auto, 0)},
		{ID: "reconfigure-or-not/example/never-longer", Source: source, Quantity: setting + "one topology, longer than the paper's by at least", Unit: "%",
			Published: 16, Sense: claim.AtLeast, Recorded: claim.Matched, Ours: longer(strategy.Paper, 1)},
		{ID: "reconfigure-or-not/example/always-longer", Source: source,
			Quantity: setting + "a circuit for every pair, longer than the paper's by at least", Unit: "%", Published: 86, Sense: claim.AtLeast,
			Recorded: claim.Matched, Ours: longer(strategy.Direct, 0)},
	}
}

// optimalityGaps are the ratios of slots to Theorem 1 in Fig. 13a, the largest over all
// numbers of topologies.
func optimalityGaps() []claim.Entry {
	worst := func(how string, nodes ...int) func(ctx context.Context) (float64, error) {
		return func(ctx context.Context) (float64, error) {
			list, err := strategy.Ratios(ctx, how, nodes)
			most := 0.0
			for _, r := range list {
				most = max(most, r.Value())
			}
			return most, err
		}
	}
	const source = "Reconfigure or not, §5.3, Fig. 13a"
	powers := func(most int) (list []int) {
		for n := 4; n <= most; n *= 2 {
			list = append(list, n)
		}
		return list
	}
	upTo64 := jumpset.UpTo(64)[1:]
	return []claim.Entry{
		{ID: "reconfigure-or-not/fig13a/64", Source: source, Quantity: "slots over Theorem 1, largest, 64 nodes", Unit: "times", Published: 2.22,
			Tolerance: 0.01, Reason: "a unit of the last digit that is printed: cut off rather than rounded", Recorded: claim.Matched,
			Ours: worst(strategy.Paper, 64)},
		{ID: "reconfigure-or-not/fig13a/up-to-64", Source: source, Quantity: "slots over Theorem 1, largest, every number of nodes up to 64", Unit: "times",
			Published: 2.22, Sense: claim.AtMost, Tolerance: 0.01, Reason: "a unit of the last digit that is printed", Recorded: claim.Differs,
			Why: "numbers of nodes that the paper need not have looked at are a little worse, 60 the worst", Ours: worst(strategy.Paper, upTo64...)},
		{ID: "reconfigure-or-not/fig13a/4096", Source: source, Quantity: "slots over Theorem 1, largest, powers of two up to 4096 nodes, and 3072",
			Unit: "times", Published: 4.54, Tolerance: 0.005, Reason: "half a unit of the last digit that is printed", Recorded: claim.Matched,
			Ours: worst(strategy.Paper, append(powers(4096), 3072)...)},
		{ID: "reconfigure-or-not/fig13a/shifts", Source: source, Quantity: "slots over Theorem 1 with our sequence of shifts, largest, powers of two up to 4096 nodes, and 3072", Unit: "times", Published: 4.54, Sense: claim.Lower, Tolerance: 0.005, Reason: "half a unit of the last digit that is printed", Recorded: claim.Better,
			Why: "other jumps in the same model (strategy shifts)", Ours: worst(strategy.Shifts, append(powers(4096), 3072)...)},
	}
}
