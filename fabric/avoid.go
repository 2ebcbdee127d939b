package fabric

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/topology"
)

// Avoided is what has failed: plans do without it.
type Avoided struct {
	GPUs  map[int]bool    // that take no part and have no circuits
	Links map[[2]int]bool // pairs between which there is no circuit, in this direction
	Ports map[int]int     // how many ports fewer a GPU has
}

const avoidSyntax = "use a list of gpu:5, link:3-4 (both ways), link:3>4 (one way) and port:7 (one port less)"

// parseAvoid reads a list such as "gpu:5,link:3-4,port:7"; "" and "none" are nothing.
func parseAvoid(text string, nodes int) (*Avoided, error) {
	a := &Avoided{GPUs: map[int]bool{}, Links: map[[2]int]bool{}, Ports: map[int]int{}}
	if text == "" || text == nothingAvoided {
		return a, nil
	}
	for _, item := range strings.Split(text, ",") {
		if item == "" {
			return nil, fmt.Errorf("%.40q: the list has an empty entry; %s", text, avoidSyntax)
		}
		kind, what, _ := strings.Cut(item, ":")
		if err := a.add(kind, what, nodes); err != nil {
			return nil, fmt.Errorf("%q: %w; %s", item, err, avoidSyntax)
		}
	}
	return a, nil
}

const nothingAvoided = "none"

// cutPair reads the ends of a link: "3>4" or "3->4" for one way, "3-4" for both.
func cutPair(text string) (from, to string, oneWay bool) {
	if from, to, oneWay = strings.Cut(text, ">"); oneWay {
		return strings.TrimSuffix(from, "-"), to, true
	}
	from, to, _ = strings.Cut(text, "-")
	return from, to, false
}

// oneArrow writes a list of links in the one form that settings and files have: "3>4".
func oneArrow(list string) string { return strings.ReplaceAll(list, "->", ">") }

func (a *Avoided) add(kind, what string, nodes int) error {
	node := func(text string) (int, error) {
		u, err := strconv.Atoi(text)
		if err != nil || u < 0 || u >= nodes {
			return 0, fmt.Errorf("%q is not a GPU in 0..%d", text, nodes-1)
		}
		return u, nil
	}
	switch kind {
	case "gpu", "port":
		u, err := node(what)
		if err != nil {
			return err
		}
		if kind == "gpu" {
			a.GPUs[u] = true
		} else {
			a.Ports[u]++
		}
		return nil
	case "link":
		from, to, oneWay := cutPair(what)
		u, err := node(from)
		if err != nil {
			return err
		}
		v, err := node(to)
		if err != nil {
			return err
		}
		if u == v {
			return fmt.Errorf("both ends are GPU %d", u)
		}
		a.Links[[2]int{u, v}] = true
		if !oneWay {
			a.Links[[2]int{v, u}] = true
		}
		return nil
	}
	return fmt.Errorf("nothing that can fail")
}

// Avoided returns what has failed. The fabric must be valid.
func (f *Fabric) Avoided() *Avoided {
	a, err := parseAvoid(f.Avoid, f.Nodes)
	if err != nil {
		return &Avoided{}
	}
	return a
}

// Intact returns the setting avoid without its links, as if no link had failed.
func (f *Fabric) Intact() string {
	left := slices.DeleteFunc(strings.Split(f.Avoid, ","), func(item string) bool { return strings.HasPrefix(item, "link:") })
	return strings.Join(left, ",")
}

// Alive lists the GPUs that take part, nil if all do.
func (f *Fabric) Alive() []int {
	failed := f.Avoided().GPUs
	if len(failed) == 0 {
		return nil
	}
	alive := []int{} // not nil where none is left
	for u := range f.Nodes {
		if !failed[u] {
			alive = append(alive, u)
		}
	}
	return alive
}

// portsOf returns the ports of a GPU that work and may be used: where plans leave ports unused,
// those that have failed are the first of them.
func (f *Fabric) portsOf(a *Avoided, u int) int {
	if a.GPUs[u] {
		return 0
	}
	return max(0, min(f.Ports, f.AllPorts()-a.Ports[u]))
}

// LostPorts reports whether some GPU that takes part has fewer ports that work than may be used.
func (f *Fabric) LostPorts() bool {
	a := f.Avoided()
	for u := range a.Ports {
		if !a.GPUs[u] && f.portsOf(a, u) < f.Ports {
			return true
		}
	}
	return false
}

// Without returns the topology without failed circuits: those of failed GPUs and links, and
// at GPUs with failed ports the excess ones, last first. On a duplex fabric a circuit is removed
// in both directions. If nothing is removed, the result is g; otherwise its name ends in
// "-avoided".
func (f *Fabric) Without(g *topology.Graph) *topology.Graph {
	if f.Avoid == "" {
		return g
	}
	a := f.Avoided()
	out, in := make([]int, f.Nodes), make([]int, f.Nodes)
	var edges []topology.Edge
	kept := 0
	keep := func(u, v, count int) {
		out[u] += count
		in[v] += count
		kept += count
		edges = append(edges, topology.Edge{From: u, To: v, Count: count})
	}
	for e := range g.Edges() {
		u, v := e.From, e.To
		if f.Duplex && u > v {
			continue // goes with its other direction
		}
		room := min(e.Count, f.portsOf(a, u)-out[u], f.portsOf(a, v)-in[v])
		if a.Links[[2]int{u, v}] || f.Duplex && a.Links[[2]int{v, u}] || room <= 0 {
			continue
		}
		keep(u, v, room)
		if f.Duplex && u != v {
			keep(v, u, room)
		}
	}
	if kept == g.Circuits() {
		return g
	}
	return topology.New(g.Nodes(), g.Name()+"-avoided", edges)
}
