package chakra

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/heap"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// codes maps numbers in Chakra's schema to collectives. A barrier is an allreduce of a byte.
var codes = map[int64]collective.Op{
	0: collective.AllReduce, 1: collective.RootReduce, 2: collective.AllGather, 3: collective.Gather, 4: collective.Scatter,
	5: collective.Broadcast, 6: collective.AllToAll, 7: collective.ReduceScatter, 8: collective.ReduceScatter, barrier: collective.AllReduce,
}

const barrier = 9

// These attributes are specific to this package: values that other tools would round or do not
// know.
const (
	attrPicoseconds = "lightpath_ps"
	attrSize        = "lightpath_size"
	attrKind        = "lightpath_kind"
	attrSkew        = "lightpath_skew"  // for an all-to-all
	attrGroup       = "lightpath_group" // for a send or a receive
	attrChange      = "lightpath_change"
)

// step is a node of a rank that becomes an operation.
type step struct {
	node  *Node
	op    workload.Op
	group int   // -1: none
	after []int // steps of the same rank
}

// loader makes a workload from traces.
type loader struct {
	Options
	ranks  int
	groups []Group
	known  map[string]int // groups by name and ranks
	kindOf []string       // names in the traces of the groups' kinds
	steps  [][]step       // by rank
	notes  map[string]int
}

// load makes a workload from traces, with the groups of a file.
func load(ctx context.Context, traces []trace, listed []Group, o Options) (*workload.Workload, error) {
	l := &loader{Options: o, known: map[string]int{}, notes: map[string]int{}}
	if err := l.count(traces, listed); err != nil {
		return nil, err
	}
	if o.SPMD { // groups of other ranks are only in the file
		for _, g := range listed {
			l.group(g)
		}
	}
	l.steps = make([][]step, l.ranks)
	for _, t := range traces {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := l.trace(&t, listed); err != nil {
			return nil, fmt.Errorf("rank %d: %w", t.rank, err)
		}
	}
	named, of := l.kinds()
	if o.SPMD {
		l.spread(traces[0].rank)
	}
	w := &workload.Workload{Schema: workload.Schema, Ranks: l.ranks, Kinds: named, About: []string{fmt.Sprintf("%d Chakra traces", len(traces))}}
	if err := l.matchCollectives(w.Kinds, of); err != nil {
		return nil, err
	}
	if err := l.matchSends(); err != nil {
		return nil, err
	}
	l.program(w)
	for _, note := range slices.Sorted(maps.Keys(l.notes)) {
		w.About = append(w.About, fmt.Sprintf("%d %s", l.notes[note], note))
	}
	for name := range w.Kinds {
		if !l.uses(name) {
			delete(w.Kinds, name)
		}
	}
	return w, w.Validate()
}

// uses reports whether some operation is of a kind.
func (l *loader) uses(kind string) bool {
	for _, steps := range l.steps {
		for i := range steps {
			if steps[i].op.Kind == kind {
				return true
			}
		}
	}
	return false
}

// count determines the number of ranks.
func (l *loader) count(traces []trace, listed []Group) error {
	l.ranks = l.Ranks
	if l.SPMD {
		if len(traces) != 1 {
			return fmt.Errorf("%d traces; with SPMD there is one, for all ranks", len(traces))
		}
		if l.ranks == 0 {
			for _, g := range listed {
				for _, r := range g.Ranks {
					l.ranks = max(l.ranks, r+1)
				}
			}
		}
		if l.ranks == 0 {
			return fmt.Errorf("how many ranks there are is not known: no group lists them")
		}
		if traces[0].rank >= l.ranks {
			return fmt.Errorf("the trace is of rank %d of %d", traces[0].rank, l.ranks)
		}
	} else {
		for i, t := range traces {
			if t.rank != i {
				return fmt.Errorf("no trace of rank %d; one trace for all ranks is SPMD", i)
			}
		}
		if l.ranks != 0 && l.ranks != len(traces) {
			return fmt.Errorf("%d traces for %d ranks", len(traces), l.ranks)
		}
		l.ranks = len(traces)
	}
	if l.ranks < 1 || l.ranks > workload.MaxRanks {
		return fmt.Errorf("%d ranks; want 1 to %d", l.ranks, workload.MaxRanks)
	}
	for _, g := range listed {
		if n := len(g.Ranks); n > 0 && g.Ranks[n-1] >= l.ranks {
			return fmt.Errorf("group %.40q has rank %d of 0..%d", g.Name, g.Ranks[n-1], l.ranks-1)
		}
	}
	return nil
}

