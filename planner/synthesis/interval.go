package synthesis

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// interval is a problem with its steps sorted out: those with the same demands are one
// class, which is judged once.
type interval struct {
	Problem
	classes []*class
	classOf []int   // per step
	screen  *screen // nil until bounds finds one
	exact   bool    // routes are to be optimal, however long that takes
	work    int64   // done so far
	limit   int64   // of the work; 0: none
}

// spent reports whether the work that is allowed has been done.
func (iv *interval) spent() bool { return iv.limit > 0 && iv.work >= iv.limit }

// class is the demands that one or more steps have in common.
type class struct {
	Step
	times int           // how many steps have them
	pair  float64       // bytes of the busiest pair
	whole []flow.Demand // the images of all demands, made when first needed
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

// same reports whether a step is written down in the same way.
func (c *class) same(s Step) bool {
	return slices.Equal(c.Demands, s.Demands) &&
		slices.Equal(c.Group.Dims, s.Group.Dims) && slices.Equal(c.Group.Stride, s.Group.Stride)
}

// busiestPair is the most bytes that one node sends another. Images of two demands can
// join the same pair, so that they are compared at the representative of the source.
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

// bytes is what the transmission time of a step with this load counts.
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

// time is how long one step of the class takes with this load.
func (iv *interval) time(c *class, load flow.Load) units.Time {
	return iv.Alpha.Time() + iv.Delta.Time()*units.Time(load.Hops) + iv.Bandwidth.Transmit(iv.bytes(c, load))
}

// sum adds up the times of the steps, given those of the classes.
func (iv *interval) sum(times []units.Time) units.Time {
	total := units.Time(0)
	for i, c := range iv.classes {
		total += units.Time(c.times) * times[i]
	}
	return total
}

// monotone reports whether a circuit more never makes a topology slower. It does not
// where routing is not free to leave the circuit alone, as with the shortest-path
// policies, nor where the router does not minimise what is counted, as with
// store-and-forward. With one port paths are unique, and all is well.
func (iv *interval) monotone() bool {
	return iv.Ports == 1 || iv.Routing == flow.Optimal && iv.Forwarding == fabric.CutThrough
}
