package bfb_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

func TestBadInputIsAnErrorOfOneLine(t *testing.T) {
	ring := topology.DirectedCirculant(4, 1)
	link := func(bandwidth, latency int64) []bfb.Link {
		return slices.Repeat([]bfb.Link{{Bandwidth: bandwidth, Latency: latency}}, 4)
	}
	odd := link(math.MaxInt64, 0)
	odd[1].Bandwidth--
	for _, c := range []struct {
		name string
		g    *topology.Graph
		opts bfb.Options
		want error
		text string
	}{
		{"no nodes", topology.New(0, "", nil), bfb.Options{}, bfb.ErrNotConnected, "no nodes"},
		{"no circuits", topology.New(3, "", nil), bfb.Options{}, bfb.ErrNotConnected, "node 0 cannot reach node 1"},
		{"one way", topology.New(3, "", []topology.Edge{{From: 0, To: 1, Count: 1}, {From: 1, To: 0, Count: 1}, {From: 0, To: 2, Count: 1}}), bfb.Options{},
			bfb.ErrNotConnected, "node 2 cannot reach node 0"},
		{"two parts", topology.DirectedCirculant(8, 4), bfb.Options{Op: bfb.AllReduce}, bfb.ErrNotConnected, "node 0 cannot reach node 1"},
		{"operation", ring, bfb.Options{Op: 7}, bfb.ErrOptions, "operation 7"},
		{"chunks", ring, bfb.Options{Chunks: -1}, bfb.ErrOptions, "-1 chunks"},
		{"many chunks", ring, bfb.Options{Chunks: bfb.MaxChunks + 1}, bfb.ErrOptions, "chunks"},
		{"shard without links", ring, bfb.Options{Shard: 1}, bfb.ErrOptions, "without links"},
		{"links without shard", ring, bfb.Options{Links: link(1, 0)}, bfb.ErrOptions, "shard of size 0"},
		{"links of another graph", ring, bfb.Options{Links: link(1, 0)[:3], Shard: 1}, bfb.ErrOptions, "3 links for the 4 bundles"},
		{"bandwidth", ring, bfb.Options{Links: link(0, 0), Shard: 1}, bfb.ErrOptions, "link 0 has bandwidth 0"},
		{"latency", ring, bfb.Options{Links: link(1, -1), Shard: 1}, bfb.ErrOptions, "latency -1"},
		{"bandwidths too fine", ring, bfb.Options{Links: odd, Shard: 1}, bfb.ErrOptions, "64 bits"},
		{"latency too large", ring, bfb.Options{Links: link(3, math.MaxInt64), Shard: 7}, bfb.ErrOptions, "64 bits"},
		{"shard too large", ring, bfb.Options{Links: link(2, 1), Shard: math.MaxInt64}, bfb.ErrOptions, "64 bits"},
		{"chunks too fine", ring, bfb.Options{Links: append(link(3, 5)[:3], bfb.Link{Bandwidth: 1 << 21}), Shard: 7, Chunks: bfb.MaxChunks}, bfb.ErrOptions, "64 bits"},
	} {
		s, err := bfb.Solve(context.Background(), c.g, c.opts)
		if s != nil || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %v with %q", c.name, err, c.want, c.text)
		}
	}
	if _, _, err := bfb.Cost(context.Background(), topology.New(2, "", nil), bfb.AllGather); !errors.Is(err, bfb.ErrNotConnected) {
		t.Errorf("cost of a graph without circuits: %v", err)
	}
}

// TestLargestNumbers: at the limits nothing overflows.
func TestLargestNumbers(t *testing.T) {
	g := topology.Circulant(8, 1)
	s := solve(t, g, bfb.Options{Chunks: bfb.MaxChunks})
	if s.Bandwidth.String() != "7/8" {
		t.Errorf("Ring(8) with 2^40 chunks: %v, want 7/8", s.Bandwidth)
	}
	checkData(t, g, bfb.Options{Chunks: bfb.MaxChunks})
	// A common factor of all bandwidths, and of all times, costs nothing.
	links := slices.Repeat([]bfb.Link{{Bandwidth: math.MaxInt64}}, g.Bundles())
	s = solve(t, g, bfb.Options{Links: links, Shard: math.MaxInt64})
	if s.Time.String() != "7/2" {
		t.Errorf("Ring(8) with the largest links: %v, want 7/2", s.Time)
	}
}

