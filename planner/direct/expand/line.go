package expand

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// Line returns the schedule that Zhao et al., Definition 2, construct for Line(G,k) out
// of one for G: in a new first step every node sends its shard to its neighbours, and
// then shards of nodes (v', v) travel as those of v do, one hop behind. Steps grow by k,
// and in a d-regular graph of N nodes bandwidth by at most 1/N + .. + 1/(d^(k-1) N)
// (Corollary 1.1); the figures are those of the transfers themselves.
//
// What the paper leaves open: parallel circuits become separate nodes, and a transfer over them
// is cut into as many equal slices.
//
// Computing the figures streams the schedule for Line(G,k-1).
func Line(ctx context.Context, a *Allgather, k int) (*Allgather, error) {
	return lines(ctx, a, k, lineOnce)
}

// lineOfTranspose returns, for a schedule of the transpose of G, one for the transpose of
// Line(G,k). That is Line of the transpose of G, except for the order in which the circuits of
// G are numbered.
func lineOfTranspose(ctx context.Context, a *Allgather, k int) (*Allgather, error) {
	return lines(ctx, a, k, lineOnceOfTranspose)
}

func lines(ctx context.Context, a *Allgather, k int, expand func(context.Context, *Allgather) (*Allgather, error)) (*Allgather, error) {
	if k < 1 {
		return nil, fmt.Errorf("%w: a line graph is taken at least once, not %d times", ErrInput, k)
	}
	if err := lineFits(a.Graph, k); err != nil {
		return nil, err
	}
	line := *a
	for range k {
		next, err := expand(ctx, &line)
		if err != nil {
			return nil, err
		}
		if next.Graph.Equal(line.Graph) {
			break // A cycle is its own line graph, however often it is taken.
		}
		line = *next
	}
	line.Graph = line.Graph.Named(fmt.Sprintf("Line(%s,%d)", a.Graph.Name(), k))
	line.Method = "line"
	line.Derivation = fmt.Sprintf("Line(%s,%d)", a.Derivation, k)
	return &line, nil
}

func lineOnce(ctx context.Context, a *Allgather) (*Allgather, error) {
	s := newLineSource(a)
	perStep, err := s.loads(ctx, a.Steps)
	if err != nil {
		return nil, err
	}
	g := topology.LineGraph(a.Graph, 1)
	return newAllgather(g, perStep, Allgather{source: s, grain: a.grain * s.parallel, Derivation: g.Name()})
}

// lineFits checks that Line(G,k) is within the limits of package topology. Its nodes are
// the walks of k circuits in G, and its circuits those of k+1.
func lineFits(g *topology.Graph, k int) error {
	if g.Circuits() == 0 {
		return fmt.Errorf("%w: the line graph of %s, which has no circuits, has no nodes", ErrInput, g.Name())
	}
	walks := slices.Repeat([]int64{1}, g.Nodes()) // walks of a length, by their start
	for circuits := 0; circuits <= k; circuits++ {
		longer := make([]int64, g.Nodes())
		all := int64(0)
		for e := range g.Edges() {
			// A node has at most 2^26 walks, and a bundle 2^31 circuits.
			longer[e.From] += int64(e.Count) * walks[e.To]
			all += int64(e.Count) * walks[e.To]
			if all > topology.MaxCircuits || circuits < k && all > topology.MaxNodes {
				return fmt.Errorf("%w: Line(%s,%d) would have more than %d nodes or %d circuits", ErrTooLarge, g.Name(), k, topology.MaxNodes, topology.MaxCircuits)
			}
		}
		if slices.Equal(longer, walks) {
			break // there are no more of the longer walks
		}
		walks = longer
	}
	return nil
}

// lineOnceOfTranspose renumbers: node (v, u) of the line graph of the transpose is node
// (u, v) of the line graph.
func lineOnceOfTranspose(ctx context.Context, a *Allgather) (*Allgather, error) {
	line, err := lineOnce(ctx, a)
	if err != nil {
		return nil, err
	}
	turned := a.Graph.Transpose("")
	first := firstCircuits(turned)
	mapping := make([]int, 0, line.Nodes)
	for e := range a.Graph.Edges() {
		for i := range e.Count {
			mapping = append(mapping, int(first[turned.Find(e.To, e.From)])+i)
		}
	}
	g := topology.LineGraph(turned, 1).Transpose("Transpose(" + line.Graph.Name() + ")")
	return Relabel(line, g, mapping)
}

// firstCircuits returns, for every bundle and one past the last, the number of its first
// circuit: topology.LineGraph numbers circuits in the order of Edges.
func firstCircuits(g *topology.Graph) []int32 {
	first := make([]int32, 1, g.Bundles()+1)
	for e := range g.Edges() {
		first = append(first, first[len(first)-1]+int32(e.Count))
	}
	return first
}

// lineSource computes the transfers on the line graph of g.
type lineSource struct {
	base     source
	g        *topology.Graph
	circuits []int64 // of every bundle
	parallel int64   // most circuits of a bundle
	first    []int32 // circuit of every bundle
	inStart  []int32 // circuits into v are in[inStart[v]:inStart[v+1]], ascending
	in       []int32
}

