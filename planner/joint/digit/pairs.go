package digit

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/planner/joint/pairing"
	"github.com/lightpath-net/lightpath/topology"
)

// This file has gathers and sums on two-way circuits that change, for any number of points
// (package pairing).
//
// An even number of points has windows of pairs. With one port they take ceil(log2 n) rounds and
// send every shard once to everybody; no plan beats that. An odd number leaves one point out in
// every round. With one port it is folded into an even number, or the points talk in circles,
// whichever is faster. With two ports or more, windows grow on both sides, for any number of
// points, by as many tiles as there are ports: chains of circulants (chain.go) in both
// directions.

// mostPaired bounds odd numbers of points, where each point has messages of its own.
const mostPaired = maxRouted

// onPairs tries the programs in pairs. With one port, digits of two do as well for powers of two.
func (s *Search) onPairs(b *Board, t Task, points int) {
	if !s.Duplex || points <= 2 || s.Ports == 1 && points&(points-1) == 0 {
		return
	}
	if points%2 == 1 && s.Ports == 1 && points > mostPaired {
		return
	}
	bytes, halves := s.Bytes/float64(t.Scale), int(s.halves(t))
	if rests, _, _ := s.rests(b, t, points, points); len(rests) > 0 {
		for of := range chainChanges(t.Changes, halves) {
			s.offer(b, t, s.inPairs(points, bytes/float64(points), of), Spend(t.Changes, halves*of))
			s.offer(b, t, s.met(points, bytes/float64(points), of), Spend(t.Changes, halves*of))
		}
	}
	if t.Op == AllReduce && !s.NoExchange && points%2 == 1 && s.Ports == 1 {
		s.offerSum(b, t, s.foldedSum(points), bytes)
	}
	s.onStars(b, t, points)
}

// inPairs returns the best gather in pairs with at most the given number of reconfigurations, nil
// if there is none.
func (m *Machine) inPairs(points int, shard float64, changes int) *program {
	var all []*program
	switch {
	case points%2 == 0:
		all = append(all, m.pairWindows(points, shard, changes))
	case m.Ports == 1:
		all = append(all, m.folded(points, shard, changes), m.circle(points, shard, changes))
	}
	if m.Ports > 1 {
		all = append(all, m.around(points, shard, changes))
	}
	var best *program
	for _, p := range all {
		if p != nil && (best == nil || m.Time(p.Shape, shard) < m.Time(best.Shape, shard)) {
			best = p
		}
	}
	return best
}

// round returns the shape of a round of messages of the given number of shards, over width
// circuits each.
func (m *Machine) round(shards, width int) Shape {
	load, w := float64(shards), float64(width)
	return Shape{Steps: 1, Hops: 1, Load: m.Load(network.Tally{Hops: 1, Peak: load / w, Dilation: 1 / w, Pair: load})}
}

// pairWindows returns the best gather of an even number of points. Windows of w are reached from
// windows of w/r, rounded up, because the total of what is sent hardly depends on the windows.
func (m *Machine) pairWindows(points int, shard float64, changes int) *program {
	pairs := points / 2
	type key struct{ to, changes int }
	type choice struct {
		time float64
		last pairing.Windows
	}
	known, first := map[key]choice{}, pairing.Windows{Pairs: pairs, To: 1, Values: 2}
	var best func(to, changes int) choice
	best = func(to, changes int) choice {
		if to == 1 {
			return choice{m.Time(m.windowRound(first), shard), first}
		}
		k := key{to, changes}
		if c, ok := known[k]; ok {
			return c
		}
		least := choice{time: math.Inf(1)}
		if left := Spend(changes, 1); left >= 0 {
			for values := 2; values <= min(m.Ports+1, to); values++ {
				w := pairing.Windows{Pairs: pairs, From: arithmetic.CeilDiv(to, values), To: to, Values: values}
				time := m.Time(m.windowRound(w), shard) + m.Wait + best(w.From, left).time
				if time < least.time {
					least = choice{time, w}
				}
			}
		}
		known[k] = least
		return least
	}
	var all []pairing.Windows
	takes := Shape{}
	for to := pairs; to > 0; {
		c := best(to, changes)
		if math.IsInf(c.time, 1) {
			return nil
		}
		all = append([]pairing.Windows{c.last}, all...)
		if takes = takes.plus(m.windowRound(c.last)); to > 1 {
			takes.Changes++
			changes = Spend(changes, 1)
		}
		to = c.last.From
	}
	lay := func() []stage {
		return each.Of(all, func(w pairing.Windows) stage {
			return layWindows(w, m.Ports/len(w.Jumps()))
		})
	}
	return &program{
		Shape: takes, points: points, kind: gather, scattered: points, parts: 1, about: fmt.Sprintf("gather among %d pairs", pairs),
		Lay: lay, turned: lay,
	}
}

