package cast

import (
	"fmt"
	"math"
	"regexp"
	"strconv"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/topology"
)

// This file has broadcasts digit by digit of the nodes' numbers. Let C(n, b) be the least time in
// which a root sends b bytes to n nodes, T the time of one stage among P nodes, and w the wait
// for a reconfiguration. Then C(n, b) is the time of the best other family or
//
//	min over P: T(scatter of b to P) + w + C(n/P, b/P) + w + T(gather of b by P)
//	min over P: T(copies of b to P) + w + C(n/P, b)
//
// whichever is least. After a scatter, each of P nodes has a P-th of the message and is the root
// of the n/P nodes that have its value of the digit; the gather ends the broadcast for all nodes
// at once. 100 nodes with one port take digits of 10 and 10: rings of 10 are much shorter than
// one of 100, and the longest steps send few bytes far.

// digitPlan is a broadcast to a number of nodes: over a digit first, or by another family.
type digitPlan struct {
	time    float64
	changes int
	nodes   int
	points  int             // of the digit; 0: none
	tree    grove           // down which the message is scattered or copied
	gather  *digit.Solution // nil: copied
	rest    *digitPlan
	whole   cast // without a digit
}

// digitKey identifies what is left to do.
type digitKey struct{ nodes, scale, changes int }

// digitSearch finds the best digitPlan.
type digitSearch struct {
	*digit.Search
	known map[digitKey]*digitPlan
}

// digitCasts returns the best broadcast with a digit, if it beats the limit.
func digitCasts(s *digit.Search, limit float64) []cast {
	if s.Sides != nil || s.Changes == 0 {
		return nil
	}
	d := &digitSearch{Search: s, known: map[digitKey]*digitPlan{}}
	best := d.overDigits(digitKey{s.Nodes, 1, s.Changes}, limit)
	if best == nil {
		return nil
	}
	chunks, moves := best.size()
	if chunks > maxChunks || moves > maxListed || float64(chunks) > s.Bytes {
		return nil
	}
	return []cast{{Time: best.time, Changes: best.changes, About: "digits: " + best.about(), Build: func() Laid { return d.lay(best) }}}
}

// best returns the best broadcast for what is left, nil if none beats the limit.
func (d *digitSearch) best(k digitKey, limit float64) *digitPlan {
	if d.floor(k.nodes, d.bytes(k)) >= limit {
		return nil
	}
	found, ok := d.known[k]
	if !ok {
		q := d.Question
		q.Nodes, q.Bytes, q.Keep, q.Changes = k.nodes, d.bytes(k), 1, k.changes
		q.NoCast = digit.Digits
		most := math.Inf(1)
		for _, c := range All(digit.NewSearch(q), q.Nodes, q.Bytes) {
			found, most = &digitPlan{time: c.Time, changes: c.Changes, nodes: k.nodes, whole: c}, c.Time
		}
		if other := d.overDigits(k, most); other != nil {
			found = other
		}
		d.known[k] = found
	}
	if found == nil || found.time >= limit {
		return nil
	}
	return found
}

func (d *digitSearch) bytes(k digitKey) float64 { return d.Bytes / float64(k.scale) }

// floor returns a lower bound on the time of a broadcast, however circuits change.
func (d *digitSearch) floor(nodes int, bytes float64) float64 {
	return d.Alpha + d.Delta*d.Hear(nodes) + d.PerByte*bytes/float64(d.Ports)
}

// overDigits returns the best broadcast that begins with a digit, nil if none beats the limit.
func (d *digitSearch) overDigits(k digitKey, limit float64) *digitPlan {
	var best *digitPlan
	offer := func(p *digitPlan) {
		if p.rest != nil && p.time < limit {
			best, limit = p, p.time
		}
	}
	bytes := d.bytes(k)
	for points := 2; points <= k.nodes/2; points++ {
		if k.nodes%points > 0 || d.Stopped() {
			continue
		}
		rest := k.nodes / points
		if left := digit.Spend(k.changes, 1); left >= 0 {
			offer(d.copied(k, points, digitKey{rest, k.scale, left}, limit))
		}
		left := digit.Spend(k.changes, 2)
		if left < 0 || bytes < float64(k.nodes) {
			continue
		}
		after := d.floor(rest, bytes/float64(points)) + d.FloorGather(points, bytes)
		tree, scatter := d.tree(points, bytes/float64(points), limit-2*d.Wait-after)
		if math.IsInf(scatter, 1) {
			continue
		}
		so := scatter + 2*d.Wait
		for inside := range digit.ChangesUpTo(left) { // reconfigurations within the gather
			task := digit.Task{Op: digit.AllGather, Nodes: points, Scale: k.scale, Changes: inside}
			gathers := d.SolveWithin(task, limit-so-d.floor(rest, bytes/float64(points)))
			if len(gathers) == 0 {
				continue
			}
			p := &digitPlan{nodes: k.nodes, points: points, tree: tree, gather: &gathers[0]}
			so := so + gathers[0].Time
			if p.rest = d.best(digitKey{rest, k.scale * points, digit.Spend(left, inside)}, limit-so); p.rest != nil {
				p.time, p.changes = so+p.rest.time, 2+gathers[0].Changes+p.rest.changes
			}
			offer(p)
		}
	}
	return best
}

