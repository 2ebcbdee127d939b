package directconnect

import (
	"context"
	"math"
	"math/big"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/expand"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/topology"
)

// expansionTheorems returns the claims of Theorems 2 to 22, on expanded topologies and on
// families, that are not in theorems.go.
func expansionTheorems() []claim.Entry {
	bases := []string{"K(4)", "K(3,3)", "DC(7;1,3)", "Ring(7)", "GenKautz(2,9)", "Q(3)", "Kautz(2,1)", "Torus(3,4)"}
	optimalBases := []string{"K(4)", "K(3,3)", "Ring(5)", "Q(3)", "C(8;1,3)"}
	allgather := func(ctx context.Context, g *topology.Graph) (*expand.Allgather, error) { return expand.BFB(ctx, g) }
	return []claim.Entry{
		{ID: "direct-connect/theorem4", Source: "Direct-connect, Theorem 4 (reduce-scatter on reverse-symmetric topologies)",
			Quantity: "of 8 topologies that are reverse-symmetric, those whose reduce-scatter takes other steps or bandwidth than their allgather", Recorded: claim.Matched,
			Ours: exceptions([]string{"K(4)", "K(3,3)", "Ring(7)", "Q(3)", "Kautz(2,1)", "DeBruijn(2,3)", "UniRing(1,6)", "DC(6;1,2,3,4)"}, func(ctx context.Context, g *topology.Graph) (bool, error) {
				symmetric, err := g.ReverseSymmetric(ctx)
				if err != nil || !symmetric {
					return false, err
				}
				steps, bandwidth, err := bfb.Cost(ctx, g, bfb.AllGather)
				if err != nil {
					return false, err
				}
				back, other, err := bfb.Cost(ctx, g, bfb.ReduceScatter)
				return err == nil && steps == back && bandwidth.Cmp(other) == 0, err
			})},
		{ID: "direct-connect/theorem9", Source: "Direct-connect, Theorem 9 (line graphs keep Moore optimality)",
			Quantity: "of 8 topologies, those that reach Moore's bound where their line graphs do not, or the other way round", Recorded: claim.Matched,
			Ours: exceptions(bases, func(_ context.Context, g *topology.Graph) (bool, error) {
				return mooreOptimal(g) == mooreOptimal(topology.LineGraph(g, 1)), nil
			})},
		{ID: "direct-connect/theorem11", Source: "Direct-connect, Theorem 11 (degree expansion)",
			Quantity: "of 8 topologies expanded 2- and 3-fold, those whose constructed schedule takes other steps or bandwidth than the theorem says", Recorded: claim.Matched,
			Ours: exceptions([]string{"K(4)", "K(3,3)", "DC(7;1,3)", "Ring(7)", "Q(3)", "Kautz(2,1)", "Torus(3,4)", "C(9;1,2)"}, func(ctx context.Context, g *topology.Graph) (bool, error) {
				a, err := allgather(ctx, g)
				if err != nil {
					return false, err
				}
				for k := 2; k <= 3; k++ {
					more, err := expand.Degree(a, k)
					if err != nil {
						return false, err
					}
					want := new(big.Rat).Add(a.Bandwidth, big.NewRat(int64(k-1), int64(k*g.Nodes())))
					if more.Steps != a.Steps+1 || more.Bandwidth.Cmp(want) != 0 {
						return false, nil
					}
				}
				return true, nil
			})},
		{ID: "direct-connect/theorem12", Source: "Direct-connect, Theorem 12 (Cartesian powers)",
			Quantity: "of 8 topologies squared and cubed, those whose constructed schedule takes other steps or bandwidth than the theorem says", Recorded: claim.Matched,
			Ours: exceptions(bases, func(ctx context.Context, g *topology.Graph) (bool, error) {
				a, err := allgather(ctx, g)
				if err != nil {
					return false, err
				}
				for k := 2; k <= 3; k++ {
					power, err := expand.Power(a, k)
					if err != nil {
						return false, err
					}
					n := int64(g.Nodes())
					all := int64(math.Pow(float64(n), float64(k)))
					want := new(big.Rat).Mul(a.Bandwidth, big.NewRat(n*(all-1), (n-1)*all))
					if power.Steps != k*a.Steps || power.Bandwidth.Cmp(want) != 0 {
						return false, nil
					}
				}
				return true, nil
			})},
		{ID: "direct-connect/theorem12.1", Source: "Direct-connect, Corollaries 11.1 and 12.1",
			Quantity: "of 5 bandwidth-optimal topologies, those whose degree expansion or square is not", Recorded: claim.Matched,
			Ours: exceptions(optimalBases, func(ctx context.Context, g *topology.Graph) (bool, error) {
				a, err := allgather(ctx, g)
				if err != nil {
					return false, err
				}
				more, err := expand.Degree(a, 2)
				if err != nil {
					return false, err
				}
				power, err := expand.Power(a, 2)
				return err == nil && a.BandwidthOptimal && more.BandwidthOptimal && power.BandwidthOptimal, err
			})},
		{ID: "direct-connect/theorem15", Source: "Direct-connect, Theorem 15 (steps of breadth-first broadcast)",
			Quantity: "of 8 topologies, those whose steps are not the diameter", Recorded: claim.Matched,
			Ours: exceptions(bases, func(ctx context.Context, g *topology.Graph) (bool, error) {
				steps, _, err := bfb.Cost(ctx, g, bfb.AllGather)
				diameter, _ := g.Diameter()
				return err == nil && steps == diameter, err
			})},
		{ID: "direct-connect/theorem20", Source: "Direct-connect, Theorem 20 (schedules of whole chunks)",
			Quantity: "of 8 topologies with 1 to 4 chunks per shard, those whose bandwidth is above the theorem's", Recorded: claim.Matched,
			Ours: exceptions(bases, func(ctx context.Context, g *topology.Graph) (bool, error) {
				any, err := bfb.Solve(ctx, g, bfb.Options{})
				if err != nil {
					return false, err
				}
				for chunks := 1; chunks <= 4; chunks++ {
					whole, err := bfb.Solve(ctx, g, bfb.Options{Chunks: chunks})
					if err != nil {
						return false, err
					}
					d := float64(g.Degree())
					diameter, _ := g.Diameter()
					most := float(any.Bandwidth) + d*(math.Pow(d, float64(diameter))-1)/((d-1)*float64(chunks*g.Nodes()))
					if float(whole.Bandwidth) > most+1e-12 {
						return false, nil
					}
				}
				return true, nil
			})},
		{ID: "direct-connect/theorem22", Source: "Direct-connect, Theorem 22 (circulants of least diameter)",
			Quantity: "numbers of nodes from 7 to 60 for which C(n;m,m+1) has another diameter than m, or some C(n;a,b) a smaller one", Recorded: claim.Matched,
			Ours: leastCirculants},
		{ID: "direct-connect/conjecture1", Source: "Direct-connect, Conjecture 1 (all circulants)",
			Quantity: "two-way circulants of three jumps, up to 16 nodes, connected, whose schedule is not bandwidth-optimal", Rerun: "go test ./planner/direct/bfb -run TestConjecture1IsFalse", Recorded: claim.Differs,
			Why:  "the conjecture is false, C(15;1,4,5) the first exception; TestConjecture1IsFalse shows it by the paper's linear program as well",
			Ours: wasteful(7, 16, 3)},
		{ID: "direct-connect/sectionE1", Source: "Direct-connect, §E.1 (two-way rings)",
			Quantity: "two-way rings of 3 to 40 nodes whose allgather does not take floor(N/2) steps and the least bandwidth", Recorded: claim.Matched,
			Ours: func(ctx context.Context) (float64, error) {
				count := 0.0
				for n := 3; n <= 40; n++ {
					steps, bandwidth, err := bfb.Cost(ctx, topology.Circulant(n, 1), bfb.AllGather)
					if err != nil {
						return 0, err
					}
					if steps != n/2 || bandwidth.Cmp(leastBandwidth(n)) != 0 {
						count++
					}
				}
				return count, nil
			}},
	}
}

func mooreOptimal(g *topology.Graph) bool {
	diameter, connected := g.Diameter()
	moore, ok := topology.MooreDiameter(g.Nodes(), g.Degree(), false)
	return connected && ok && diameter == moore
}

// leastCirculants compares all two-way circulants of two jumps.
func leastCirculants(context.Context) (float64, error) {
	count := 0.0
	for n := 7; n <= 60; n++ {
		m := int(math.Ceil((math.Sqrt(float64(2*n-1)) - 1) / 2))
		diameter, connected := topology.Circulant(n, m, m+1).Diameter()
		least := diameter
		for a := 1; 2*a < n; a++ {
			for b := a + 1; 2*b < n; b++ {
				if d, ok := topology.Circulant(n, a, b).Diameter(); ok {
					least = min(least, d)
				}
			}
		}
		if !connected || diameter != m || least < m {
			count++
		}
	}
	return count, nil
}
