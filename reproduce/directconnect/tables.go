package directconnect

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/expand"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/topology"
)

// printedDigit is the tolerance of printed values.
const printedDigit = "half a unit of the last digit that is printed"

// expanded returns the best schedule of an expression, by any construction.
func expanded(ctx context.Context, expr string, op bfb.Op) (finder.Cost, error) {
	e, err := topology.ParseExpr(expr)
	if err != nil {
		return finder.Cost{}, err
	}
	s, err := expand.Solve(ctx, e, expand.Options{Op: op})
	if err != nil {
		return finder.Cost{}, err
	}
	return finder.Cost{Steps: s.Steps, Bandwidth: s.Bandwidth}, nil
}

// table4Expanded returns the rows of Table 4 whose schedules are not breadth-first broadcasts.
// Their base graphs are only drawn in figures, so graphs with the stated properties stand for
// them (tests of planner/direct/arrival).
func table4Expanded() []claim.Entry {
	var entries []claim.Entry
	for _, row := range []table4Row{
		{id: "L2(Diamond)", expr: "Line(Power(Diamond,2),2)", steps: 16, bandwidth: 2.008, time: 328.4},
		{id: "L(DBJMod)", expr: "Line(Power(DBJMod(2,4),2),1)", steps: 22, bandwidth: 2.000, time: 387.8},
	} {
		row.cost = func(ctx context.Context) (finder.Cost, error) { return expanded(ctx, row.expr, bfb.AllReduce) }
		entries = append(entries, row.entries("the base graph is in the paper only as a picture that its text lost: one with the stated properties was searched for")...)
	}
	return append(entries,
		claim.Entry{ID: "direct-connect/table4/ring", Source: "Direct-connect, Table 4, caption",
			Quantity: "allreduce of 1 MB by ShiftedRing on 1024 nodes, 2N steps and M/B of 80 us", Unit: "us", Published: 20640, Tolerance: 0.5,
			Reason: printedDigit, Recorded: claim.Matched,
			Why:  "with 2N steps and a megabyte of 10^6 bytes, which the caption does not say: a ring needs 2(N-1), and the rows of the table have a megabyte of 2^20; that makes 20627.6",
			Ours: func(context.Context) (float64, error) { return figure7Baseline("ShiftedRing", 1024), nil }},
		claim.Entry{ID: "direct-connect/table4/tree", Source: "Direct-connect, Table 4, caption",
			Quantity: "allreduce of 1 MB by the double binary tree on 1024 nodes, 2 log2 N steps of alpha + M/B each", Unit: "us", Published: 1800,
			Tolerance: 0.5, Reason: printedDigit, Recorded: claim.Matched,
			Why:  "trees that send the whole buffer in every step, in one piece, with M/B of 80 us: found by trying formulas. Trees that send it in pieces take less",
			Ours: func(context.Context) (float64, error) { return figure7Baseline("DBT", 1024), nil }},
	)
}

// table7 returns the claims on distance-regular graphs of degree 4.
func table7() []claim.Entry {
	type row struct {
		name                              string
		nodes, steps, oneWay, twoWay, dif int
	}
	rows := []row{
		{"Octahedron", 6, 2, 2, 2, 0}, {"Paley9", 9, 2, 2, 2, 0}, {"K55minusI", 10, 3, 2, 2, 1}, {"Heawood3", 14, 3, 2, 2, 1}, {"LinePetersen", 15, 3, 2, 2, 1},
		{"Q4", 16, 4, 2, 2, 2}, {"LineHeawood", 21, 3, 2, 3, 0}, {"PG23", 26, 3, 3, 3, 0}, {"AG24", 32, 4, 3, 3, 1}, {"O4", 35, 3, 3, 3, 0},
		{"LineTutte8", 45, 4, 3, 3, 1}, {"DoubledO4", 70, 7, 3, 4, 3}, {"GQ33", 80, 4, 3, 4, 0}, {"LineTutte12", 189, 6, 4, 5, 1}, {"GH33", 728, 6, 5, 6, 0},
	}
	count := func(wrong func(ctx context.Context, r row, g *topology.Graph) (bool, error)) func(context.Context) (float64, error) {
		return func(ctx context.Context) (float64, error) {
			return claim.Count(ctx, rows, func(r row) (bool, error) {
				g, err := topology.Parse("DistReg(" + r.name + ")")
				if err != nil {
					return false, err
				}
				return wrong(ctx, r, g)
			})
		}
	}
	return []claim.Entry{
		{ID: "direct-connect/table7/steps", Source: "Direct-connect, Table 7",
			Quantity: "of 15 distance-regular graphs, those with another number of nodes, degree or steps than printed", Recorded: claim.Matched,
			Ours: count(func(_ context.Context, r row, g *topology.Graph) (bool, error) {
				diameter, connected := g.Diameter()
				return !connected || g.Nodes() != r.nodes || g.Degree() != 4 || diameter != r.steps, nil
			})},
		{ID: "direct-connect/table7/moore", Source: "Direct-connect, Table 7",
			Quantity: "of 15 distance-regular graphs, those with another one-way or two-way Moore bound than printed", Recorded: claim.Matched,
			Ours: count(func(_ context.Context, r row, _ *topology.Graph) (bool, error) {
				oneWay, _ := topology.MooreDiameter(r.nodes, 4, false)
				twoWay, _ := topology.MooreDiameter(r.nodes, 4, true)
				return oneWay != r.oneWay || twoWay != r.twoWay || r.steps-twoWay != r.dif, nil
			})},
		{ID: "direct-connect/table7/bandwidth", Source: "Direct-connect, §E.3 and Table 7",
			Quantity: "of 15 distance-regular graphs, those whose schedule is not bandwidth-optimal", Recorded: claim.Matched,
			Ours: count(func(ctx context.Context, r row, g *topology.Graph) (bool, error) {
				_, bandwidth, err := bfb.Cost(ctx, g, bfb.AllGather)
				return err == nil && bandwidth.Cmp(leastBandwidth(r.nodes)) != 0, err
			})},
	}
}

