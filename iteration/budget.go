package iteration

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// Budget divides a time by what it is spent on. Its parts add up to the time.
type Budget struct {
	Compute units.Time `json:"compute_ns"`
	// Communication is exposed communication, by kind of group: nothing is computed meanwhile.
	Communication map[string]units.Time `json:"communication_ns"`
	// Rewiring is exposed rewiring, including that within collectives: nothing is computed or
	// communicated meanwhile.
	Rewiring units.Time `json:"rewiring_ns"`
	// Waits is waiting for ports that others use, and for a class also waiting for other classes.
	Waits units.Time `json:"waits_ns"`
}

// Total returns the sum of the parts.
func (b *Budget) Total() units.Time {
	total := b.Compute + b.Rewiring + b.Waits
	for _, kind := range Kinds(b.Communication) {
		total += b.Communication[kind]
	}
	return total
}

// Kinds lists the keys of a budget in order.
func Kinds(times map[string]units.Time) []string {
	list := make([]string, 0, len(times))
	list = slices.AppendSeq(list, maps.Keys(times))
	slices.Sort(list)
	return list
}

// ClassBudget says how the ranks of a class spend the iteration.
type ClassBudget struct {
	Name  string `json:"name,omitempty"`
	Ranks string `json:"ranks"`
	Budget
	// These go on while the ranks compute or communicate otherwise, or wait for others anyway.
	HiddenCommunication map[string]units.Time `json:"hidden_communication_ns"`
	HiddenRewiring      units.Time            `json:"hidden_rewiring_ns"`
}

// activity is a reason why a class is busy.
type activity int

const (
	computing activity = iota
	communicating
	darkWithin // a collective changes circuits, so it sends nothing
	rewiring   // ports change
	delaying   // ports change, and an operation waits for them
)

// busy is a time during which a class is busy.
type busy struct {
	span
	activity
	kind string
	end  units.Time // of the communication that it belongs to
}

// classes computes how every class spends the iteration.
func (l *linkedDocument) classes() []ClassBudget {
	of := make([][]busy, len(l.Classes))
	enter := func(class int, s span, a activity, kind string, end units.Time) {
		for _, part := range l.folded(s) {
			of[class] = append(of[class], busy{part, a, kind, end})
		}
	}
	last := units.Time(0) // the next iteration waits for anything later
	if n := len(l.byEnd); n > 0 {
		last = l.at(l.byEnd[n-1]).End
	}
	for i := range l.nodes {
		n, o := &l.nodes[i], &l.Ops[l.op[i]]
		at := span{o.Start, o.End}
		if !l.communicates(i) {
			enter(n.Class, at, computing, "", 0)
			continue
		}
		for _, class := range slices.Compact(slices.Sorted(slices.Values(n.Classes))) {
			enter(class, at, communicating, l.kind(i), o.End)
			for _, dark := range l.dark[o.Plan] {
				enter(class, span{o.Start + dark.start, o.Start + dark.end}, darkWithin, l.kind(i), o.End)
			}
		}
	}
	for i := range l.Changes {
		c := &l.Changes[i]
		seen := map[int]bool{}
		for _, lane := range c.Lanes {
			if seen[lane[0]] {
				continue
			}
			seen[lane[0]] = true
			enter(lane[0], span{c.Start, c.End}, rewiring, "", 0)
			enter(lane[0], span{c.End - min(c.Exposed, c.End-c.Start), c.End}, delaying, "", 0)
			for _, part := range l.folded(span{c.Start, c.End}) {
				enter(lane[0], span{max(last, part.start), part.end}, delaying, "", 0)
			}
		}
	}
	list := make([]ClassBudget, len(l.Classes))
	for c := range list {
		list[c] = spend(of[c], l.Iteration)
		list[c].Name, list[c].Ranks = l.Classes[c].Name, l.Classes[c].Ranks.String()
	}
	return list
}

// folded moves a time into the iteration: what lies before or after it takes place at the same
// point of the previous or the next iteration.
func (l *linkedDocument) folded(s span) []span {
	if !(s.end > s.start) || !(l.Iteration > 0) {
		return nil
	}
	if s.end-s.start >= l.Iteration {
		return []span{{0, l.Iteration}}
	}
	shift := units.Time(math.Floor(float64(s.start/l.Iteration))) * l.Iteration
	s.start, s.end = s.start-shift, s.end-shift
	if s.end <= l.Iteration {
		return []span{s}
	}
	return []span{{s.start, l.Iteration}, {0, s.end - l.Iteration}}
}

// spend divides the time from 0 to an end by what a class is busy with. Computing comes first,
// then communication, then changes that delay an operation; among several kinds that
// communicate, the one that ends last.
func spend(list []busy, end units.Time) ClassBudget {
	b := ClassBudget{Budget: Budget{Communication: map[string]units.Time{}}, HiddenCommunication: map[string]units.Time{}}
	type edge struct {
		at    units.Time
		which int
		start bool
	}
	var edges []edge
	for i := range list {
		edges = append(edges, edge{list[i].start, i, true}, edge{list[i].span.end, i, false})
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	under := map[int]bool{}
	at := units.Time(0)
	for i := 0; i <= len(edges); i++ {
		to := end
		if i < len(edges) {
			to = min(end, edges[i].at)
		}
		if to > at {
			b.add(list, under, to-at)
			at = to
		}
		if i < len(edges) {
			if edges[i].start {
				under[edges[i].which] = true
			} else {
				delete(under, edges[i].which)
			}
		}
	}
	return b
}

// add adds a time during which some of the list are under way.
func (b *ClassBudget) add(list []busy, under map[int]bool, time units.Time) {
	var on [delaying + 1]bool
	kinds := map[string]units.Time{} // kinds that communicate, with the end of the last of each
	for i := range under {
		on[list[i].activity] = true
		if list[i].activity == communicating {
			kinds[list[i].kind] = max(kinds[list[i].kind], list[i].end)
		}
	}
	exposed := ""
	switch {
	case on[computing]:
		b.Compute += time
	case len(kinds) == 1 && on[darkWithin]:
		b.Rewiring += time
		exposed = Kinds(kinds)[0] // it is not hidden either
	case len(kinds) > 0:
		for _, kind := range Kinds(kinds) {
			if exposed == "" || kinds[kind] > kinds[exposed] {
				exposed = kind
			}
		}
		b.Communication[exposed] += time
	case on[delaying]:
		b.Rewiring += time
	default:
		b.Waits += time
	}
	for kind := range kinds {
		if kind != exposed {
			b.HiddenCommunication[kind] += time
		}
	}
	if on[rewiring] && (!on[delaying] || on[computing] || len(kinds) > 0) {
		b.HiddenRewiring += time
	}
}
