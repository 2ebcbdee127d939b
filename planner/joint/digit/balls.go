package digit

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/joint/balls"
	"github.com/lightpath-net/lightpath/planner/joint/network"
)

// mostHops bounds the diameter of networks on which sums of balls are tried. On others, balls in
// the middle are so large that other exchanges are better.
const mostHops = 8

// usual is how much more than the bound the second step loads a link, as a rule. It only decides
// which number of hops is tried.
const usual = 2

// balling returns the exchange in two steps on a network whose points may all look different
// (package balls); nil if there is none. The number of hops of the first step is the most promising.
// Like windows the exchange must come first: a point sends its own vector apart from what it has
// received. Its real cost is counted only when its lower bound is the best.
func (m *Machine) balling(sk *sketch) *program {
	near, least, promise := 0, 0.0, impossible
	for hops := 1; hops < sk.Diameter && sk.Diameter <= mostHops; hops++ {
		first, second := m.Load(sk.Least(0, hops)), balls.Least(sk.net(), hops)
		if load := first + usual*second; load < promise {
			near, least, promise = hops, first+second, load
		}
	}
	if near == 0 {
		return nil
	}
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
