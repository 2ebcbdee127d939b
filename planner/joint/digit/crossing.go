package digit

import (
	"fmt"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// Crossing chains: an allreduce with a single reconfiguration that sums up shards in G groups of h
// = n/G points, and gathers them along G chains of h points. Point (g, x) is point x of group g.
// The first circuits are a ring in each group, (g, x) -> (g, x+1), the second ones lead to the
// next group as well, (g, x) -> (g+1, x+1). The vector has h shards.
//
//	1  on the rings      each group sums up shard x at its point x               h-1 hops
//	2  on the rings      points x+1 .. x+G-1 of the group get copies of the sum  G-1 hops
//	3  to the next group the sums of all groups are added up, from (g, x) over
//	                     (g+1, x+1) .. to (g+G-1, x+G-1), for each g             G-1 hops
//	4  to the next group these G points pass shard x on, to h-1 others each      h-1 hops
//
// In phase 3 the group a after g has its copy just a points further on, so the sums meet without
// another change of circuits. In phase 4 the chain from (g+G-1, x+G-1) passes every x once; the G
// chains of a shard begin in different groups, so together they reach all points. With two groups
// and a shard per hop that is n steps and twice the vector on every circuit, where one ring takes
// 2(n-1) steps and hardly less than twice the vector. Other digits that scatter and gather
// reconfigure twice.
//
// A phase may have fewer steps of more hops each, as a rung of a ladder.

// crossing is a choice of groups, and a rung for the hops of phases 1 and 4 and of phases 2 and 3.
type crossing struct {
	groups, size int
	width        int // circuits to each next point
	along, over  rung
}

// onCrossing tries crossing chains. They leave no shard that inner digits could go on with.
func (s *Search) onCrossing(b *Board, t Task) {
	if t.Op != AllReduce || s.NoExchange || !s.oneWay(t.Nodes) || Spend(t.Changes, 1) < 0 {
		return
	}
	for _, groups := range arithmetic.Divisors(t.Nodes)[1:] {
		size := t.Nodes / groups
		if groups > size {
			return
		}
		hops := float64(size + groups - 2)
		least := s.Wait + 4*s.Alpha + 2*hops*(s.Delta+s.PerByte*s.Bytes/float64(t.Scale*size*s.Ports))
		if least >= b.limit() {
			continue
		}
		if s.rings[t.Nodes] == nil {
			s.rings[t.Nodes] = s.ringFloor(t.Nodes)
		}
		f := s.rings[t.Nodes]
		c := crossing{groups: groups, size: size, width: s.Ports}
		shard := t.Scale * size
		along, _ := f.best(s, 1, size, shard)
		over, _ := f.best(s, 1, groups, shard)
		c.along, c.over = along.rung, over.rung
		p := c.program(&s.Machine, f)
		b.add(s.Time(p.Shape, s.Bytes/float64(t.Scale)), digit{t.Nodes, func() *program { return p }}, 1, Solution{})
	}
}

// program returns the program of a choice, with its load in units of the vector.
func (c crossing) program(m *Machine, f *floor) *program {
	takes := Shape{}
	for _, r := range []rung{c.along, c.over} {
		one, _ := f.takes(m, r)
		takes = takes.plus(one).plus(one)
	}
	takes.Load /= float64(c.size)
	takes.Changes = 1
	return &program{
		Shape: takes, points: c.groups * c.size, kind: total, scattered: c.size, parts: 1,
		about: fmt.Sprintf("%d crossing chains of %d", c.groups, c.size),
		sums:  c.laySums, Lay: c.layGather, has: Uses{Exchange: true},
	}
}

// network returns the circuits that lead on to the next point of the same group or of the next.
func (c crossing) network(on int) *network.Network {
	edges := make([]topology.Edge, 0, c.groups*c.size)
	for g := range c.groups {
		for x := range c.size {
			edges = append(edges, topology.Edge{From: c.point(g, x), To: c.point(g+on, x+1), Count: c.width})
		}
	}
	name := fmt.Sprintf("%dx%s@1", c.groups, ringName(c.size, c.width, false))
	if on > 0 {
		name = fmt.Sprintf("%d crossing chains of %d", c.groups, c.size)
	}
	return network.New(topology.New(c.groups*c.size, name, edges), topology.Translation(c.groups, c.size))
}

func (c crossing) point(group, x int) int {
	return arithmetic.Mod(group, c.groups)*c.size + arithmetic.Mod(x, c.size)
}

// way returns the way of shard 0 between two points of the chain through point (g, x), given by
// their distances from it.
func (c crossing) way(on, g, x, from, to int) network.Way {
	w := network.Way{Modulus: c.size}
	for v := from; v <= to; v++ {
		w.Path = append(w.Path, int32(c.point(g+on*v, x+v)))
	}
	return w
}

// laySums lays out phases 1 to 3. Sums run towards a point as the reversed gather runs away from
// it.
func (c crossing) laySums() []stage {
	rings, across := stage{Net: c.network(0), kind: gather}, stage{Net: c.network(1), kind: gather}
	towards := func(to *stage, on, g, x int, r rung) {
		sends := newSpacing(r.radix-1, 1).sends(r.steps)
		for i := range sends {
			var step []network.Way
			for _, s := range sends[len(sends)-1-i] {
				step = append(step, c.way(on, g, x, -s.to, -s.from))
			}
			to.steps = append(to.steps, step)
		}
	}
	towards(&rings, 0, 0, 0, c.along)
	for _, sends := range newSpacing(c.groups-1, 1).sends(c.over.steps) {
		var step []network.Way
		for _, s := range sends {
			w := c.way(0, 0, 0, s.from, s.to)
			w.Replaces = true
			step = append(step, w)
		}
		rings.steps = append(rings.steps, step)
	}
	towards(&across, 1, -1, c.groups-1, c.over)
	return []stage{rings, across}
}

// layGather lays out phase 4.
func (c crossing) layGather() []stage {
	across := stage{Net: c.network(1), kind: gather}
	for _, sends := range newSpacing(c.size-1, 1).sends(c.along.steps) {
		var step []network.Way
		for _, s := range sends {
			step = append(step, c.way(1, -1, c.groups-1, s.from, s.to))
		}
		across.steps = append(across.steps, step)
	}
	return []stage{across}
}