// table9Row is a property of a topology in Table 9.
type table9Row struct {
	expr              string
	degree, nodes     int
	reverse           bool
	optimal           bool
	steps             int // of an allgather
	loops, multiedges bool
}

// table9 returns claims that check one or two instances of every row of Table 9.
func table9() []claim.Entry {
	rows := []table9Row{
		{"K(5)", 4, 5, true, true, 1, false, false},
		{"K(4,4)", 4, 8, true, true, 2, false, false},
		{"H(2,3)", 4, 9, true, true, 2, false, false},
		{"H(3,3)", 6, 27, true, true, 3, false, false},
		{"Kautz(4,1)", 4, 20, true, false, 2, false, false},
		{"Kautz(2,2)", 2, 12, true, false, 3, false, false},
		{"GenKautz(4,11)", 4, 11, false, false, 2, true, false},
		{"GenKautz(2,7)", 2, 7, false, false, 3, true, false},
		{"C(16;3,4)", 4, 16, true, true, 3, false, false},
		{"DC(6;1,2,3,4)", 4, 6, true, true, 2, false, false},
		{"BiRing(2,7)", 2, 7, true, true, 3, false, false},
		{"BiRing(4,8)", 4, 8, true, true, 4, false, true},
		{"UniRing(1,5)", 1, 5, true, true, 4, false, false},
		{"UniRing(2,5)", 2, 5, true, true, 4, false, true},
		{"DeBruijn(2,3)", 2, 8, true, false, 3, true, false},
		{"Diamond", 2, 8, false, true, 3, false, false},
		{"DBJMod(2,3)", 2, 8, true, true, 4, false, false},
		{"DBJMod(2,4)", 2, 16, false, true, 5, false, false},
		{"DBJMod(3,2)", 3, 9, false, true, 3, false, false},
		{"DBJMod(4,2)", 4, 16, false, true, 3, false, false},
	}
	each := func(id, what, why string, recorded claim.Verdict, wrong func(ctx context.Context, r table9Row, g *topology.Graph) (bool, error)) claim.Entry {
		return claim.Entry{ID: "direct-connect/table9/" + id, Source: "Direct-connect, Table 9",
			Quantity: fmt.Sprintf("of %d topologies of all rows, those with %s", len(rows), what), Recorded: recorded, Why: why,
			Ours: func(ctx context.Context) (float64, error) {
				return claim.Count(ctx, rows, func(r table9Row) (bool, error) {
					g, err := topology.Parse(r.expr)
					if err != nil {
						return false, err
					}
					bad, err := wrong(ctx, r, g)
					if err != nil {
						err = fmt.Errorf("%s: %w", r.expr, err)
					}
					return bad, err
				})
			}}
	}
	return []claim.Entry{
		each("size", "another degree or number of nodes than printed", "", claim.Matched, func(_ context.Context, r table9Row, g *topology.Graph) (bool, error) {
			return g.Degree() != r.degree || g.Nodes() != r.nodes, nil
		}),
		each("edges", "self-loops or parallel circuits where the table has none, or none where it has some", "", claim.Matched, func(_ context.Context, r table9Row, g *topology.Graph) (bool, error) {
			loops, multi := false, false
			for e := range g.Edges() {
				loops = loops || e.From == e.To
				multi = multi || g.Count(e.From, e.To) > 1 && e.From != e.To
			}
			return loops != r.loops || multi != r.multiedges, nil
		}),
		each("reverse", "another reverse symmetry than printed", "", claim.Matched, func(ctx context.Context, r table9Row, g *topology.Graph) (bool, error) {
			symmetric, err := g.ReverseSymmetric(ctx)
			return symmetric != r.reverse, err
		}),
		each("schedule", "another number of steps, or bandwidth-optimality, of the best allgather than printed", "", claim.Matched, func(ctx context.Context, r table9Row, _ *topology.Graph) (bool, error) {
			c, err := expanded(ctx, r.expr, bfb.AllGather)
			if err != nil {
				return false, err
			}
			optimal := c.Bandwidth.Cmp(leastBandwidth(r.nodes)) == 0
			return optimal != r.optimal || c.Steps != r.steps, nil
		}),
	}
}
