package digit

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Star addition chains are correct and take the predicted time by themselves, after digits that
// scatter, and before others.
func TestStarChainsBetweenDigits(t *testing.T) {
	type place struct {
		scattered []int // points of the digits before
		points    int
		exchanged int // points of the digit after, 1: none
	}
	for _, c := range []place{{nil, 6, 1}, {nil, 30, 1}, {[]int{2}, 6, 1}, {[]int{2, 2}, 10, 1}, {[]int{6}, 10, 1}, {[]int{3}, 14, 1}, {[]int{2}, 6, 2}} {
		for _, forwarding := range []fabric.Forwarding{fabric.CutThrough, fabric.StoreAndForward} {
			n := c.points * c.exchanged
			for _, p := range c.scattered {
				n *= p
			}
			r := jointtest.Request(collective.AllReduce, n, 1, units.MiB)
			r.Fabric.Duplex, r.Fabric.Forwarding = true, forwarding
			s := NewSearch(Question{
				Machine: NewMachine(&r.Fabric, 1, n), Limits: Limits{Changes: AnyChanges}, Keep: 1, Nodes: n,
				Bytes: float64(r.Size), Stopped: func() bool { return false },
			})
			var sum Solution
			bytes := s.Bytes
			add := func(p *program, time float64) {
				if len(sum.Digits) > 0 {
					sum.Time += s.Wait
				}
				sum.Digits = append(sum.Digits, digit{p.points, func() *program { return p }})
				sum.Time += time
			}
			for _, points := range c.scattered {
				p := s.ringFloor(2).program(&s.Machine, ladder{scattered: []rung{{1, 2, 1}}}, false)
				if points > 2 {
					p = s.inPairs(points, bytes/float64(points), AnyChanges)
				}
				bytes /= float64(points)
				add(p, 2*s.Time(p.Shape, bytes)+s.Wait)
			}
			star := s.starSum(c.points)
			add(star, s.Time(star.Shape, bytes))
			if c.exchanged > 1 {
				p := s.ringFloor(2).program(&s.Machine, ladder{exchanged: []rung{{1, 2, 1}}}, true)
				add(p, s.Time(p.Shape, bytes))
			}
			laidOut(t, &r, sum)
		}
	}
}