// copied returns the best broadcast that first copies the message over a digit.
func (d *digitSearch) copied(k digitKey, points int, rest digitKey, limit float64) *digitPlan {
	p := &digitPlan{nodes: k.nodes, points: points}
	bytes := d.bytes(k)
	after := d.Wait + d.floor(rest.nodes, bytes)
	least := limit - after
	for g := range d.trees(points) {
		for steps := 1; steps <= g.mostSteps(); steps++ {
			if d.Alpha*float64(steps)+d.Delta*float64(g.depth) >= least {
				break
			}
			for _, g := range g.orders(d.Search, steps) {
				if time := d.Time(g.takes(&d.Machine), bytes); time < least {
					p.tree, least = g, time
				}
			}
		}
	}
	if p.tree.steps == 0 {
		return p
	}
	so := least + d.Wait
	if p.rest = d.best(rest, limit-so); p.rest != nil {
		p.time, p.changes = so+p.rest.time, 1+p.rest.changes
	}
	return p
}

// tree returns the tree with the fastest scatter and its time, if that beats the limit.
func (d *digitSearch) tree(points int, block, limit float64) (best grove, time float64) {
	time = math.Inf(1)
	for g := range d.trees(points) {
		g = g.orders(d.Search, 1)[0]
		if t := d.Time(g.takes(&d.Machine), block); t < min(time, limit) {
			best, time = g, t
		}
	}
	return best, time
}

// trees yields the trees from one root to the given number of nodes.
func (d *digitSearch) trees(points int) func(yield func(g grove) bool) {
	return func(yield func(g grove) bool) {
		for fan := 1; fan <= min(d.Ports, points-1); fan++ {
			g := grove{roots: 1, nodes: points, fan: fan, width: d.Ports / fan, below: points - 1, depth: levelsOf(fan, points)}
			if d.Duplex && g.depth > 1 {
				g.width = d.Ports / (fan + 1) // the circuit to the parent takes a port, too
			}
			if g.width == 0 || !yield(g) {
				return
			}
			if wide, more := g.widened(d.Ports, d.Duplex); more && !yield(wide.lowered()) {
				return
			}
		}
	}
}

// about describes the broadcast.
func (p *digitPlan) about() string {
	switch {
	case p.points == 0:
		return p.whole.About
	case p.gather == nil:
		return fmt.Sprintf("copies to %d, then %s", p.points, p.rest.about())
	}
	return fmt.Sprintf("scatter to %d, then %s, and gather", p.points, p.rest.about())
}

// size returns upper bounds on the number of chunks and of transfers.
func (p *digitPlan) size() (chunks, moves int) {
	if p.points == 0 {
		l := p.whole.Build()
		for _, st := range l.Stages {
			for _, step := range st.Steps {
				moves += step.Len()
			}
		}
		return l.Space.Chunks(), moves
	}
	chunks, moves = p.rest.size()
	moves = moves*p.points + p.points*p.tree.steps
	if p.gather == nil {
		return chunks, moves
	}
	stages, parts, _ := digit.Listed(*p.gather, collective.AllGather, false)
	for _, st := range stages {
		for _, step := range st.Steps {
			moves += step.Len() * p.nodes / p.points
		}
	}
	return arithmetic.LCM(chunks, parts) * p.points, moves
}

// lay lays out a broadcast.
func (d *digitSearch) lay(p *digitPlan) Laid {
	if p.points == 0 {
		return p.whole.Build()
	}
	rest := d.lay(p.rest)
	if p.gather == nil {
		return d.layCopied(p, rest)
	}
	gathered, parts, _ := digit.Listed(*p.gather, collective.AllGather, d.Stores)
	inner := rest.Space.Chunks()
	own := arithmetic.LCM(inner, parts) // chunks of a part of the message
	l := Laid{Space: collective.SpaceOf(collective.Broadcast, p.nodes, own*p.points)}
	first := d.scatterStage(p, own)
	l.Stages, l.deals = append(l.Stages, first), append(l.deals, true)
	l.addAll(rest, p.points, func(group int, c collective.Chunks) collective.Chunks {
		return finer(c, own/inner, group*own)
	})
	space := collective.Space{Kind: collective.Blocks, Nodes: p.points, Parts: parts}
	for _, st := range gathered {
		made := plan.Stage{Topology: copiesOf(st.Topology, p.nodes, 1)}
		for i := range st.Steps {
			var step plan.Step
			for t := range st.Steps[i].All(space) {
				chunks := finer(t.Chunks, own/parts, 0)
				for copy := range p.nodes / p.points {
					step.Base = append(step.Base, moved(t, chunks, func(v int) int { return copy*p.points + v }))
				}
			}
			made.Steps = append(made.Steps, step)
		}
		l.add(made)
	}
	return l
}

