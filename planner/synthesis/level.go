package synthesis

// level is a class of steps with limits on the hops of their routes, and the cuts known for it.
// Longer routes mean more propagation and less load, so the cost of a step is the least over its
// levels.
type level struct {
	index    int // among all levels
	class    int
	from, to int // least and most hops of the longest route
	solver   *concurrent

	// Per cut: the most that its lengths times circuits can sum to, and, by pair of nodes, how
	// much of that a circuit between them wastes. They bound the load of partial topologies.
	most  []float64
	waste [][]float64
	room  [][]float64 // by number of circuits laid: most minus their waste
}

// maxCuts limits the cuts of a level, since every circuit laid evaluates them all.
const maxCuts = 1024

// newLevels divides the hops of every class into levels: one, two and three hops, and any more.
// Without propagation there is only one level.
func newLevels(iv *interval, a *arcs) (levels []*level, byClass [][]*level) {
	const single = 3
	byClass = make([][]*level, len(iv.classes))
	for i, c := range iv.classes {
		demands := a.commodities(c.all())
		add := func(from, to int) {
			l := &level{
				index: len(levels), class: i, from: from, to: to, solver: newConcurrent(a, demands, to),
				waste: make([][]float64, a.n*a.n), room: make([][]float64, a.n*iv.Ports+1),
			}
			levels = append(levels, l)
			byClass[i] = append(byClass[i], l)
		}
		last := a.n - 1
		if iv.Delta == 0 || len(demands) == 0 {
			add(0, last)
			continue
		}
		for h := 1; h < min(1+single, last); h++ {
			add(h, h)
		}
		add(min(1+single, last), last)
	}
	return levels, byClass
}

// add adds a cut, with lengths for every pair of nodes, and evaluates it on the circuits laid so
// far.
func (l *level) add(iv *interval, length []float64, laid [][2]int) {
	n := iv.Nodes
	if len(l.most) >= maxCuts {
		return
	}
	value := length
	if iv.Duplex {
		value = symmetric(n, length)
	}
	p := priceOf(n, iv.Ports, value)
	if iv.Duplex {
		for u := range n {
			p.out[u] = (p.out[u] + p.in[u]) / 2
			p.in[u] = p.out[u]
		}
	}
	l.most = append(l.most, p.total)
	for e, x := range value {
		u, v := e/n, e%n
		lost := p.waste(u, v, x)
		switch {
		case u == v && !iv.monotone():
			lost = 0 // a port may be dark at one end only
		case u != v && iv.Duplex:
			lost *= 2
		}
		l.waste[e] = append(l.waste[e], lost)
	}
	room := p.total
	for depth := range l.room {
		l.room[depth] = append(l.room[depth], room)
		if depth < len(laid) {
			room -= l.waste[laid[depth][0]*n+laid[depth][1]][len(l.most)-1]
		}
	}
}

// lay evaluates all cuts after one more circuit, and returns the load that the best of them
// proves.
func (l *level) lay(depth, pair int) float64 {
	before, after := l.room[depth], l.room[depth+1]
	least := inf
	for j, w := range l.waste[pair] {
		r := before[j] - w
		after[j] = r
		if r < least {
			least = r
		}
	}
	return 1 / max(0, least) // without room the load is infinite
}
