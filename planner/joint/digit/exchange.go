package digit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner/joint/balls"
	"github.com/lightpath-net/lightpath/planner/joint/network"
)

// exchange returns the exchange of all vectors at once on a network: every point sends its vector
// to all others, and holds the sum at the end. It takes one start-up, and as many hops as the
// network's diameter.
func (m *Machine) exchange(net *network.Network) *program {
	d := net.Diameter
	p := &program{
		Shape:  Shape{Steps: 1, Hops: d, Load: max(m.Load(net.Least(0, d)), loadOf(net.Narrow(), m, []int{0, d}))},
		points: net.Points, kind: exchange, scattered: 1, parts: 1, about: "exchange on " + net.Graph.Name(),
		Lay: func() []stage {
			_, ways := net.Route(network.Towards{High: d}, 1, true, never)
			for i := range ways {
				ways[i].Modulus = 1
			}
			return []stage{{Net: net, kind: exchange, steps: [][]network.Way{ways}}}
		},
	}
	p.settle = once(func(stopped func() bool) (counted, bool) {
		t, _ := net.Route(network.Towards{High: d}, 1, false, stopped)
		return counted{hops: d, load: m.Load(t)}, !stopped()
	})
	return p
}

// mostHops bounds the diameter of networks on which sums of balls are tried. On others, balls in
// the middle are so large that other exchanges are better.
const mostHops = 8

// usual is how much more than the bound the second step loads a link, as a rule. By that rule the
// most promising numbers of hops of the first step are tried on a network: two, and one if there
// are more than fewPoints points.
const usual, fewPoints = 2, 64

// ballings returns the exchanges in two steps on a network whose points may all look different
// (package balls). Like windows they must come first: a point sends its own vector apart from what
// it has received. Their real cost is counted only when their lower bound is the best.
func (m *Machine) ballings(sk *sketch) []*program {
	type choice struct {
		near           int
		least, promise float64
	}
	var all []choice
	for near := 1; near < sk.Diameter && sk.Diameter <= mostHops; near++ {
		first, second := m.Load(sk.Least(0, near)), balls.Least(sk.net(), near)
		all = append(all, choice{near, first + second, first + usual*second})
	}
	slices.SortStableFunc(all, func(a, b choice) int { return cmp.Compare(a.promise, b.promise) })
	most := 2
	if sk.Points > fewPoints {
		most = 1
	}
	return each.Of(all[:min(len(all), most)], func(c choice) *program {
		return m.balling(sk, c.near, c.least)
	})
}

// balling returns such an exchange whose first step has the given number of hops, and at least the
// given load.
func (m *Machine) balling(sk *sketch, near int, least float64) *program {
	find := once(func(stopped func() bool) (*balls.Sums, bool) {
		found := balls.Find(sk.net(), near, stopped)
		return found, !stopped()
	})
	return &program{
		Shape:  Shape{Steps: 2, Hops: sk.Diameter, Load: least},
		points: sk.Points, kind: exchange, scattered: 1, parts: 1, has: Uses{Exchange: true, Networks: true, Balls: true},
		about: fmt.Sprintf("sums of balls of %d hops on %s", near, sk.name), line: sk.line, uneven: true,
		settle: func(stopped func() bool) counted {
			found := find(stopped)
			if found == nil {
				return counted{load: impossible}
			}
			return counted{hops: sk.Diameter, load: m.Load(found.Takes[0]) + m.Load(found.Takes[1])}
		},
		Lay: func() []stage {
			found := find(never)
			return []stage{{Net: sk.net(), kind: exchange, steps: [][]network.Way{found.First, found.Second}}}
		},
	}
}

// onBalls tries sums of balls on the networks that OnNetworks has found not to be too slow.
func (s *Search) onBalls(b *Board, t Task, points int) {
	w := s.nets[points]
	if w == nil || t.Op != AllReduce || t.Nodes != s.Nodes || t.Scale != 1 || s.NoExchange || s.NoBalls {
		return
	}
	rests, changes, _ := s.rests(b, t, points, 1)
	for _, rest := range rests {
		so := rest.Time + changes*s.Wait
		if p, time := s.pick(w.balls, s.Bytes, b.limit()-so); p != nil {
			b.add(so+time, digit{points, func() *program { return p }}, int(changes), rest)
		}
	}
}

// nearest lists, for j = 1..radix-1, the nearest point whose number is weight*j modulo
// radix*weight.
func nearest(dist []int16, weight, radix int) []int {
	targets := make([]int, 0, radix-1)
	for j := 1; j < radix; j++ {
		best := weight * j
		for v := best; v < len(dist); v += radix * weight {
			if dist[v] < dist[best] {
				best = v
			}
		}
		targets = append(targets, best)
	}
	return targets
}
