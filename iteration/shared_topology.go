package iteration

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// shared is one topology for all ranks: from every rank u one or more circuits to u+j for each
// jump j. Traffic takes the largest jumps that fit.
type shared struct {
	ranks int
	jumps []int // descending, the last is 1
	width []int // circuits of each jump
	load  []float64
}

// maxShared limits the hops that are counted for one traffic pattern.
const maxShared = 1 << 26

// pattern returns the load of a step in which every pair sends a byte: bytes over the most
// loaded circuit, hops of the longest path, and the ranks on paths; ok is false if counting
// would take too long.
func (s *shared) pattern(pairs [][2]int) (load float64, hops int, passes []bool, ok bool) {
	if s.load == nil {
		s.load = make([]float64, s.ranks*len(s.jumps))
	}
	clear(s.load)
	passes = make([]bool, s.ranks)
	budget := maxShared
	for _, p := range pairs {
		at, left, count := p[0], arithmetic.Offset(p[0], p[1], s.ranks), 0
		passes[at] = true
		for k, jump := range s.jumps {
			for ; left >= jump; left -= jump {
				s.load[at*len(s.jumps)+k] += 1 / float64(s.width[k])
				load = max(load, s.load[at*len(s.jumps)+k])
				at = (at + jump) % s.ranks
				passes[at] = true
				count++
			}
		}
		hops = max(hops, count)
		if budget -= count; budget < 0 {
			return 0, 0, nil, false
		}
	}
	return load, hops, passes, true
}

// sharedStep is a step of a work on a shared topology: which places of a group send, how often
// and how many bytes. All works use a ring, except all-to-all, which uses shifts.
type sharedStep struct {
	shift   int // from place i to place i+shift
	times   int
	bytes   float64
	reduces int // repetitions in which what arrives is reduced
}

func (w *Work) sharedSteps() []sharedStep {
	n := len(w.Groups[0])
	part := float64(w.Size) / float64(n)
	switch w.Op {
	case "":
		return []sharedStep{{1, 1, float64(w.Size), 0}}
	case collective.AllToAll:
		demand, err := workload.Demand(w.Skew, n, w.Size)
		if err != nil {
			return nil // there are no plans either
		}
		var list []sharedStep
		for k := 1; k < n; k++ {
			most := part
			if demand != nil { // the largest pair determines the time of a step
				most = 0
				for i := range n {
					most = max(most, float64(demand[i][(i+k)%n]))
				}
			}
			list = append(list, sharedStep{k, 1, most, 0})
		}
		return list
	case collective.AllGather:
		return []sharedStep{{1, n - 1, part, 0}}
	case collective.ReduceScatter:
		return []sharedStep{{1, n - 1, part, n - 1}}
	case collective.AllReduce, collective.RootReduce:
		return []sharedStep{{1, 2 * (n - 1), part, n - 1}}
	default: // a reduce-scatter and an allgather, or a scatter and an allgather
		return []sharedStep{{1, 2 * (n - 1), part, 0}}
	}
}

// time returns how long a work takes on a shared topology, and which ranks it occupies.
func (s *shared) time(f *fabric.Fabric, w *Work) (total units.Time, passes []bool, ok bool) {
	passes = make([]bool, s.ranks)
	for _, step := range w.sharedSteps() {
		var pairs [][2]int
		for _, group := range w.Groups {
			if w.IsSend() {
				pairs = append(pairs, [2]int{group[0], group[1]})
				continue
			}
			for i, r := range group {
				pairs = append(pairs, [2]int{r, group[(i+step.shift)%len(group)]})
			}
		}
		load, hops, on, ok := s.pattern(pairs)
		if !ok {
			return 0, nil, false
		}
		bytes := f.Bandwidth.Transmit(load * step.bytes)
		if f.Forwarding == fabric.StoreAndForward {
			bytes *= units.Time(hops)
		}
		total += units.Time(step.times)*(f.Alpha.Time()+units.Time(hops)*f.Delta.Time()+bytes) + units.Time(step.reduces)*f.Gamma.Of(step.bytes)
		for r, is := range on {
			passes[r] = passes[r] || is
		}
	}
	return total, passes, true
}

