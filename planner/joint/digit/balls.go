package digit

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/joint/balls"
	"github.com/lightpath-net/lightpath/planner/joint/network"
)

// ballings returns the exchanges in two steps on a network whose points may all look different
// (package balls), one for every number of hops of the first step. Like windows they must come
// first: a point sends its own vector apart from what it has received. Their real cost is counted
// only when their lower bound is the best.
func (m *Machine) ballings(sk *sketch) []*program {
	var all []*program
	for near := 1; near < sk.Diameter; near++ {
		p := &program{
			points: sk.Points, kind: exchange, scattered: 1, parts: 1, has: Uses{Exchange: true, Networks: true, Balls: true},
			about: fmt.Sprintf("sums of balls of %d hops on %s", near, sk.name), line: sk.line, uneven: true,
			Shape: Shape{Steps: 2, Hops: sk.Diameter, Load: m.Load(sk.Least(0, near)) + balls.Least(&sk.Profile, near)},
		}
		find := once(func(stopped func() bool) (*balls.Sums, bool) {
			found := balls.Find(sk.net(), near, stopped)
			return found, !stopped()
		})
		p.settle = func(stopped func() bool) counted {
			found := find(stopped)
			if found == nil {
				return counted{load: impossible}
			}
			return counted{hops: sk.Diameter, load: m.Load(found.Takes[0]) + m.Load(found.Takes[1])}
		}
		p.Lay = func() []stage {
			found := find(never)
			return []stage{{Net: sk.net(), kind: exchange, steps: [][]network.Way{found.First, found.Second}}}
		}
		all = append(all, p)
	}
	return all
}

// onBalls tries sums of balls.
func (s *Search) onBalls(b *Board, t Task, points int, w *wired) {
	if t.Op != AllReduce || t.Nodes != s.Nodes || t.Scale != 1 || s.NoExchange || s.NoBalls {
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