// group returns the number of a group. The same name with other ranks is another group, because
// ranks list only the groups that they are in.
func (l *loader) group(g Group) int {
	if g.Ranks == nil {
		g.Ranks = make([]int, l.ranks)
		for r := range g.Ranks {
			g.Ranks[r] = r
		}
	}
	key := fmt.Sprint(g.Name, g.Ranks)
	if at, known := l.known[key]; known {
		return at
	}
	l.known[key] = len(l.groups)
	l.groups, l.kindOf = append(l.groups, g), append(l.kindOf, "")
	return len(l.groups) - 1
}

// trace makes the steps of a rank, in an order in which each follows what it depends on; among
// several that could be next, the one with the lowest ID is.
func (l *loader) trace(t *trace, listed []Group) error {
	index := make(map[uint64]int, len(t.nodes))
	own := map[string]Group{}
	for _, g := range listed {
		own[g.Name] = g
	}
	for i := range t.nodes {
		n := &t.nodes[i]
		if j, twice := index[n.ID]; twice {
			return fmt.Errorf("nodes %q and %q have the same number %d", t.nodes[j].Name, n.Name, n.ID)
		}
		index[n.ID] = i
		if n.isGroups() {
			groups, err := n.groups()
			if err != nil {
				return fmt.Errorf("node %d: %w", n.ID, err)
			}
			for _, g := range groups {
				if _, given := own[g.Name]; !given {
					own[g.Name] = g
				}
			}
		}
	}
	order, err := l.sort(t, index)
	if err != nil {
		return err
	}
	steps := make([]step, 0, len(t.nodes))
	ends := make([][]int, len(t.nodes)) // by node: the steps that a follower waits for
	for _, i := range order {
		n := &t.nodes[i]
		var after []int
		for _, list := range [][]uint64{n.Ctrl, n.Deps} {
			for _, id := range list {
				if j, known := index[id]; known {
					after = append(after, ends[j]...)
				}
			}
		}
		slices.Sort(after)
		after = slices.Compact(after)
		s := step{node: n, after: after, group: -1}
		does, err := l.operation(&s, t.rank, own)
		if err != nil {
			return fmt.Errorf("node %d, %.60q: %w", n.ID, n.Name, err)
		}
		if !does {
			ends[i] = after
			continue
		}
		ends[i] = []int{len(steps)}
		steps = append(steps, s)
	}
	l.steps[t.rank] = steps
	return nil
}

// sort orders nodes by Kahn's algorithm.
func (l *loader) sort(t *trace, index map[uint64]int) ([]int, error) {
	waits := make([]int, len(t.nodes))
	follow := make([][]int, len(t.nodes))
	ready := heap.New(func(i, j *int) bool { return t.nodes[*i].ID < t.nodes[*j].ID })
	for i := range t.nodes {
		for _, list := range [][]uint64{t.nodes[i].Ctrl, t.nodes[i].Deps} {
			for _, id := range list {
				j, known := index[id]
				if !known {
					l.notes["dependencies on nodes that are not there, left out"]++
					continue
				}
				waits[i]++
				follow[j] = append(follow[j], i)
			}
		}
		if waits[i] == 0 {
			ready.Push(i)
		}
	}
	order := make([]int, 0, len(t.nodes))
	for ready.Len() > 0 {
		i := ready.Pop()
		order = append(order, i)
		for _, j := range follow[i] {
			if waits[j]--; waits[j] == 0 {
				ready.Push(j)
			}
		}
	}
	if len(order) < len(t.nodes) {
		for i := range waits {
			if waits[i] > 0 {
				return nil, fmt.Errorf("node %d, %.60q, waits for itself", t.nodes[i].ID, t.nodes[i].Name)
			}
		}
	}
	return order, nil
}

// operation makes the operation of a node, or reports that it does nothing that takes time.
func (l *loader) operation(s *step, rank int, own map[string]Group) (does bool, err error) {
	n := s.node
	s.op.ID = clean(n.Name)
	switch n.Type {
	case Comp:
		if a := n.Attr("is_cpu_op"); a != nil && a.Int != 0 {
			l.notes["computations of hosts, left out"]++
			return false, nil
		}
		d := l.takes(n)
		if d < 0 {
			return false, fmt.Errorf("takes more than 106 days")
		}
		s.op.Compute = &d
		return d > 0, nil
	case Collective:
		if n.Attr(attrChange) != nil {
			return false, nil
		}
		return true, l.collective(s, rank, own)
	case CommSend, CommRecv:
		other, name := n.Attr("comm_dst"), "comm_dst"
		if n.Type == CommRecv {
			other, name = n.Attr("comm_src"), "comm_src"
		}
		if other == nil || !other.IsInt() || other.Int < 0 || other.Int >= int64(l.ranks) || other.Int == int64(rank) {
			return false, fmt.Errorf("%s is none of the other ranks", name)
		}
		peer := workload.Peer{Rank: int(other.Int) - rank, Relative: true}
		if n.Type == CommSend {
			if s.op.SendTo = &peer; n.size() <= 0 {
				return false, fmt.Errorf("comm_size is missing, or not above 0")
			}
			s.op.Size = units.Bytes(n.size())
			if a := n.Attr(attrSize); a != nil && a.IsInt() && a.Int > 0 {
				s.op.Size = units.Bytes(a.Int)
			}
		} else {
			s.op.From = &peer
		}
		if g := n.Attr(attrGroup); g != nil {
			return true, l.join(s, rank, own, g.Text)
		}
		return true, nil
	case Invalid, Metadata, MemLoad, MemStore:
		return false, nil
	}
	return false, fmt.Errorf("a node of type %d", n.Type)
}

