package bfb_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// program is what node u receives in step t, as Zhao et al. write it down in LP (3) and,
// with speeds and latencies, in LP (13).
type program struct {
	links  []topology.Edge // into u, which deliver something in this step
	speed  []bfb.Link      // of them
	size   int64           // of a shard
	shards [][]int         // for every shard, the links that can deliver it
}

// newProgram reads the program off the distances.
func newProgram(g *topology.Graph, dist [][]int32, u, t int, links []bfb.Link, size int64) program {
	p := program{size: size}
	bundle := 0
	for e := range g.Edges() {
		if e.To == u && e.From != u {
			p.links = append(p.links, e)
			speed := bfb.Link{Bandwidth: 1}
			if links != nil {
				speed = links[bundle]
			}
			p.speed = append(p.speed, speed)
		}
		bundle++
	}
	for v := range dist {
		if int(dist[v][u]) != t {
			continue
		}
		var senders []int
		for i, e := range p.links {
			if int(dist[v][e.From]) == t-1 {
				senders = append(senders, i)
			}
		}
		p.shards = append(p.shards, senders)
	}
	return p
}

// solve returns the least time and the load of every link, or nil if some shard has no
// link left. Links that are closed are not in the program.
func (p *program) solve(closed []bool) (*big.Rat, []*big.Rat) {
	// Columns: the shares, the time U, and a slack for every link.
	type share struct{ shard, link int }
	var shares []share
	for v, senders := range p.shards {
		for _, i := range senders {
			if !closed[i] {
				shares = append(shares, share{v, i})
			}
		}
	}
	columns := len(shares) + 1 + len(p.links)
	line := func() []*big.Rat {
		row := make([]*big.Rat, columns)
		for j := range row {
			row[j] = new(big.Rat)
		}
		return row
	}
	var a [][]*big.Rat
	var b []*big.Rat
	for v := range p.shards {
		row := line()
		for j, s := range shares {
			if s.shard == v {
				row[j].SetInt64(1)
			}
		}
		a, b = append(a, row), append(b, big.NewRat(1, 1))
	}
	for i, l := range p.speed {
		if closed[i] {
			continue
		}
		// weight U - size * load - slack = weight * latency
		row := line()
		weight := l.Bandwidth * int64(p.links[i].Count)
		for j, s := range shares {
			if s.link == i {
				row[j].SetInt64(-p.size)
			}
		}
		row[len(shares)].SetInt64(weight)
		row[len(shares)+1+i].SetInt64(-1)
		a, b = append(a, row), append(b, big.NewRat(weight*l.Latency, 1))
	}
	c := line()
	c[len(shares)].SetInt64(1)
	x := minimize(c, a, b)
	if x == nil {
		return nil, nil
	}
	loads := make([]*big.Rat, len(p.links))
	for i := range loads {
		loads[i] = new(big.Rat)
	}
	for j, s := range shares {
		loads[s.link].Add(loads[s.link], x[j])
	}
	return x[len(shares)], loads
}

// least returns the least time after removing, as appendix D.3 says, links that carry nothing
// and whose latency determines the time.
func (p *program) least() *big.Rat {
	closed := make([]bool, len(p.links))
	time, loads := p.solve(closed)
	for {
		slowest := -1
		for i, l := range p.speed {
			if !closed[i] && loads[i].Sign() == 0 && big.NewRat(l.Latency, 1).Cmp(time) >= 0 {
				slowest = i
			}
		}
		if slowest < 0 {
			return time
		}
		closed[slowest] = true
		time, loads = p.solve(closed)
	}
}

// timeOf returns how long the links into u take for what the transfers put on them.
func timeOf(p program, loads map[int]*big.Rat) *big.Rat {
	time := new(big.Rat)
	for i, e := range p.links {
		load := loads[e.From]
		if load == nil {
			continue
		}
		l := p.speed[i]
		each := new(big.Rat).Mul(load, big.NewRat(p.size, l.Bandwidth*int64(e.Count)))
		if each.Add(each, big.NewRat(l.Latency, 1)); each.Cmp(time) > 0 {
			time = each
		}
	}
	return time
}

