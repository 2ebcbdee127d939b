package layout

import (
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/topology"
)

// Circuit is a circuit with the port at each end, and the switch that both are plugged into. A
// two-way circuit is one Circuit, with From below To, and uses both fibres of its ports.
type Circuit struct {
	From, FromPort, To, ToPort, Switch int
}

// ErrGivenUp says that the search for an assignment gave up: there may be one.
var ErrGivenUp = errors.New("no assignment to switches was found")

// effort limits a search for an assignment, in choices made.
const effort = 1 << 18

// Check reports why the circuits of a graph cannot all be up at the same time, or nil: GPUs
// without a common switch, more circuits than ports there, two-way circuits without a proper
// edge colouring. An error that wraps ErrGivenUp is not a proof.
//
// One-way circuits need no colouring: on a bundle of k switches a GPU has k times as many ports
// as on each, and a bipartite graph of that degree is a union of k such matchings (König).
func (p *Plugging) Check(g *topology.Graph, twoWay bool) error {
	d, err := p.deal(g, twoWay)
	if err != nil || !twoWay {
		return err
	}
	for i := range p.bundles {
		if len(p.bundles[i].switches) == 1 || len(d.lists[i]) == 0 {
			continue
		}
		if _, err := p.coloured(i, d.lists[i], twoWay); err != nil {
			return err
		}
	}
	return nil
}

// Assign gives every circuit of a graph its switch and its ports, in the order of the graph's
// edges. Its errors are those of Check.
func (p *Plugging) Assign(g *topology.Graph, twoWay bool) ([]Circuit, error) {
	d, err := p.deal(g, twoWay)
	if err != nil {
		return nil, err
	}
	made := make([]Circuit, len(d.pairs))
	for i := range p.bundles {
		if len(d.lists[i]) == 0 {
			continue
		}
		set, err := p.coloured(i, d.lists[i], twoWay)
		if err != nil {
			return nil, err
		}
		for j, c := range set {
			made[d.index[i][j]] = c
		}
	}
	return made, nil
}

// dealt is circuits assigned to bundles.
type dealt struct {
	pairs [][2]int   // all circuits; two-way ones with the smaller GPU first
	lists [][][2]int // circuits of each bundle
	index [][]int    // their indices in pairs
}

// deal gives every circuit a bundle with free ports at both ends.
func (p *Plugging) deal(g *topology.Graph, twoWay bool) (*dealt, error) {
	if g.Nodes() != p.nodes {
		return nil, fmt.Errorf("has %d nodes, the layout %d", g.Nodes(), p.nodes)
	}
	d := &dealt{lists: make([][][2]int, len(p.bundles)), index: make([][]int, len(p.bundles))}
	t := newTally(p, twoWay)
	var loops, open []int
	for e := range g.Edges() {
		if twoWay && e.From > e.To {
			continue
		}
		alone := -1 // the only bundle for these circuits
		if p.single && e.From != e.To {
			if alone = p.together(e.From, e.To); alone < 0 {
				return nil, apart(e.From, e.To)
			}
			if err := t.take(e.From, e.To, alone, e.Count); err != nil {
				return nil, err
			}
		}
		for range e.Count {
			i := len(d.pairs)
			d.pairs = append(d.pairs, [2]int{e.From, e.To})
			switch {
			case e.From == e.To:
				loops = append(loops, i)
			case alone < 0:
				open = append(open, i)
			default:
				d.put(i, alone)
			}
		}
	}
	if err := p.choose(d, t, open); err != nil {
		return nil, err
	}
	// Loops take what is left: they compete with no other circuit.
	for _, i := range loops {
		u, found := d.pairs[i][0], false
		for _, at := range p.of[u] {
			if t.fits(u, u, at.bundle) {
				found = true
				_ = t.take(u, u, at.bundle, 1)
				d.put(i, at.bundle)
				break
			}
		}
		if !found {
			return nil, fmt.Errorf("GPU %d has no port left for a circuit to itself", u)
		}
	}
	return d, nil
}

func apart(u, v int) error { return fmt.Errorf("GPUs %d and %d have no switch in common", u, v) }

func (d *dealt) put(circuit, bundle int) {
	d.lists[bundle] = append(d.lists[bundle], d.pairs[circuit])
	d.index[bundle] = append(d.index[bundle], circuit)
}

// tally counts circuits by GPU and bundle (Plugging.slot).
type tally struct {
	p       *Plugging
	twoWay  bool
	out, in []int // the same list for two-way circuits
}

func newTally(p *Plugging, twoWay bool) *tally {
	t := &tally{p: p, twoWay: twoWay, out: make([]int, len(p.rooms))}
	if t.in = t.out; !twoWay {
		t.in = make([]int, len(p.rooms))
	}
	return t
}

// fits reports whether there is room for one more circuit.
func (t *tally) fits(u, v, bundle int) bool {
	i, j := t.p.slot(u, bundle), t.p.slot(v, bundle)
	return t.out[i] < t.p.rooms[i] && t.in[j] < t.p.rooms[j]
}

// take takes ports for circuits between two GPUs.
func (t *tally) take(u, v, bundle, count int) error {
	i, j := t.p.slot(u, bundle), t.p.slot(v, bundle)
	t.out[i] += count
	if !t.twoWay || u != v {
		t.in[j] += count
	}
	switch {
	case t.out[i] > t.p.rooms[i]:
		return tooMany(u, v, t.p.rooms[i])
	case t.in[j] > t.p.rooms[j]:
		return tooMany(v, u, t.p.rooms[j])
	}
	return nil
}

func tooMany(u, v, room int) error {
	return fmt.Errorf("GPU %d has more circuits than ports (%d) on switches with GPU %d", u, room, v)
}
