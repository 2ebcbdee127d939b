package resized

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
)

// sizing makes forms larger or smaller, by one GPU after the other.
type sizing struct {
	fabric *fabric.Fabric
	bytes  float64 // of the vector
	alike  bool    // all GPUs do the same in the form to begin with
}

// time returns how long a form takes, without what the fabric charges for reducing and for
// store-and-forward. Plans are priced in full once they are made.
func (s *sizing) time(f *form) float64 {
	chunks := arithmetic.Sum(f.weight)
	perChunk := float64(s.fabric.Bandwidth.Transmit(s.bytes / float64(chunks)))
	wait, _ := s.fabric.UniformWait()
	sum := 0.0
	for i, l := range f.layers {
		if i > 0 && !l.graph.Equal(f.layers[i-1].graph) {
			sum += float64(wait)
		}
		load := make([]float64, l.graph.Bundles())
		for _, moves := range l.steps {
			clear(load)
			hops, most := 0, 0.0
			for k := range moves {
				m := &moves[k]
				bytes := f.bytes(m)
				for _, r := range m.routes {
					hops = max(hops, len(r.Path)-1)
					for h := 1; h < len(r.Path); h++ {
						u, v := int(r.Path[h-1]), int(r.Path[h])
						e := l.graph.Find(u, v)
						load[e] += bytes * r.Share / float64(l.graph.Count(u, v))
						most = max(most, load[e])
					}
				}
			}
			sum += float64(s.fabric.Alpha.Time()) + float64(s.fabric.Delta.Time())*float64(hops) + perChunk*most
		}
	}
	return sum
}

// mostHops bounds the work on one more GPU: the hops of all routes of all forms that are compared.
const mostHops = 1 << 19

// tries returns how many of a number of forms like f are compared.
func tries(f *form, all int) int {
	hops := 1
	for _, l := range f.layers {
		for _, moves := range l.steps {
			for i := range moves {
				for _, r := range moves[i].routes {
					hops += len(r.Path) + len(moves[i].classes)
				}
			}
		}
	}
	return min(all, max(1, mostHops/hops))
}

// grow adds a number of GPUs; it returns nil if that is impossible.
func (s *sizing) grow(ctx context.Context, f *form, count int) (*form, error) {
	for i := range count {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if f = s.larger(f, s.alike && i == 0); f == nil {
			return nil, nil
		}
	}
	return f, nil
}

// larger returns the fastest form with one more GPU. It tries the circuits of the first stage, of
// the last one, and whether the new GPU has steps of its own, one after the other. Once a GPU is
// inserted into a circuit, it tries the same for its other ports.
func (s *sizing) larger(f *form, alike bool) *form {
	g := newGrower(f)
	var best *form
	var at place
	var least float64
	try := func(p place) bool {
		made := g.grown(p, s.fabric.Duplex)
		if made == nil {
			return false
		}
		if time := s.time(made); best == nil || time < least {
			best, least, at = made, time, p
			return true
		}
		return false
	}
	slots := s.fabric.Ports
	if s.fabric.Duplex {
		slots /= 2
	}
	last := len(f.layers) - 1
	begin, end := s.bundles(f, 0, alike), s.bundles(f, last, alike)
	for round := range slots {
		found, base := false, at
		for _, e := range begin {
			p := base
			p.first = append(slices.Clip(base.first), e)
			if last > 0 && round == 0 {
				p.last = end[:1]
			}
			found = taken(f, 0, p.first, s.fabric.Duplex) && try(p) || found
		}
		for _, e := range end {
			if last == 0 || best == nil {
				break
			}
			p := at
			p.last = append(slices.Clip(p.last[:round]), e)
			found = taken(f, last, p.last, s.fabric.Duplex) && try(p) || found
		}
		if !found {
			break
		}
	}
	if best == nil {
		return nil
	}
	p := at
	p.firstApart = true
	try(p)
	p = at
	p.lastApart = true
	try(p)
	return best
}

// taken reports whether a layer has the circuits that a new GPU is inserted into.
func taken(f *form, layer int, at [][2]int, twoWay bool) bool {
	used := map[[2]int]int{}
	for _, e := range at {
		if used[e]++; used[e] > f.layers[layer].graph.Count(e[0], e[1]) {
			return false
		}
		if back := [2]int{e[1], e[0]}; twoWay && used[back] > 0 {
			return false
		}
	}
	return true
}

// bundles lists bundles of a layer's circuits that a GPU may be inserted into: one of each kind
// if all GPUs do the same, otherwise all, or as many as the work allows.
func (s *sizing) bundles(f *form, layer int, alike bool) [][2]int {
	var all [][2]int
	for e := range f.layers[layer].graph.Edges() {
		if e.From == e.To || alike && e.From > 0 || s.fabric.Duplex && !alike && e.From > e.To {
			continue
		}
		all = append(all, [2]int{e.From, e.To})
	}
	count := tries(f, len(all))
	return each.Below(count, func(i int) [2]int { return all[i*len(all)/count] })
}

// shrink leaves out a number of GPUs, at even distances; it returns nil if that is impossible.
func (s *sizing) shrink(ctx context.Context, f *form, count int) (*form, error) {
	nodes := f.nodes
	for i := count - 1; i >= 0; i-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if f = s.smaller(f, i*nodes/count); f == nil {
			return nil, nil
		}
	}
	return f, nil
}

// smaller returns the fastest form without a GPU, whose part one of its neighbours takes over.
func (s *sizing) smaller(f *form, gone int) *form {
	var best *form
	var least float64
	graph := f.layers[0].graph
	for h := range f.nodes {
		if h == gone || graph.Count(h, gone) == 0 && graph.Count(gone, h) == 0 {
			continue
		}
		made := f.shrunk(gone, h, s.fabric.Duplex)
		if made == nil {
			continue
		}
		if time := s.time(made); best == nil || time < least {
			best, least = made, time
		}
	}
	return best
}
