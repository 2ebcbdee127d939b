package directconnect

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// directFigures returns the claims of Fig. 3, 7, 9 and 13.
func directFigures() []claim.Entry {
	entries := []claim.Entry{
		{ID: "direct-connect/fig3/moore", Source: "Direct-connect, Fig. 3",
			Quantity: "of K(5), DC(6;1,2,3,4), K(4,4), H(2,3) and their line graphs up to 4-fold, those whose allgather has more steps than Moore's bound",
			Recorded: claim.Matched,
			Ours: func(context.Context) (float64, error) {
				return overBases(func(g *topology.Graph, k, n int) (bool, error) {
					diameter, _ := g.Diameter()
					moore, _ := topology.MooreDiameter(n, 4, false)
					return diameter+k > moore, nil
				})
			}},
		{ID: "direct-connect/fig3/theorem2", Source: "Direct-connect, Theorem 2 and Fig. 3", Quantity: "of the same, those whose bandwidth is above 1 + 1/((d-1)N) times the least", Recorded: claim.Matched,
			Ours: func(ctx context.Context) (float64, error) {
				return overBases(func(g *topology.Graph, k, _ int) (bool, error) {
					_, ratio, err := expandedBandwidth(ctx, g, k)
					return ratio > 1+1/float64(3*g.Nodes())+1e-12, err
				})
			}},
		{ID: "direct-connect/fig9/steps", Source: "Direct-connect, Fig. 9",
			Quantity: "of hypercubes up to 1024 nodes and square tori up to 2500, those whose breadth-first broadcast has more steps than the diameter", Recorded: claim.Matched,
			Ours: figure9Exceptions(func(g *topology.Graph, steps int, _ *big.Rat) bool { d, _ := g.Diameter(); return steps > d })},
		{ID: "direct-connect/fig9/bandwidth", Source: "Direct-connect, Fig. 9", Quantity: "of the same, those whose bandwidth is above the least", Recorded: claim.Matched,
			Ours: figure9Exceptions(func(g *topology.Graph, _ int, b *big.Rat) bool { return b.Cmp(leastBandwidth(g.Nodes())) > 0 })},
	}
	for _, c := range []struct {
		name      string
		published float64
	}{{"ShiftedRing", 100}, {"ShiftedBFBRing", 50}, {"DBT", 10}, {"2D torus", 5}, {"2D torus, BFB", 2.5}} {
		e := claim.Entry{ID: "direct-connect/fig7/" + figure7IDs[c.name], Source: "Direct-connect, §8.3, Fig. 7",
			Quantity: "1936 nodes (44x44), 1 MB: time of " + c.name + " over that of the best topology found, said to be about that near 2000", Unit: "times",
			Published: c.published, Sense: claim.Higher, Tolerance: 0.1 * c.published, Reason: "10%: said to be about", Recorded: claim.Better,
			Why: "said to be about that near 2000 nodes, to one digit; the time of the baseline follows from its steps, so that the best topology found here is faster than that of the paper, or the factor was rounded down",
			Ours: func(ctx context.Context) (float64, error) {
				t, _, err := bestTopology(ctx, finder.New(4, finder.Options{Op: bfb.AllReduce}), figure7Largest, units.MB)
				return figure7Baseline(c.name, figure7Largest) / t, err
			}}
		if c.name == "DBT" {
			e.Recorded, e.Parts = claim.Differs, func(ctx context.Context) ([]claim.Part, error) { return figure7TreeParts(ctx, c.published) }
			e.Why = "with the trees of Table 4's caption, whose time at 1024 nodes comes out to the digit; they take six times as long as the best topology, not ten, and seven times the least that any topology could take: the trees of the figure must be slower than those of the caption"
		}
		entries = append(entries, e)
	}
	for _, c := range []struct {
		size    units.Bytes
		winner  string
		better  func(kautz, circulant float64) bool
		atLeast float64
	}{
		{units.MB, "the generalized Kautz graph is faster than the circulant of least diameter", func(k, c float64) bool { return k < c }, 25},
		{100 * units.MB, "the circulant of least diameter is faster than the generalized Kautz graph", func(k, c float64) bool { return c < k }, 25},
	} {
		entries = append(entries, claim.Entry{ID: fmt.Sprintf("direct-connect/fig13/%v", c.size), Source: "Direct-connect, §G, Fig. 13",
			Quantity:  fmt.Sprintf("allreduce of %v, every 40th number of nodes up to 2000: those, of 50, at which %s, said to be most", c.size, c.winner),
			Published: c.atLeast, Sense: claim.AtLeast, Recorded: claim.Matched,
			Ours: figure13Count(c.size, func(_ context.Context, _ int, kautz, circulant float64) (bool, error) {
				return c.better(kautz, circulant), nil
			})})
	}
	find := finder.New(4, finder.Options{Op: bfb.AllReduce})
	entries = append(entries, claim.Entry{ID: "direct-connect/fig13/found", Source: "Direct-connect, §G, Fig. 13",
		Quantity: "allreduce of 1 MB, every 40th number of nodes up to 2000: those, of 50, at which the best topology found here is slower than both",
		Recorded: claim.Matched, Full: true,
		Ours: figure13Count(units.MB, func(ctx context.Context, n int, kautz, circulant float64) (bool, error) {
			t, _, err := bestTopology(ctx, find, n, units.MB)
			return t > min(kautz, circulant)*(1+1e-9), err
		})})
	return entries
}