func newLineSource(a *Allgather) *lineSource {
	g := a.Graph
	s := &lineSource{base: a.source, g: g, circuits: bundleSizes(g), parallel: 1, first: firstCircuits(g)}
	s.inStart = make([]int32, g.Nodes()+1)
	for v, degree := range g.InDegrees() {
		s.inStart[v+1] = s.inStart[v] + int32(degree)
	}
	s.in = make([]int32, g.Circuits())
	next := slices.Clone(s.inStart)
	bundle := 0
	for e := range g.Edges() {
		for i := range int32(e.Count) {
			s.in[next[e.To]] = s.first[bundle] + i
			next[e.To]++
		}
		s.parallel = max(s.parallel, int64(e.Count))
		bundle++
	}
	return s
}

// out returns the circuits that leave v as a range.
func (s *lineSource) out(v int) (from, to int32) {
	return s.first[s.g.RowStart(v)], s.first[s.g.RowStart(v+1)]
}

// into returns the circuits that enter v.
func (s *lineSource) into(v int) []int32 { return s.in[s.inStart[v]:s.inStart[v+1]] }

func (s *lineSource) stream(first, last int, yield emit) bool {
	if first == 1 && !s.ownShards(yield) {
		return false
	}
	if last == 1 {
		return true
	}
	return s.base.stream(max(first, 2)-1, last-1, func(step int, t bfb.Transfer) bool {
		return s.follow(step+1, t, yield)
	})
}

// ownShards yields the first step.
func (s *lineSource) ownShards(yield emit) bool {
	for v := range s.g.Nodes() {
		from, to := s.out(v)
		for dst := from; dst < to; dst++ {
			for _, src := range s.into(v) {
				if src != dst && !yield(1, bfb.Transfer{Shard: int(src), Src: int(src), Dst: int(dst), From: zero, To: one}) {
					return false
				}
			}
		}
	}
	return true
}

// follow yields what a transfer of the base becomes. The shard of v stands for the shards of
// all circuits into v. The circuits that carry it pass these on to all circuits that follow
// them, but to none its own shard.
func (s *lineSource) follow(step int, t bfb.Transfer, yield emit) bool {
	bundle := s.g.Find(t.Src, t.Dst)
	from, to := s.out(t.Dst)
	parallel := s.circuits[bundle]
	for i := range parallel {
		x := bfb.Transfer{Src: int(s.first[bundle]) + int(i)}
		x.From, x.To = slice(t.From, t.To, i, parallel)
		for dst := from; dst < to; dst++ {
			x.Dst = int(dst)
			for _, shard := range s.into(t.Shard) {
				if x.Shard = int(shard); shard != dst && !yield(step, x) {
					return false
				}
			}
		}
	}
	return true
}

// loads returns the load of the busiest circuit in each step, from the transfers of the
// base. A circuit from (u, w) to (w, x) carries, for every shard of v that the base sends
// from u to w, those of all circuits into v, except that of (w, x) itself if v is x.
//
// Deviation from Theorem 1, which drops the exception and so gives an upper bound.
func (s *lineSource) loads(ctx context.Context, steps int) ([]*big.Rat, error) {
	if s.g.Circuits() < 2 {
		return nil, nil // a single node, which has everything
	}
	perStep := []*big.Rat{big.NewRat(1, 1)}
	bundles := s.g.Bundles()
	back := s.returns()
	err := tally(ctx, s.base, steps, int(back[bundles]), func(row []total, t bfb.Transfer) {
		bundle := s.g.Find(t.Src, t.Dst)
		a, b, den := together(t.From, t.To)
		row[bundle].add((b-a)*int64(len(s.into(t.Shard))), den)
		if out := s.g.Find(t.Dst, t.Shard); out >= 0 {
			row[int(back[bundle])+out-s.g.RowStart(t.Dst)].add(b-a, den)
		}
	}, func(row []total) {
		var top peak
		for bundle := range bundles {
			load := row[bundle].minus(least(row[back[bundle]:back[bundle+1]]))
			top.raise(&load, s.circuits[bundle])
		}
		perStep = append(perStep, top.rat())
	})
	return perStep, err
}

// returns lays out the row of sums of a step. First comes what each bundle (u, w) carries. Then
// come, for each bundle, the amounts of that which are shards of each target of w, in the order
// of Row(w). The result is where these amounts begin for each bundle, and one place past the
// last.
func (s *lineSource) returns() []int32 {
	back := make([]int32, 1, s.g.Bundles()+1)
	back[0] = int32(s.g.Bundles())
	for e := range s.g.Edges() {
		targets, _ := s.g.Row(e.To)
		back = append(back, back[len(back)-1]+int32(len(targets)))
	}
	return back
}

// least returns the smallest of some sums. There is one, since every node of a strongly
// connected graph has a target.
func least(sums []total) *total {
	smallest := &sums[0]
	for i := range sums {
		if sums[i].less(smallest) {
			smallest = &sums[i]
		}
	}
	return smallest
}