// takes returns how long a node computes, below 0 if that is too long.
func (l *loader) takes(n *Node) units.Duration {
	if a := n.Attr(attrPicoseconds); a != nil && a.IsInt() {
		return units.Duration(a.Int)
	}
	if n.Micros > 0 {
		const most = 1 << 43 // microseconds
		if n.Micros > most {
			return -1
		}
		return units.Duration(n.Micros) * units.Microsecond
	}
	if ops := n.Attr("num_ops"); ops != nil && ops.IsInt() && l.Speed.Flops > 0 {
		return l.Speed.Takes(float64(ops.Int), 0)
	}
	return 0
}

// size returns comm_size, 0 if there is none.
func (n *Node) size() int64 {
	if a := n.Attr("comm_size"); a != nil && a.IsInt() {
		return a.Int
	}
	return 0
}

// collective makes the operation of a collective. Its size in a trace is what a rank
// contributes, which for an allgather or a gather is only a part of the size in a workload.
func (l *loader) collective(s *step, rank int, own map[string]Group) error {
	n := s.node
	code := n.Attr("comm_type")
	if code == nil || !code.IsInt() || codes[code.Int] == "" {
		return fmt.Errorf("comm_type is none of the collectives")
	}
	name := "0" // all ranks
	if pg := n.Attr("pg_name"); pg != nil && pg.IsInt() {
		name = fmt.Sprint(pg.Int)
	} else if pg != nil {
		name = cmp.Or(pg.Text, name)
	}
	if err := l.join(s, rank, own, name); err != nil {
		return err
	}
	ranks := l.groups[s.group].Ranks
	s.op.Op, s.op.Size = codes[code.Int], units.Bytes(n.size())
	if code.Int == barrier {
		s.op.Size = 1
		l.notes["barriers, as allreduces of a byte"]++
	}
	if s.op.Op == collective.AllGather || s.op.Op == collective.Gather {
		s.op.Size *= units.Bytes(len(ranks))
	}
	if a := n.Attr(attrSize); a != nil && a.IsInt() {
		s.op.Size = units.Bytes(a.Int)
	}
	if size := n.Attr("comm_size"); s.op.Size == 0 && size != nil && size.IsInt() {
		s.op.Size = 1 // ranks must still wait for one another
		l.notes["collectives without bytes, as of one"]++
	}
	if a := n.Attr(attrSkew); a != nil && s.op.Op == collective.AllToAll {
		s.op.Skew = a.Text
	}
	if s.op.Size <= 0 {
		return fmt.Errorf("comm_size is missing, or below 0")
	}
	return nil
}

// join finds the group of a step by its name.
func (l *loader) join(s *step, rank int, own map[string]Group, name string) error {
	g, listed := own[name]
	if !listed && name != "0" {
		if len(own) == 0 {
			return fmt.Errorf("group %.40q is listed nowhere; want the groups in comm_group.json beside the traces, or say where they are", name)
		}
		return fmt.Errorf("group %.40q is listed nowhere", name)
	}
	g.Name = name
	s.group = l.group(g)
	if !slices.Contains(l.groups[s.group].Ranks, rank) {
		return fmt.Errorf("rank %d is not in group %.40q", rank, name)
	}
	if kind := s.node.Attr(attrKind); kind != nil {
		l.kindOf[s.group] = clean(kind.Text)
	}
	return nil
}

// clean converts a name to one that an operation may have. A * marks names that this package
// makes up.
func clean(name string) string {
	const most = 120
	name = strings.Map(func(r rune) rune {
		switch {
		case r == '/':
			return ':'
		case r == '*' || !unicode.IsPrint(r) || r == unicode.ReplacementChar:
			return '.'
		}
		return r
	}, name)
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "")
	}
	name = cmp.Or(name, "node")
	return name
}