// windowRound returns the shape of a round of windows.
func (m *Machine) windowRound(w pairing.Windows) Shape {
	if w.From == 0 {
		return m.round(1, m.Ports)
	}
	return m.round(2*w.Tile(), m.Ports/len(w.Jumps()))
}

// layWindows lays out a round of windows, for points 0 and 1.
func layWindows(w pairing.Windows, width int) stage {
	n := 2 * w.Pairs
	jumps := w.Jumps()
	var edges []topology.Edge
	for _, t := range jumps {
		for j := range w.Pairs {
			u, v := 2*j, 2*((j+t)%w.Pairs)+1
			edges = append(edges, topology.Edge{From: u, To: v, Count: width}, topology.Edge{From: v, To: u, Count: width})
		}
	}
	g := topology.New(n, fmt.Sprintf("%d pairs, %s apart", w.Pairs, list(jumps)), edges)
	return stage{Net: network.New(g, topology.Rotations(n, 2)), steps: [][]network.Way{waysOf(w.Messages())}}
}

// list writes numbers separated by commas.
func list(numbers []int) string {
	text := ""
	for i, x := range numbers {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprint(x)
	}
	return text
}

// waysOf returns the messages of a round as ways.
func waysOf(r pairing.Round) []network.Way {
	var ways []network.Way
	for _, m := range r {
		path := []int32{int32(m.From), int32(m.To)}
		for _, s := range m.Shards {
			ways = append(ways, network.Way{Source: s, Path: path})
		}
	}
	return ways
}

// called returns the gather that consists of the given rounds.
func (m *Machine) called(points int, takes Shape, about string, rounds func() []pairing.Round) *program {
	takes.Changes = takes.Steps - 1
	lay := func() []stage {
		var all []stage
		for i, r := range rounds() {
			var edges []topology.Edge
			joined := map[[2]int]bool{}
			for _, call := range r {
				for _, e := range [][2]int{{call.From, call.To}, {call.To, call.From}} {
					if !joined[e] {
						joined[e] = true
						edges = append(edges, topology.Edge{From: e[0], To: e[1], Count: m.Ports})
					}
				}
			}
			g := topology.New(points, fmt.Sprintf("round %d of %d", i+1, points), edges)
			all = append(all, stage{Net: network.New(g, topology.Translations{}), steps: [][]network.Way{waysOf(r)}})
		}
		return all
	}
	return &program{
		Shape: takes, points: points, kind: gather, scattered: points, parts: 1, about: about,
		Lay: lay, turned: lay, uneven: true,
	}
}

// folded returns the best gather of an odd number of points by way of an even core.
func (m *Machine) folded(points int, shard float64, changes int) *program {
	least, at, takes := math.Inf(1), 0, Shape{}
	for core := (points + 3) / 4 * 2; core < points; core += 2 {
		shape := Shape{}
		for _, load := range pairing.FoldLoads(points, core) {
			shape = shape.plus(m.round(load, m.Ports))
		}
		shape.Changes = shape.Steps - 1
		if changes != AnyChanges && shape.Changes > changes {
			break // larger cores take no fewer rounds
		}
		if time := m.Time(shape, shard); time < least {
			least, at, takes = time, core, shape
		}
	}
	if at == 0 {
		return nil
	}
	return m.called(points, takes, fmt.Sprintf("gather of %d folded into %d", points, at), func() []pairing.Round {
		return pairing.Fold(points, at)
	})
}