func TestSingleNodeHasNothingToDo(t *testing.T) {
	for _, g := range []*topology.Graph{topology.New(1, "", nil), topology.New(1, "", []topology.Edge{{From: 0, To: 0, Count: 2}})} {
		s := solve(t, g, bfb.Options{Op: bfb.AllReduce})
		for range s.All() {
			t.Error("a transfer")
		}
		if s.Steps != 0 || s.Bandwidth.Sign() != 0 || !s.BandwidthOptimal {
			t.Errorf("%d steps, bandwidth %v", s.Steps, s.Bandwidth)
		}
	}
}

func TestStopsWhenTheContextIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	_, err := bfb.Solve(ctx, topology.Torus(40, 40), bfb.Options{NoSymmetry: true, Progress: func(done, total int) {
		calls++
		cancel()
	}})
	if !errors.Is(err, context.Canceled) || calls == 0 || calls > 800 {
		t.Errorf("%v after %d of 1600 nodes", err, calls)
	}
	// Balls look at the context too.
	if _, err := bfb.Solve(ctx, topology.GenKautz(4, 500), bfb.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("done before the start: %v", err)
	}
}

func TestProgressEndsAtTheTotal(t *testing.T) {
	for _, expr := range []string{"Torus(5,6)", "GenKautz(3,50)", "GenKautz(9,50)"} {
		for _, no := range []bool{false, true} {
			last, all := 0, 0
			solve(t, parse(t, expr), bfb.Options{Op: bfb.AllReduce, NoSymmetry: no, Progress: func(done, total int) {
				if done <= last || done > total {
					t.Errorf("%s: %d after %d of %d", expr, done, last, total)
				}
				last, all = done, total
			}})
			if last == 0 || last != all {
				t.Errorf("%s: ends at %d of %d", expr, last, all)
			}
		}
	}
}

func TestOpNames(t *testing.T) {
	for op, want := range map[bfb.Op]string{bfb.AllGather: "allgather", bfb.ReduceScatter: "reducescatter", bfb.AllReduce: "allreduce", 9: "Op(9)"} {
		if op.String() != want {
			t.Errorf("%v, want %s", op, want)
		}
	}
}

// TestRoundedLinksAreNearExactOnes: every link needs more than 64 bits and differs slightly
// from one that does not. The time is that of the latter to within the stated rounding, and
// never less than the exact fraction of it that the perturbation allows.
func TestRoundedLinksAreNearExactOnes(t *testing.T) {
	draw := rand.New(rand.NewPCG(18, 1))
	const scale = 1 << 36
	for range 60 {
		g := topology.DirectedCirculant(4+draw.IntN(9), 1, 2)
		plain, odd := make([]bfb.Link, g.Bundles()), make([]bfb.Link, g.Bundles())
		for i := range plain {
			plain[i] = bfb.Link{Bandwidth: 1 + draw.Int64N(9), Latency: draw.Int64N(50)}
			// Bandwidths without a common divisor, at most 9/2^36 below the plain ones.
			odd[i] = bfb.Link{Bandwidth: plain[i].Bandwidth*scale - 2*draw.Int64N(5) - 1, Latency: plain[i].Latency}
		}
		op := bfb.Op(draw.IntN(3))
		shard := 1 + draw.Int64N(1000)
		if _, err := bfb.Solve(t.Context(), g, bfb.Options{Op: op, Links: odd, Shard: shard * scale}); !errors.Is(err, bfb.ErrOptions) {
			t.Fatalf("64 bits suffice: %v", err)
		}
		exact := solve(t, g, bfb.Options{Op: op, Links: plain, Shard: shard, Round: true})
		rounded := solve(t, g, bfb.Options{Op: op, Links: odd, Shard: shard * scale, Round: true})
		if exact.Rounded != 0 || rounded.Rounded <= 0 || rounded.Rounded > 1e-3 {
			t.Errorf("%v: rounded by %g and %g", g, exact.Rounded, rounded.Rounded)
		}
		want, _ := exact.Time.Float64()
		got, _ := rounded.Time.Float64()
		if got < want*(1-1e-15) || got > want*(1+rounded.Rounded+1e-9) {
			t.Errorf("%v: %g, exact %g, rounded by %g", g, got, want, rounded.Rounded)
		}
	}
	// A link 2^30 times as fast as another one cannot be represented together with it.
	g := topology.DirectedCirculant(3, 1)
	far := []bfb.Link{{Bandwidth: 3, Latency: 2}, {Bandwidth: 1<<40 + 1}, {Bandwidth: 5}}
	if _, err := bfb.Solve(t.Context(), g, bfb.Options{Links: far, Shard: math.MaxInt64, Round: true}); !errors.Is(err, bfb.ErrOptions) {
		t.Errorf("links that are too far apart: %v", err)
	}
}