// figure7IDs are the baselines in IDs.
var figure7IDs = map[string]string{"ShiftedRing": "ring", "ShiftedBFBRing": "bfb-ring", "DBT": "tree", "2D torus": "torus", "2D torus, BFB": "bfb-torus"}

// figure7Largest is the number of nodes, near 2000 and square, at which Fig. 7 is compared.
const figure7Largest = 1936

// figure7TreeParts returns the times behind the trees of Fig. 7. Because no topology is faster
// than the bound, the trees must account for the difference from the published factor.
func figure7TreeParts(ctx context.Context, published float64) ([]claim.Part, error) {
	options := finder.Options{Op: bfb.AllReduce}
	tree := figure7Baseline("DBT", figure7Largest)
	t, point, err := bestTopology(ctx, finder.New(4, options), figure7Largest, units.MB)
	if err != nil {
		return nil, err
	}
	cost, err := finder.Bound(figure7Largest, 4, options)
	if err != nil {
		return nil, err
	}
	least, err := machine.Time(cost, units.MB)
	if err != nil {
		return nil, err
	}
	bound := float64(least) / 1e3
	return []claim.Part{
		{Name: "trees at 1024 nodes, as in Table 4's caption", Value: figure7Baseline("DBT", 1024), Unit: "us"},
		{Name: fmt.Sprintf("trees at %d nodes", figure7Largest), Value: tree, Unit: "us"},
		{Name: fmt.Sprintf("the best topology, %v", point.Expr), Value: t, Unit: "us"},
		{Name: "its steps", Value: float64(point.Steps)},
		{Name: "its bandwidth", Value: float(point.Bandwidth), Unit: "M/B"},
		{Name: "the least that any topology of degree 4 takes", Value: bound, Unit: "us"},
		{Name: "trees over the best topology", Value: tree / t, Unit: "times"},
		{Name: "trees over the least", Value: tree / bound, Unit: "times"},
		{Name: fmt.Sprintf("trees that are %v times the best topology", published), Value: published * t, Unit: "us"},
	}, nil
}

// overBases counts line graphs of the bases of Fig. 3 for which something is wrong.
func overBases(wrong func(g *topology.Graph, k, nodes int) (bool, error)) (float64, error) {
	count := 0.0
	for _, expr := range figure3Bases {
		g, err := topology.Parse(expr)
		if err != nil {
			return 0, err
		}
		n := g.Nodes()
		for k := range 5 {
			bad, err := wrong(g, k, n)
			if err != nil {
				return 0, err
			}
			if bad {
				count++
			}
			n *= g.Degree()
		}
	}
	return count, nil
}

func figure9Exceptions(wrong func(g *topology.Graph, steps int, bandwidth *big.Rat) bool) func(context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		exprs := []string{"Q(10)", "Torus(50,50)"}
		for _, family := range figure9Families() {
			exprs = append(exprs, family.exprs...)
		}
		return claim.Count(ctx, exprs, func(expr string) (bool, error) {
			g, err := topology.Parse(expr)
			if err != nil {
				return false, err
			}
			steps, bandwidth, err := bfb.Cost(ctx, g, bfb.AllGather)
			return err == nil && wrong(g, steps, bandwidth), err
		})
	}
}

// figure13Count counts numbers of nodes by the times, in us, of a generalized Kautz graph and of
// the circulant of Theorem 22.
func figure13Count(size units.Bytes, holds func(ctx context.Context, n int, kautz, circulant float64) (bool, error)) func(context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		return claim.Count(ctx, figure13Nodes(), func(n int) (bool, error) {
			m := int(math.Ceil((math.Sqrt(float64(2*n-1)) - 1) / 2))
			var times [2]float64
			for i, g := range []*topology.Graph{topology.GenKautz(4, n), topology.Circulant(n, m, m+1)} {
				steps, bandwidth, err := bfb.Cost(ctx, g, bfb.AllReduce)
				if err != nil {
					return false, err
				}
				t, err := machine.Time(finder.Cost{Steps: steps, Bandwidth: bandwidth}, size)
				if err != nil {
					return false, err
				}
				times[i] = float64(t) / 1e3
			}
			return holds(ctx, n, times[0], times[1])
		})
	}
}