// layCopied lays out copies over a digit and then the rest.
func (d *digitSearch) layCopied(p *digitPlan, rest Laid) Laid {
	chunks := rest.Space.Chunks()
	l := Laid{Space: collective.SpaceOf(collective.Broadcast, p.nodes, chunks)}
	l.add(layGrove(d.Search, p.nodes, p.tree, collective.Every(0, 1, chunks)))
	l.addAll(rest, p.points, func(_ int, c collective.Chunks) collective.Chunks { return c })
	return l
}

// scatterStage returns the stage that deals out parts of own chunks each to the nodes of a digit.
func (d *digitSearch) scatterStage(p *digitPlan, own int) plan.Stage {
	parent, level := p.tree.grow()
	var edges []topology.Edge
	var step plan.Step
	for v := 1; v < p.points; v++ {
		edges = append(edges, topology.Edge{From: parent[v], To: v, Count: p.tree.width})
		path := make([]int32, level[v]+1)
		for h, u := level[v], v; h >= 0; h-- {
			path[h] = int32(u)
			u = parent[u]
		}
		step.Base = append(step.Base, copyOver(path, collective.Every(v*own, 1, own)))
	}
	name := fmt.Sprintf("a tree of %d by %d", p.points, p.tree.fan)
	return plan.Stage{Topology: topology.New(p.nodes, name, tieUp(edges, d.Duplex)), Steps: []plan.Step{step}}
}

// add adds a stage that deals nothing out. If the last stage has the same circuits, add appends
// the steps to that stage.
func (l *Laid) add(st plan.Stage) {
	for range st.Steps {
		l.deals = append(l.deals, false)
	}
	if last := len(l.Stages) - 1; last >= 0 && l.Stages[last].Topology.Equal(st.Topology) {
		l.Stages[last].Steps = append(l.Stages[last].Steps, st.Steps...)
		return
	}
	l.Stages = append(l.Stages, st)
}

// addAll adds a broadcast in each of a number of groups. Node v of group i is v*groups+i, and
// chunks returns the chunks that stand for those of a group.
func (l *Laid) addAll(rest Laid, groups int, chunks func(group int, c collective.Chunks) collective.Chunks) {
	nodes := rest.Space.Nodes * groups
	seen := 0
	for _, st := range rest.Stages {
		made := plan.Stage{Topology: copiesOf(st.Topology, nodes, groups)}
		for i := range st.Steps {
			var step plan.Step
			for t := range st.Steps[i].All(rest.Space) {
				for group := range groups {
					step.Base = append(step.Base, moved(t, chunks(group, t.Chunks), func(v int) int { return v*groups + group }))
				}
			}
			made.Steps = append(made.Steps, step)
		}
		l.add(made)
		for i := range made.Steps {
			l.deals[len(l.deals)-len(made.Steps)+i] = rest.dealt(seen)
			seen++
		}
	}
}

// copiesOf returns copies of a graph side by side. Consecutive nodes of a copy are apart nodes
// from each other; the nodes in between belong to other copies. Copies of copies are named as
// copies of the original graph.
func copiesOf(g *topology.Graph, nodes, apart int) *topology.Graph {
	var edges []topology.Edge
	for first := range nodes {
		if first%(apart*g.Nodes()) >= apart {
			continue
		}
		for e := range g.Edges() {
			edges = append(edges, topology.Edge{From: first + e.From*apart, To: first + e.To*apart, Count: e.Count})
		}
	}
	name, copies := g.Name(), nodes/g.Nodes()
	if m := copiesName.FindStringSubmatch(name); m != nil {
		known, _ := strconv.Atoi(m[1]) // nine digits
		by, _ := strconv.Atoi(m[3])
		name, copies, apart = m[2], copies*known, apart*by
	}
	return topology.New(nodes, fmt.Sprintf("%dx%s@%d", copies, name, apart), edges)
}

// copiesName matches the names of graphs that are several copies of another; see digit.Stages.
var copiesName = regexp.MustCompile(`^([0-9]{1,9})x(.*)@([0-9]{1,9})$`)

// moved returns a transfer between other nodes, with the given chunks.
func moved(t plan.Transfer, chunks collective.Chunks, to func(v int) int) plan.Transfer {
	t.Src, t.Dst, t.Chunks = to(t.Src), to(t.Dst), chunks
	routes := make([]flow.Route, len(t.Routes))
	for i, r := range t.Routes {
		path := make([]int32, len(r.Path))
		for h, v := range r.Path {
			path[h] = int32(to(int(v)))
		}
		routes[i] = flow.Route{Path: path, Share: r.Share}
	}
	t.Routes = routes
	return t
}

// finer returns chunks after each has been cut into a number of chunks, shifted by an offset.
func finer(chunks collective.Chunks, each, by int) collective.Chunks {
	var made collective.Chunks
	for _, r := range chunks {
		if r.Stride == 1 || r.Count == 1 {
			made = append(made, collective.Run{First: r.First*each + by, Count: r.Count * each, Stride: 1})
			continue
		}
		for c := range r.Count {
			made = append(made, collective.Run{First: (r.First+c*r.Stride)*each + by, Count: each, Stride: 1})
		}
	}
	return made
}
