package digit

import (
	"fmt"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner/joint/network"
)

// Covers are exchanges in two steps on circuits that stay. Points form cells of p. First all
// vectors circulate in the cells, so that every point has the sum of its cell. Then every point
// gets the sum of each other cell from the nearest point of that cell. A point gets p-1 + n/p-1
// vectors instead of the n-1 that it gets in a single step, for one more start-up and a few more
// hops. That pays for small messages on many GPUs, where links carry hundreds of vectors.

// cover is such a network: cells of size points, with inside ports of each point for its cell.
type cover struct {
	points, size, inside int
}

// covers lists the networks with the given number of points.
func (m *Machine) covers(points int) []cover {
	var all []cover
	for _, size := range arithmetic.Divisors(points) {
		if size < 2 || points/size <= m.Ports+1 {
			continue
		}
		for inside := 1; inside < min(size, m.Ports); inside++ {
			all = append(all, cover{points, size, inside})
		}
	}
	return all
}

// covered is an exchange over a cover, laid out.
type covered struct {
	net   *network.Network
	steps [2][]network.Way
	takes [2]network.Tally
}

// lay lays out the exchange over a cover; nil if the cover does not connect all points.
func (c cover) lay(ports int) *covered {
	net := c.wire(ports)
	if net == nil || net.Diameter == 0 {
		return nil
	}
	made := &covered{net: net}
	var near, far []network.Errand
	for x := range c.points {
		own := x / c.size
		for cell := range c.points / c.size {
			from := each.Below(c.size, func(i int) int { return cell*c.size + i })
			if cell != own {
				far = append(far, network.Errand{From: from, To: x})
				continue
			}
			for _, u := range from {
				if u != x {
					near = append(near, network.Errand{From: []int{u}, To: x})
				}
			}
		}
	}
	made.steps[0], made.takes[0] = net.Run(near)
	made.steps[1], made.takes[1] = net.Run(far)
	return made
}

// least returns a lower bound on the shape of an exchange over a cover. At h hops from a point,
// at most d^(h-1) links for each of its ports to other cells lead to new cells. Points of its own
// cell beyond the number of its ports there are two hops away.
func (c cover) least(ports int) Shape {
	outside := ports - c.inside
	near := Shape{Steps: 1, Hops: 1, Load: float64(c.inside+2*(c.size-1-c.inside)) / float64(ports)}
	if c.size-1 > c.inside {
		near.Hops = 2
	}
	far := Shape{Steps: 1}
	for left, room := c.points/c.size-1, outside; left > 0; room *= ports {
		far.Hops++
		far.Load += float64(far.Hops*min(left, room)) / float64(ports)
		left -= min(left, room)
	}
	return near.plus(far)
}

// coverings returns the exchanges over covers. Their real cost is counted only when their lower
// bound is the best.
func (m *Machine) coverings(points int) []*program {
	var all []*program
	for _, c := range m.covers(points) {
		p := &program{
			points: points, kind: exchange, scattered: 1, parts: 1,
			about: fmt.Sprintf("exchange in cells of %d, and between the cells", c.size), Shape: c.least(m.Ports),
		}
		lay := once(func(stopped func() bool) (*covered, bool) { return c.lay(m.Ports), !stopped() })
		p.settle = func(stopped func() bool) counted {
			laid := lay(stopped)
			if laid == nil {
				return counted{load: impossible}
			}
			return counted{
				hops: laid.takes[0].Hops + laid.takes[1].Hops,
				load: m.Load(laid.takes[0]) + m.Load(laid.takes[1]),
			}
		}
		p.Lay = func() []stage {
			laid := lay(never)
			return []stage{{Net: laid.net, kind: exchange, steps: laid.steps[:]}}
		}
		all = append(all, p)
	}
	return all
}

// never is the stopped function of work that must not be given up.
func never() bool { return false }

// impossible is a load that no plan has.
const impossible = 1e18