// checkAgainstProgram compares every node and step of an allgather with its program.
func checkAgainstProgram(t *testing.T, g *topology.Graph, opts bfb.Options) {
	t.Helper()
	s := solve(t, g, opts)
	loads := linkLoads(s)
	dist := distances(g)
	for step := 1; step <= s.Steps; step++ {
		worst := new(big.Rat)
		for u := range g.Nodes() {
			p := newProgram(g, dist, u, step, opts.Links, max(1, opts.Shard))
			if len(p.shards) == 0 {
				continue
			}
			want := p.least()
			if got := timeOf(p, loads[step][u]); got.Cmp(want) != 0 {
				t.Fatalf("%s, links %v: node %d needs %v in step %d, the linear program %v", g.Name(), opts.Links, u, got, step, want)
			}
			if worst.Cmp(want) < 0 {
				worst = want
			}
		}
		if s.PerStep[step-1].Cmp(worst) != 0 {
			t.Fatalf("%s, links %v: step %d takes %v, by linear programs %v", g.Name(), opts.Links, step, s.PerStep[step-1], worst)
		}
	}
}

func TestLoadsEqualTheLinearProgram(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 1))
	for range 40 {
		checkAgainstProgram(t, randomDigraph(r, 2+r.IntN(11), 4), bfb.Options{})
	}
	for _, expr := range []string{"GenKautz(3,8)", "UniRing(3,4)", "DC(7;1,3,3)", "Product(UniRing(2,3),Ring(3))"} {
		checkAgainstProgram(t, parse(t, expr), bfb.Options{})
	}
}

func TestUnequalLinksEqualTheLinearProgram(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	for trial := range 60 {
		g := randomDigraph(r, 2+r.IntN(8), 4)
		links := make([]bfb.Link, g.Bundles())
		for i := range links {
			links[i].Bandwidth = int64(1+r.IntN(6)) * 10
			if trial%2 == 0 {
				links[i].Latency = int64(r.IntN(5))
			}
		}
		checkAgainstProgram(t, g, bfb.Options{Links: links, Shard: int64(1 + r.IntN(40))})
	}
}

// TestConjecture1IsFalse shows a circulant graph without a BW-optimal BFB schedule, by
// the linear program as well. (Zhao et al., appendix E.4, Conjecture 1.) It is the
// smallest: all circulants of two and of three jumps on fewer nodes have one.
func TestConjecture1IsFalse(t *testing.T) {
	g := topology.Circulant(15, 1, 4, 5)
	s := solve(t, g, bfb.Options{})
	if s.Bandwidth.Cmp(big.NewRat(1, 1)) != 0 || s.BandwidthOptimal {
		t.Errorf("%s: bandwidth %v, want 1 instead of 14/15", g.Name(), s.Bandwidth)
	}
	p := newProgram(g, distances(g), 0, 2, nil, 1)
	if u := p.least(); u.Cmp(big.NewRat(3, 2)) != 0 || len(p.shards) != 8 {
		t.Errorf("%s: node 0 gets %d shards at load %v in step 2, want 8 at 3/2 and not at 8/6", g.Name(), len(p.shards), u)
	}
	for n := 5; n < 15; n++ {
		for jumps := range circulantJumps(n) {
			if s := solve(t, topology.Circulant(n, jumps...), bfb.Options{}); !s.BandwidthOptimal {
				t.Errorf("C(%d;%v): bandwidth %v, want %d/%d", n, jumps, s.Bandwidth, n-1, n)
			}
		}
	}
}

// byLinearPrograms makes the schedule as Zhao et al. do, with a linear program for every
// node and step, and returns the time.
func byLinearPrograms(g *topology.Graph) *big.Rat {
	dist := distances(g)
	time := new(big.Rat)
	for step := 1; ; step++ {
		worst := new(big.Rat)
		for u := range g.Nodes() {
			p := newProgram(g, dist, u, step, nil, 1)
			if len(p.shards) == 0 {
				continue
			}
			if least, _ := p.solve(make([]bool, len(p.links))); worst.Cmp(least) < 0 {
				worst = least
			}
		}
		if worst.Sign() == 0 {
			return time
		}
		time.Add(time, worst)
	}
}
