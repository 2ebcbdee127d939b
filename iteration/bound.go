package iteration

import (
	"cmp"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// least returns two lower bounds for every work. No plan in which ranks send over their own
// ports and islands takes less than alone. Its bytes keep all ports of a rank busy for at least
// busy.
func (m *repertory) least(w int) (alone, busy units.Time) {
	work := &m.program.Works[w]
	f := *m.fabric
	if work.IsSend() {
		alone = m.sends(work, 1, f.Ports)
		if time, ok := alwaysUp(m.fabric, work); ok {
			return min(alone, time), 0
		}
		return alone, f.Bandwidth.Transmit(float64(work.Size)) / units.Time(f.Ports)
	}
	f, err := m.fabricOf(m.groupOf(work))
	if err != nil {
		return 0, 0
	}
	section, err := work.section()
	if err != nil {
		return 0, 0
	}
	b := bound.OfOperation(&f, section)
	// The mean over ranks of several classes says nothing about any one of them.
	if !f.Tiered() && (work.Skew == "" || len(work.Classes) == 1) {
		busy = f.Bandwidth.Transmit(float64(work.bytes())) / units.Time(f.Ports)
	}
	return b.Total(), busy
}

// section returns what one group of a work does.
func (w *Work) section() (*collective.Section, error) {
	n := len(w.Groups[0])
	section := &collective.Section{Op: w.Op, Size: w.Size, Space: collective.SpaceOf(w.Op, n, 1)}
	if w.Skew != "" {
		demand, err := workload.Demand(w.Skew, n, w.Size)
		if err != nil {
			return nil, err
		}
		section.Space.Sizes, section.Size = demand, demand.Size()
	}
	return section, nil
}

// groupOf returns the fabric of a work's group, with all ports on one switch.
func (m *repertory) groupOf(w *Work) groupKey {
	return groupKey{nodes: len(w.Groups[0]), ports: m.fabric.Ports, island: m.inIsland(w), fixed: m.fixedOf(w.Groups)}
}

// boundOf returns the bound for a program on a fabric, without looking for ways to carry it
// out.
func boundOf(p *Program, f *fabric.Fabric) units.Time {
	m := &repertory{program: p, fabric: f, links: map[string]fabric.FixedLinks{}, Repertoire: &Repertoire{Delay: changeTime(f)}}
	return m.bound()
}

// bound returns a lower bound on iterations in which ranks communicate over their own ports and
// islands. It is the maximum of two: the longest chain, with every communication at its own
// bound for all ports; and for every class, from any time on, the bytes that its ports still
// have to send. Changes of circuits count if collectives of all ranks follow one another.
func (m *repertory) bound() units.Time {
	p := m.program
	alone, busy := make([]units.Time, len(p.Works)), make([]units.Time, len(p.Works))
	type sort struct {
		key     groupKey
		op      collective.Op
		size    units.Bytes
		skew    string
		several bool
	}
	known := map[sort]int{} // works for which the bounds are known
	for w := range p.Works {
		work := &p.Works[w]
		s := sort{m.groupOf(work), work.Op, work.Size, work.Skew, len(work.Classes) > 1}
		if first, ok := known[s]; ok && !work.IsSend() {
			alone[w], busy[w] = alone[first], busy[first]
			continue
		}
		known[s] = w
		alone[w], busy[w] = m.least(w)
	}
	time := func(j int) units.Time {
		if w := p.Jobs[j].Work; w != Computes {
			return alone[w]
		}
		return p.Jobs[j].Compute
	}
	longest, tails := p.chain(time)
	longest = max(longest, m.changes(time, alone, busy))
	heads := make([]units.Time, len(p.Jobs))
	byClass := make([][]int, len(p.Classes))
	for j := range p.Jobs {
		for _, before := range p.Jobs[j].After {
			heads[j] = max(heads[j], heads[before]+time(before))
		}
		w := p.Jobs[j].Work
		switch {
		case w == Computes || busy[w] == 0:
		case p.Works[w].IsSend():
			byClass[p.Works[w].Classes[0]] = append(byClass[p.Works[w].Classes[0]], j)
		default:
			for _, c := range p.Works[w].Classes {
				byClass[c] = append(byClass[c], j)
			}
		}
	}
	for _, jobs := range byClass {
		slices.SortFunc(jobs, func(a, b int) int { return cmp.Compare(heads[b], heads[a]) })
		sum, after := units.Time(0), units.Time(0)
		for i, j := range jobs {
			w := p.Jobs[j].Work
			sum += busy[w]
			if left := tails[j] - alone[w]; i == 0 || left < after {
				after = left
			}
			longest = max(longest, heads[j]+sum+after)
		}
	}
	return longest
}

// Consider two collectives of all ranks, one after the other, such that no two ranks are in a
// group together in both. What does each cost if circuits stay? A port that keeps its circuit
// throughout leads to a member of the rank's group in one of them, or in neither. Bytes that
// come to a rank from outside its group have come there before: one copy that an outsider has
// received serves as many circuits as leave it. So with c copies per delivery, the ports must
// carry 1+c times as much for what does not come directly. A port that serves both collectives
// directly has changed between them, and was dark for the delay; the time between the
// collectives hides a part of that.
//
// This is a bound for ranks that forward what others have reduced, without reducing it
// themselves.

// phase is one of two consecutive collectives.
type phase struct {
	alone  units.Time // lower bound on its time
	busy   units.Time // time for which its bytes keep all ports of a rank busy
	copies float64    // copies that an outsider receives per delivery from outside the group
}

// slope returns the time of a phase relative to that of its ports, if a fraction of them is
// direct.
func (p *phase) slope(direct float64) float64 {
	return (1 + p.copies) / (1 + p.copies*min(1, direct))
}

// resolution is the number of steps in which fractions of ports are considered.
const resolution = 48

// window returns a lower bound on the time of two phases together, given the part of a change's
// delay that is not hidden. It divides the fractions of ports that change, and of those that
// stay with the first phase, into cells, and takes the best corner of each term in every cell.
func window(a, b *phase, exposed units.Time) units.Time {
	least := units.Time(math.Inf(1))
	const step = 1.0 / resolution
	for i := range resolution {
		change := float64(i) * step
		for k := 0; float64(k)*step <= 1-change; k++ {
			first := float64(k) * step
			up, down := a.slope(first+change+2*step), b.slope(1-first)
			dark := units.Time(change) * exposed
			// Dark time goes first where a phase has to wait anyway, then where it costs less.
			free := max(0, a.alone/units.Time(up)-a.busy) + max(0, b.alone/units.Time(down)-b.busy)
			time := max(a.alone, units.Time(up)*a.busy) + max(b.alone, units.Time(down)*b.busy) + max(0, dark-free)*units.Time(min(up, down))
			least = min(least, time)
		}
	}
	return least
}

// changes lengthens the longest chain by the least cost of changing circuits, or of doing
// without changes. Every collective is part of at most one pair.
func (m *repertory) changes(time func(j int) units.Time, alone, busy []units.Time) units.Time {
	p := m.program
	phases := each.Below(len(p.Works), func(w int) *phase { return m.phase(w, alone[w], busy[w]) })
	type pair struct{ a, b int }
	apart, known := map[pair]bool{}, map[pair]map[units.Time]units.Time{}
	extra := func(a, b int, gap units.Time) units.Time {
		key := pair{a, b}
		if _, ok := known[key]; !ok {
			known[key] = map[units.Time]units.Time{}
			apart[key] = p.apart(a, b)
		}
		if !apart[key] {
			return 0
		}
		exposed := max(0, m.Delay-gap)
		more, ok := known[key][exposed]
		if !ok {
			more = max(0, window(phases[a], phases[b], exposed)-alone[a]-alone[b])
			known[key][exposed] = more
		}
		return more
	}
	// since is the last collective of all ranks on a chain, and how long ago it ended.
	type since struct {
		job int // -1: none
		gap units.Time
	}
	type ends struct{ single, paired units.Time } // of the longest chain, by whether its end is paired
	passed := make([][]since, len(p.Jobs))
	at := make([]ends, len(p.Jobs))
	longest := units.Time(0)
	for j := range p.Jobs {
		list := []since{{-1, 0}}
		for _, before := range p.Jobs[j].After {
			for _, s := range passed[before] {
				if i := slices.IndexFunc(list, func(o since) bool { return o.job == s.job }); i >= 0 {
					list[i].gap = max(list[i].gap, s.gap)
				} else {
					list = append(list, s)
				}
			}
		}
		end := func(s since) units.Time {
			if s.job < 0 {
				return s.gap
			}
			return max(at[s.job].single, at[s.job].paired) + s.gap
		}
		if w := p.Jobs[j].Work; w != Computes && phases[w] != nil {
			for _, s := range list {
				at[j].single = max(at[j].single, end(s)+time(j))
				if s.job >= 0 {
					at[j].paired = max(at[j].paired, at[s.job].single+s.gap+time(j)+extra(p.Jobs[s.job].Work, w, s.gap))
				}
			}
			longest = max(longest, at[j].single, at[j].paired)
			passed[j] = []since{{j, 0}}
			continue
		}
		slices.SortFunc(list, func(a, b since) int { return cmp.Compare(end(b), end(a)) })
		for _, s := range list[:min(len(list), mostPassed)] {
			s.gap += time(j)
			passed[j] = append(passed[j], s)
			longest = max(longest, end(s))
		}
	}
	return longest
}

// mostPassed limits how many last collectives are remembered for the chains to a job.
const mostPassed = 4

// phase returns the phase for a collective of all ranks over only ports; nil for others.
func (m *repertory) phase(w int, alone, busy units.Time) *phase {
	p := m.program
	work := &p.Works[w]
	if work.IsSend() || busy == 0 || len(work.Classes) < len(p.Classes) {
		return nil
	}
	ranks := 0
	for _, group := range work.Groups {
		if len(group) != len(work.Groups[0]) {
			return nil
		}
		ranks += len(group)
	}
	if ranks != m.fabric.Nodes {
		return nil
	}
	of := &phase{alone: alone, busy: busy, copies: 1 / float64(m.fabric.Ports)}
	if work.Op == collective.AllToAll {
		of.copies = 1 // each byte has only one receiver
	}
	return of
}

// apart reports whether no two ranks are in a group together in both works.
func (p *Program) apart(a, b int) bool {
	of := map[int]int{}
	for i, group := range p.Works[b].Groups {
		for _, r := range group {
			of[r] = i
		}
	}
	for _, group := range p.Works[a].Groups {
		seen := map[int]bool{}
		for _, r := range group {
			if i, ok := of[r]; ok {
				if seen[i] {
					return false
				}
				seen[i] = true
			}
		}
	}
	return true
}
