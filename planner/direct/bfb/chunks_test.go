package bfb_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// wholeChunks solves the integer program (12) of Zhao et al. by trying all ways to deal out the
// chunks, and returns the least time.
func (p *program) wholeChunks(chunks int) *big.Rat {
	states := map[string][]int{"": make([]int, len(p.links))}
	for _, senders := range p.shards {
		next := map[string][]int{}
		for _, loads := range states {
			dealChunks(loads, senders, chunks, func(loads []int) {
				next[fmt.Sprint(loads)] = append([]int(nil), loads...)
			})
		}
		states = next
	}
	var best *big.Rat
	for _, loads := range states {
		time := new(big.Rat)
		for i, load := range loads {
			if load == 0 {
				continue
			}
			count := p.links[i].Count
			each := big.NewRat(p.size*int64((load+count-1)/count), int64(chunks)*p.speed[i].Bandwidth)
			if each.Add(each, big.NewRat(p.speed[i].Latency, 1)); each.Cmp(time) > 0 {
				time = each
			}
		}
		if best == nil || time.Cmp(best) < 0 {
			best = time
		}
	}
	return best
}

// dealChunks calls visit with every way to add chunks to the loads of some links.
func dealChunks(loads, links []int, chunks int, visit func(loads []int)) {
	if len(links) == 0 {
		if chunks == 0 {
			visit(loads)
		}
		return
	}
	for c := range chunks + 1 {
		loads[links[0]] += c
		dealChunks(loads, links[1:], chunks-c, visit)
		loads[links[0]] -= c
	}
}

// TestWholeChunksEqualTheIntegerProgram: maximum flows are integral, so that bfb solves the
// program exactly which Zhao et al. round, even with unequal links and latencies.
func TestWholeChunksEqualTheIntegerProgram(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	for trial := range 150 {
		g := randomDigraph(r, 2+r.IntN(6), 3)
		opts := bfb.Options{Chunks: 1 + r.IntN(3)}
		if trial%2 == 0 {
			opts.Shard = int64(1 + r.IntN(9))
			for range g.Bundles() {
				opts.Links = append(opts.Links, bfb.Link{Bandwidth: int64(1 + r.IntN(4)), Latency: int64(r.IntN(3) * (trial % 3))})
			}
		}
		s := solve(t, g, opts)
		dist := distances(g)
		for step := 1; step <= s.Steps; step++ {
			worst := new(big.Rat)
			for u := range g.Nodes() {
				p := newProgram(g, dist, u, step, opts.Links, max(1, opts.Shard))
				if len(p.shards) == 0 {
					continue
				}
				if time := p.wholeChunks(opts.Chunks); worst.Cmp(time) < 0 {
					worst = time
				}
			}
			if s.PerStep[step-1].Cmp(worst) != 0 {
				t.Fatalf("%s, %d chunks, links %v: step %d takes %v, by the integer program %v", g.Name(), opts.Chunks, opts.Links, step, s.PerStep[step-1], worst)
			}
		}
	}
}

func TestChunksTravelWhole(t *testing.T) {
	for _, expr := range families {
		g := parse(t, expr)
		for _, chunks := range []int{1, 2, 3, 7} {
			for step, x := range solve(t, g, bfb.Options{Chunks: chunks}).All() {
				if int64(chunks)%x.From.Den != 0 || int64(chunks)%x.To.Den != 0 {
					t.Fatalf("%s with %d chunks, step %d: %v", expr, chunks, step, x)
				}
			}
		}
	}
}

// TestTheorem20BoundsWholeChunks checks the bound of Zhao et al. on what rounding costs,
// d(d^D - 1)/((d-1)PN), and the sharper one for the exact optimum: less than one chunk
// per step, so less than D d/(PN).
func TestTheorem20BoundsWholeChunks(t *testing.T) {
	for _, expr := range families {
		g := parse(t, expr)
		steps, fluid := cost(t, g)
		n, d := int64(g.Nodes()), int64(g.Degree())
		for _, chunks := range []int{1, 2, 5, 12, 720720} {
			s := solve(t, g, bfb.Options{Chunks: chunks})
			loss := new(big.Rat).Sub(s.Bandwidth, fluid)
			if loss.Sign() < 0 || loss.Cmp(big.NewRat(int64(steps)*d, int64(chunks)*n)) >= 0 {
				t.Errorf("%s with %d chunks: bandwidth %v, %v without", expr, chunks, s.Bandwidth, fluid)
			}
			if bound := theorem20(d, n, steps, chunks); loss.Cmp(bound) > 0 {
				t.Errorf("%s with %d chunks: %v more than without, above %v of Theorem 20", expr, chunks, loss, bound)
			}
			if chunks == 720720 && loss.Sign() != 0 { // a multiple of all numbers up to 16
				t.Errorf("%s with %d chunks: bandwidth %v, want %v as with any number", expr, chunks, s.Bandwidth, fluid)
			}
		}
	}
}

func theorem20(d, n int64, steps, chunks int) *big.Rat {
	total, power := new(big.Int), big.NewInt(1)
	for range steps {
		total.Add(total, power)
		power.Mul(power, big.NewInt(d))
	}
	return new(big.Rat).SetFrac(total.Mul(total, big.NewInt(d)), big.NewInt(int64(chunks)*n))
}

func TestOneChunkPerShard(t *testing.T) {
	// The farthest node of an even ring gets its shard over one link instead of half of
	// it over each, so that 1/2 of a step is lost.
	s := solve(t, topology.Circulant(8, 1), bfb.Options{Chunks: 1})
	if s.Bandwidth.Cmp(big.NewRat(1, 1)) != 0 || s.BandwidthOptimal {
		t.Errorf("Ring(8) with whole shards: %v, want 1", s.Bandwidth)
	}
}
