package islands

import (
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// traffic is what GPUs send if pairs differ: the bytes of each pair, or the steps of a pattern.
type traffic struct {
	demand  collective.Demand
	pattern *collective.PatternFile // instead of demand
	inner   collective.Demand       // between nodes of the core
	steps   *collective.PatternFile // what nodes send in the steps of the pattern
	groups  []together              // by chunk of steps: the transfers that it stands for
}

// together is the data that GPUs of one island send to those of another in a step of a pattern.
type together struct {
	step  int
	items []parcel
	of    []int // transfers of the step, by item
}

// parcel is bytes from one place of an island to one of another.
type parcel struct {
	from, to int
	bytes    float64
}

// Carrying returns the core for GPUs with a demand. It reports false if no island has anything
// for another.
func (c Core) Carrying(f *fabric.Fabric, d collective.Demand) (Core, bool) {
	size, nodes := f.Island.Size, c.Fabric.Nodes
	inner := make(collective.Demand, nodes)
	some := false
	for a := range inner {
		inner[a] = make([]int64, nodes)
		for b := range inner[a] {
			sum := int64(0)
			for i := range size {
				for j := 0; a != b && j < size; j++ {
					sum += d[a*size+i][b*size+j]
				}
			}
			inner[a][b] = scaledUp(sum, c.Span, size)
			some = some || sum > 0
		}
	}
	c.traffic = &traffic{demand: d, inner: inner}
	return c, some && inner.Check(nodes) == nil
}

// scaledUp returns part/whole of some bytes, rounded up.
func scaledUp(bytes int64, part, whole int) int64 {
	each := int64(whole / part)
	return arithmetic.CeilDiv(bytes, each)
}

// Following returns the core for GPUs with a pattern. It reports false if no island sends
// anything to another.
func (c Core) Following(f *fabric.Fabric, p *collective.PatternFile) (Core, bool) {
	size, nodes := f.Island.Size, c.Fabric.Nodes
	t := &traffic{pattern: p}
	steps := &collective.Collective{Op: collective.Pattern, Algorithm: p.Algorithm, Nodes: nodes, Space: collective.Space{Kind: collective.Listed, Nodes: nodes}}
	sum := 0.0
	for k := range p.Steps {
		var step collective.Step
		known := map[[2]int]int{}
		of := -1
		for x := range p.Steps[k].All(p.Space) {
			of++
			pair := [2]int{x.Src / size, x.Dst / size}
			bytes := p.Space.Bytes(float64(p.Size), x.Chunks)
			if pair[0] == pair[1] || bytes <= 0 {
				continue
			}
			at, ok := known[pair]
			if !ok {
				at = len(t.groups)
				known[pair], t.groups = at, append(t.groups, together{step: k})
				steps.Space.Pieces = append(steps.Space.Pieces, collective.Piece{From: []int{pair[0]}, To: []int{pair[1]}})
				step.Base = append(step.Base, collective.Transfer{Src: pair[0], Dst: pair[1], Action: collective.Copy, Chunks: collective.Single(at)})
			}
			g := &t.groups[at]
			g.items, g.of = append(g.items, parcel{x.Src % size, x.Dst % size, bytes}), append(g.of, of)
			bytes *= float64(c.Span) / float64(size)
			steps.Space.Pieces[at].Bytes += bytes
			sum += bytes
		}
		if len(step.Base) > 0 {
			steps.Steps = append(steps.Steps, step)
		}
	}
	if len(steps.Steps) == 0 || sum > math.MaxInt64/2 {
		return c, false
	}
	t.steps = &collective.PatternFile{Sized: collective.Sized{Collective: steps, Size: units.Bytes(math.Ceil(sum))}, Ports: p.Ports}
	c.traffic = t
	return c, true
}

// Operation returns the core's part of an operation of the GPUs. If the GPUs have a pattern, see
// Pattern.
func (c Core) Operation(f *fabric.Fabric, o collective.Operation) collective.Operation {
	o.GPUs = nil
	if c.traffic != nil {
		o.Demand, o.Generator, o.Seed, o.Size = c.traffic.inner, "", nil, c.traffic.inner.Size()
		return o
	}
	o.Size = c.Size(f, o.Op, o.Size)
	return o
}

// Pattern returns the pattern that nodes of the core carry out if GPUs have a pattern; nil: they
// have none.
func (c Core) Pattern() *collective.PatternFile {
	if c.traffic == nil {
		return nil
	}
	return c.traffic.steps
}

// rounded returns a lower bound on the core's bytes without rounding up, as a fraction of those
// with rounding up.
func (t *traffic) rounded(f *fabric.Fabric, span int) units.Time {
	least := 1.0
	for _, row := range t.inner {
		for _, bytes := range row {
			if bytes > 0 { // rounded up by less than one
				least = min(least, max(1/float64(f.Island.Size/span), float64(bytes-1))/float64(bytes))
			}
		}
	}
	return units.Time(least)
}

// lane is the share of an item that takes the circuits of a place.
type lane struct {
	item, place int
	share       float64
}

// Preferences for lanes: items take the lane of their source's place, the lane of their target's
// place, or all lanes evenly.
const (
	bySource = iota
	byTarget
	evenly
)

// lanes divides items from one island to another over the places of the islands, so that every
// place carries the same bytes.
func lanes(items []parcel, places, preference int) []lane {
	var all []lane
	if preference == evenly {
		for i := range items {
			for p := range places {
				all = append(all, lane{i, p, 1 / float64(places)})
			}
		}
		return all
	}
	room, left := make([]float64, places), make([]float64, len(items))
	total := 0.0
	for i := range items {
		left[i] = items[i].bytes
		total += left[i]
	}
	for p := range room {
		room[p] = total / float64(places)
	}
	give := func(i, p int) {
		take := min(left[i], room[p])
		if take <= roundOff*total {
			return
		}
		if left[i]-take <= roundOff*total {
			take = left[i]
		}
		left[i] -= take
		room[p] -= take
		all = append(all, lane{i, p, take / items[i].bytes})
	}
	for i := range items {
		if items[i].from == items[i].to {
			give(i, items[i].from)
		}
	}
	for pass := range 2 {
		for i := range items {
			if (pass == 0) == (preference == bySource) {
				give(i, items[i].from)
			} else {
				give(i, items[i].to)
			}
		}
	}
	for i := range items {
		for p := range room {
			give(i, p)
		}
		if left[i] > 0 { // rounding
			at := slices.IndexFunc(all, func(l lane) bool { return l.item == i })
			if at < 0 {
				at, all = len(all), append(all, lane{i, items[i].to, 0})
			}
			all[at].share += left[i] / items[i].bytes
		}
	}
	slices.SortStableFunc(all, func(a, b lane) int { return a.item - b.item })
	return all
}

// errRelayed says why a core's plan for a pattern cannot be lifted.
var errRelayed = fmt.Errorf("%w: the core does not send a step of the pattern as one", planner.ErrInfeasible)