// mostMet is how many gathers of package pairing's Meet are made to find the best.
const mostMet = 4

// metKey is what such a gather depends on.
type metKey struct{ points, most int }

// met returns the best gather of an odd number of points over one port in rounds that leave
// another point out each time. Few of those that may be the best are made.
func (s *Search) met(points int, shard float64, changes int) *program {
	if points%2 == 0 || s.Ports > 1 || points > mostPaired {
		return nil
	}
	type choice struct {
		most int
		time float64 // a lower bound
	}
	var all []choice
	most, rounds := pairing.MeetLeast(points)
	for i, m := range most {
		if k := rounds[i]; k-1 <= changes {
			all = append(all, choice{m, s.Time(Shape{Steps: k, Hops: k, Changes: k - 1, Load: float64(points - 1 + m)}, shard)})
		}
	}
	slices.SortStableFunc(all, func(a, b choice) int { return cmp.Compare(a.time, b.time) })
	var best []pairing.Round
	var takes Shape
	least := math.Inf(1)
	for _, c := range all[:min(len(all), mostMet)] {
		if c.time >= least {
			break
		}
		rounds := planner.Kept(s.Memory, metKey{points, c.most}, func() ([]pairing.Round, bool) {
			return pairing.Meet(points, c.most), true
		})
		shape := Shape{Changes: len(rounds) - 1}
		for _, r := range rounds {
			shape = shape.plus(s.round(r.Load(), 1))
		}
		if time := s.Time(shape, shard); len(rounds)-1 <= changes && time < least {
			best, takes, least = rounds, shape, time
		}
	}
	if best == nil {
		return nil
	}
	return s.called(points, takes, fmt.Sprintf("gather of %d in %d rounds", points, len(best)), func() []pairing.Round { return best })
}

// circle returns the best gather of an odd number of points that talk to the points around them
// one by one.
func (m *Machine) circle(points int, shard float64, changes int) *program {
	all, takes := m.stretches(points, shard, changes, points/2, func(s pairing.Stretch) Shape {
		one, r := m.round(s.Tile(), m.Ports), s.Rounds()
		return Shape{Steps: r, Hops: r, Changes: r, Load: one.Load * float64(r)}
	})
	if all == nil {
		return nil
	}
	return m.called(points, takes, fmt.Sprintf("gather of %d in %d circles", points, len(all)), func() []pairing.Round {
		return pairing.Circle(all)
	})
}

// around returns the best gather of points that talk to as many points around them at once as
// they have ports. With two ports, windows grow threefold in a round.
func (m *Machine) around(points int, shard float64, changes int) *program {
	all, takes := m.stretches(points, shard, changes, m.Ports/2, func(s pairing.Stretch) Shape {
		one := m.round(s.Tile(), m.Ports/(2*s.Reach))
		one.Changes = 1
		return one
	})
	if all == nil {
		return nil
	}
	takes.Changes--
	lay := func() []stage {
		list := make([]stage, len(all))
		for i, s := range all {
			width := slices.Repeat([]int{m.Ports / (2 * s.Reach)}, 2*s.Reach)
			g := topology.DirectedCirculant(points, Repeat(s.Distances(), width)...)
			list[i] = stage{Net: network.New(g, topology.Rotations(points, 1)), steps: [][]network.Way{waysOf(s.Calls(pairing.Start(all[:i])))}}
		}
		return list
	}
	return &program{
		Shape: takes, points: points, kind: gather, scattered: points, parts: 1,
		about: fmt.Sprintf("gather on %d two-way circulants of %d", len(all), points), Lay: lay, turned: lay,
	}
}

