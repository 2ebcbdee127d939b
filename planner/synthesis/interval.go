package synthesis

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// interval is a problem with its steps grouped: steps with the same demands form one class, which
// is priced once.
type interval struct {
	Problem
	classes []*class
	classOf []int   // per step
	screen  *screen // nil until bounds finds one
	exact   bool    // routes must be optimal, however long that takes
	work    int64   // work done so far
	limit   int64   // on the work; 0: none
}

// spent reports whether the allowed work is used up.
func (iv *interval) spent() bool { return iv.limit > 0 && iv.work >= iv.limit }

// class is the demands that one or more steps have in common.
type class struct {
	Step
	times int           // number of such steps
	pair  float64       // bytes of the busiest pair
	whole []flow.Demand // the images of all demands; nil until needed
}

func newInterval(p Problem) (*interval, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	iv := &interval{Problem: p}
	for _, s := range p.Steps {
		k := slices.IndexFunc(iv.classes, func(c *class) bool { return c.same(s) })
		if k < 0 {
			k = len(iv.classes)
			iv.classes = append(iv.classes, &class{Step: s, pair: s.busiestPair()})
		}
		iv.classes[k].times++
		iv.classOf = append(iv.classOf, k)
	}
	return iv, nil
}

// same reports whether a step has the same demands in the same notation.
func (c *class) same(s Step) bool {
	return slices.Equal(c.Demands, s.Demands) &&
		slices.Equal(c.Group.Dims, s.Group.Dims) && slices.Equal(c.Group.Stride, s.Group.Stride)
}

// busiestPair returns the most bytes that one node sends to another. Images of two demands can
// join the same pair, so pairs are compared at the representative of the source.
func (s *Step) busiestPair() float64 {
	bytes, most := map[[2]int]float64{}, 0.0
	for _, d := range s.Demands {
		k, home := s.Group.Locate(d.Src)
		pair := [2]int{home, s.Group.Back(k, d.Dst)}
		bytes[pair] += d.Amount
		most = max(most, bytes[pair])
	}
	return most
}

// all returns the demands of the whole step, one per pair of nodes, in ascending order
// of the pairs.
func (c *class) all() []flow.Demand {
	if c.whole == nil {
		c.whole = merged(c.under(topology.Translations{}))
	}
	return c.whole
}

// under returns the demands that represent the step under a subgroup of its group.
func (c *class) under(sub topology.Translations) []flow.Demand {
	if sub.Order() == c.Group.Order() {
		return c.Demands
	}
	var demands []flow.Demand
	for _, k := range c.Group.Cosets(sub) {
		for _, d := range c.Demands {
			demands = append(demands, flow.Demand{
				Src: c.Group.Apply(k, d.Src), Dst: c.Group.Apply(k, d.Dst), Amount: d.Amount,
			})
		}
	}
	return demands
}

// merged sorts demands by their ends and adds up those of the same pair.
func merged(demands []flow.Demand) []flow.Demand {
	sorted := slices.SortedStableFunc(slices.Values(demands), func(a, b flow.Demand) int {
		return cmp.Or(cmp.Compare(a.Src, b.Src), cmp.Compare(a.Dst, b.Dst))
	})
	kept := sorted[:0]
	for _, d := range sorted {
		if k := len(kept) - 1; k >= 0 && kept[k].Src == d.Src && kept[k].Dst == d.Dst {
			kept[k].Amount += d.Amount
			continue
		}
		kept = append(kept, d)
	}
	return kept
}

// bytes returns the bytes that determine the transmission time of a step with this load.
func (iv *interval) bytes(c *class, load flow.Load) float64 {
	bytes := load.Peak
	if iv.Forwarding == fabric.StoreAndForward {
		bytes = max(bytes, load.Dilation)
	}
	if iv.CapTheta {
		bytes = max(bytes, c.pair)
	}
	return bytes
}

// time returns how long one step of the class takes with this load.
func (iv *interval) time(c *class, load flow.Load) units.Time {
	return iv.Alpha.Time() + iv.Delta.Time()*units.Time(load.Hops) + iv.Bandwidth.Transmit(iv.bytes(c, load))
}

// sum adds up the times of the steps, given those of the classes.
func (iv *interval) sum(times []units.Time) units.Time {
	return each.SumBelow(len(iv.classes), func(i int) units.Time {
		return units.Time(iv.classes[i].times) * times[i]
	})
}

// monotone reports whether an additional circuit never makes a topology slower. It may do so if
// routing is not free to avoid the circuit, as under the shortest-path policies, or if the router
// does not minimise the time that counts, as with store-and-forward. With one port paths are
// unique, so it never does.
func (iv *interval) monotone() bool {
	return iv.Ports == 1 || iv.Routing == flow.Optimal && iv.Forwarding == fabric.CutThrough
}
