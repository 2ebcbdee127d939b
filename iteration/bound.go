package iteration

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// least is, for every work, a time that no plan beats in which ranks send over their own ports and
// islands, and what its bytes alone keep all ports of a rank busy for at least.
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
	// The mean of ranks of several classes is nobody's.
	if !f.Tiered() && (work.Skew == "" || len(work.Classes) == 1) {
		busy = f.Bandwidth.Transmit(float64(work.bytes())) / units.Time(f.Ports)
	}
	return b.Total(), busy
}

// section is what a group of a work does.
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

// groupOf is the fabric of a work's group, with all ports on one switch.
func (m *repertory) groupOf(w *Work) groupKey {
	return groupKey{nodes: len(w.Groups[0]), ports: m.fabric.Ports, island: m.inIsland(w), fixed: m.fixedOf(w.Groups)}
}

// boundOf is the bound of a program on a fabric: what it can be carried out with is not asked for.
func boundOf(p *Program, f *fabric.Fabric) units.Time {
	m := &repertory{program: p, fabric: f, links: map[string]fabric.FixedLinks{}, Repertoire: &Repertoire{Delay: changeTime(f)}}
	return m.bound()
}

// bound is a time that no iteration beats in which ranks communicate over their own ports and
// islands: that of the longest chain, with every communication at its own bound for all ports;
// and for every class, from any time on, the bytes that its ports still have to send. Changes of
// circuits count where collectives of all ranks follow one another.
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
	known := map[sort]int{} // a work of which the least is known
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