// stretches returns the best stretches from one shard to all, in which points talk to no more
// than most others on either side, and the shape of these stretches; nil if none have so few
// reconfigurations. The first circuits count as one reconfiguration. Stretches of w shards follow
// those of w/r, rounded up, if a point talks to r-1 others.
func (m *Machine) stretches(points int, shard float64, changes, most int, takes func(pairing.Stretch) Shape) ([]pairing.Stretch, Shape) {
	type key struct{ to, changes int }
	type choice struct {
		time float64
		last pairing.Stretch
	}
	known := map[key]choice{}
	var best func(to, changes int) choice
	best = func(to, changes int) choice {
		if to == 1 {
			return choice{}
		}
		k := key{to, changes}
		if c, ok := known[k]; ok {
			return c
		}
		least := choice{time: math.Inf(1)}
		for reach := 1; reach <= most && (reach == 1 || 2*reach < to); reach++ {
			s := pairing.Stretch{Points: points, From: (to + 2*reach) / (2*reach + 1), To: to, Reach: reach}
			shape := takes(s)
			left := Spend(changes, shape.Changes)
			if left < 0 || !s.Apart() {
				continue
			}
			if time := m.Time(shape, shard) + best(s.From, left).time; time < least.time {
				least = choice{time, s}
			}
		}
		known[k] = least
		return least
	}
	if changes != AnyChanges {
		changes++
	}
	var all []pairing.Stretch
	for to := points; to > 1; {
		c := best(to, changes)
		if math.IsInf(c.time, 1) {
			return nil, Shape{}
		}
		all = append([]pairing.Stretch{c.last}, all...)
		to, changes = c.last.From, Spend(changes, takes(c.last).Changes)
	}
	sum := Shape{}
	all = pairing.Grown(all)
	for _, s := range all {
		if !s.Apart() {
			return nil, Shape{}
		}
		sum = sum.plus(takes(s))
	}
	return all, sum
}

// foldedSum returns the exchange of an odd number of points with a core of a power of two. The
// other points first add their vectors to those of the core, and get the sum at the end.
func (m *Machine) foldedSum(points int) *program {
	core := 1 << (bits.Len(uint(points)) - 1)
	takes := Shape{}
	for range bits.Len(uint(points)) + 1 {
		takes = takes.plus(m.round(1, m.Ports))
	}
	takes.Changes = takes.Steps - 1
	// lay lays out the rounds. add appends one between points of the core and the others, or
	// within the core.
	lay := func() []stage {
		var all []stage
		add := func(name string, both bool, replaces bool, pairs func(yield func(from, to int))) {
			var edges []topology.Edge
			var step []network.Way
			pairs(func(from, to int) {
				edges = append(edges, topology.Edge{From: from, To: to, Count: m.Ports}, topology.Edge{From: to, To: from, Count: m.Ports})
				step = append(step, network.Way{Source: from, Modulus: 1, Path: []int32{int32(from), int32(to)}, Replaces: replaces})
				if both {
					step = append(step, network.Way{Source: to, Modulus: 1, Path: []int32{int32(to), int32(from)}})
				}
			})
			g := topology.New(points, name, edges)
			all = append(all, stage{Net: network.New(g, topology.Translations{}), kind: exchange, steps: [][]network.Way{step}})
		}
		fold := fmt.Sprintf("fold %d of %d", points-core, points)
		add(fold, false, false, func(yield func(from, to int)) {
			for v := core; v < points; v++ {
				yield(v, v-core)
			}
		})
		for bit := core / 2; bit > 0; bit /= 2 {
			add(fmt.Sprintf("pairs %d apart of %d", bit, points), true, false, func(yield func(from, to int)) {
				for v := range core {
					if v&bit == 0 {
						yield(v, v|bit)
					}
				}
			})
		}
		add(fold, false, true, func(yield func(from, to int)) {
			for v := core; v < points; v++ {
				yield(v-core, v)
			}
		})
		return all
	}
	return &program{
		Shape: takes, points: points, kind: exchange, scattered: 1, parts: 1,
		about: fmt.Sprintf("exchange of %d folded into %d", points, core), Lay: lay, has: Uses{Exchange: true}, uneven: true,
	}
}