// shareTopology adds the offers of the best shared topology. Its jumps are 1 and distances between
// consecutive members of groups.
func (m *repertory) shareTopology(ranks int, times []int) {
	if m.Lines.Duplex || ranks < 3 {
		return
	}
	everywhere := place{whole: true}
	everywhere.banks = append(everywhere.banks, arithmetic.UpTo(len(m.Lines.Banks))...)
	strides := m.strides(ranks)
	type offers struct {
		s    *shared
		time []units.Time
		on   [][]bool
		sum  units.Time
	}
	var best *offers
	alike := m.alike(ranks)
	var try func(from int, chosen []int)
	try = func(from int, chosen []int) {
		if o := (&offers{s: newShared(ranks, chosen, m.fabric.Ports)}); o.s != nil && m.canSetUp(&everywhere, 0, o.s.edges()) {
			fits := true
			for w := 0; w < len(m.program.Works) && fits && (best == nil || o.sum < best.sum); w++ {
				var time units.Time
				var on []bool
				if like := alike[w]; like.work < w {
					time, on = o.time[like.work], rotated(o.on[like.work], like.offset)
				} else {
					time, on, fits = o.s.time(m.fabric, &m.program.Works[w])
				}
				o.time, o.on = append(o.time, time), append(o.on, on)
				o.sum += units.Time(times[w]) * time
			}
			if fits && (best == nil || o.sum < best.sum) {
				best = o
			}
		}
		for i := from; i < len(strides) && len(chosen) < m.fabric.Ports; i++ {
			try(i+1, append(slices.Clone(chosen), strides[i]))
		}
	}
	try(0, []int{1})
	if best == nil {
		return
	}
	all := arithmetic.UpTo(len(m.program.Classes))
	c := m.circuits(Circuits{Name: fmt.Sprintf("jumps %v", best.s.jumps), Classes: all, Jumps: best.s.jumps, Width: best.s.width, Claims: m.claims(all, &everywhere, 0)}, nil)
	m.Shared = c
	for w := range m.program.Works {
		o := Offer{First: c, Last: c, Time: best.time[w], Ports: m.fabric.Ports}
		for k := range m.program.Classes {
			if slices.ContainsFunc(m.program.Classes[k].Ranks, func(r int) bool { return best.on[w][r] }) {
				for _, bank := range everywhere.banks {
					o.Uses = append(o.Uses, m.Lines.Out(k, bank), m.Lines.In(k, bank))
				}
			}
		}
		m.Offers[w] = append(m.Offers[w], o)
	}
}

// like refers to a work with the same groups, moved on by offset ranks. On a shared topology,
// which looks the same from every rank, both take the same time.
type like struct{ work, offset int }

// alike returns, for each work, the first work that it is like: itself, or an earlier one.
func (m *repertory) alike(ranks int) []like {
	list := make([]like, len(m.program.Works))
	for w := range m.program.Works {
		list[w] = like{work: w}
		for before := range w {
			if list[before].work < before {
				continue
			}
			if offset, ok := m.program.Works[before].movedTo(&m.program.Works[w], ranks); ok {
				list[w] = like{before, offset}
				break
			}
		}
	}
	return list
}

// movedTo reports whether another work is the same, and by how many ranks it is moved on.
func (w *Work) movedTo(o *Work, ranks int) (offset int, ok bool) {
	if w.Op != o.Op || w.Size != o.Size || w.Skew != o.Skew || len(w.Groups) != len(o.Groups) {
		return 0, false
	}
	offset = arithmetic.Offset(w.Groups[0][0], o.Groups[0][0], ranks)
	return offset, slices.EqualFunc(w.Groups, o.Groups, func(a, b []int) bool {
		return slices.EqualFunc(a, b, func(r, s int) bool { return (r+offset)%ranks == s })
	})
}

// rotated moves a list of ranks on by an offset.
func rotated(on []bool, offset int) []bool {
	return slices.Concat(on[len(on)-offset:], on[:len(on)-offset])
}

// newShared returns the topology of jumps on the given ports. Remaining circuits are given to
// the jumps in turn, first ones first.
func newShared(ranks int, jumps []int, ports int) *shared {
	if len(jumps) > ports {
		return nil
	}
	s := &shared{ranks: ranks, jumps: slices.Clone(jumps)}
	slices.Sort(s.jumps)
	slices.Reverse(s.jumps)
	s.width = make([]int, len(jumps))
	for i := range ports {
		s.width[len(jumps)-1-i%len(jumps)]++
	}
	return s
}

// edges lists the circuits of the topology.
func (s *shared) edges() []topology.Edge {
	var edges []topology.Edge
	for u := range s.ranks {
		for k, jump := range s.jumps {
			edges = append(edges, topology.Edge{From: u, To: (u + jump) % s.ranks, Count: s.width[k]})
		}
	}
	return edges
}

// strides lists the distances from members of groups to the next ones, the most frequent first.
func (m *repertory) strides(ranks int) []int {
	counts := map[int]int{}
	for w := range m.program.Works {
		for _, group := range m.program.Works[w].Groups {
			for i := 1; i < len(group); i++ {
				if d := arithmetic.Offset(group[i-1], group[i], ranks); d > 1 {
					counts[d]++
				}
			}
		}
	}
	list := slices.Collect(maps.Keys(counts))
	slices.SortFunc(list, func(a, b int) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return a - b
	})
	return list[:min(len(list), maxStrides)]
}

// maxStrides limits the distances that a shared topology may have.
const maxStrides = 6
