package draw

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/lightpath-net/lightpath/plan"
)

// Dot writes a graph for every stage: its circuits, with the bytes that each bundle carries.
// Islands are clusters, and fixed links are dashed.
func Dot(w io.Writer, p *plan.Plan) error {
	out := bufio.NewWriter(w)
	for i := range p.Stages {
		stage := &p.Stages[i]
		carried := loads(p, stage)
		fmt.Fprintf(out, "digraph stage_%d {\n  label=%s;\n  layout=%s;\n  node [shape=circle];\n", i+1, quote(fmt.Sprintf("stage %d: %s", i+1, stage.Topology.Name())), engine(p))
		nodes(out, p, stage, carried)
		for e := range stage.Topology.Edges() {
			two := stage.Topology.Count(e.To, e.From) == e.Count
			if two && e.From > e.To && carried[[2]int{e.From, e.To}] == carried[[2]int{e.To, e.From}] {
				continue // drawn once, with two heads
			}
			var attrs []string
			if two && e.From < e.To && carried[[2]int{e.From, e.To}] == carried[[2]int{e.To, e.From}] {
				attrs = append(attrs, "dir=both")
			}
			if e.Count > 1 {
				attrs = append(attrs, fmt.Sprintf("label=\"%dx\"", e.Count))
			}
			attrs = append(attrs, fmt.Sprintf("tooltip=\"%.0f bytes\"", carried[[2]int{e.From, e.To}]))
			fmt.Fprintf(out, "  %d -> %d [%s];\n", e.From, e.To, strings.Join(attrs, ", "))
		}
		links(out, p, stage, carried)
		fmt.Fprintln(out, "}")
	}
	return out.Flush()
}

// engine is the layout engine of Graphviz: circo draws no clusters.
func engine(p *plan.Plan) string {
	if p.Fabric.Islands() > 0 {
		return "fdp"
	}
	return "circo"
}

// nodes writes GPUs, those of an island together, with the bytes that they send to each other
// through it.
func nodes(out io.Writer, p *plan.Plan, stage *plan.Stage, carried map[[2]int]float64) {
	size := p.Fabric.Island.Size
	if p.Fabric.Islands() == 0 {
		for u := range p.Fabric.Nodes {
			fmt.Fprintf(out, "  %d;\n", u)
		}
		return
	}
	inside := make([]float64, p.Fabric.Islands())
	for pair, bytes := range carried {
		if plan.TierOf(&p.Fabric, stage.Topology, pair[0], pair[1]) == plan.OverIsland {
			inside[pair[0]/size] += bytes
		}
	}
	for g := range inside {
		fmt.Fprintf(out, "  subgraph cluster_%d {\n    label=\"island %d\"; tooltip=\"%.0f bytes\";\n   ", g, g, inside[g])
		for u := g * size; u < (g+1)*size; u++ {
			fmt.Fprintf(out, " %d;", u)
		}
		fmt.Fprint(out, "\n  }\n")
	}
}

// links writes the fixed links that have no parallel circuit.
func links(out io.Writer, p *plan.Plan, stage *plan.Stage, carried map[[2]int]float64) {
	if p.Fabric.Fixed.IsZero() {
		return
	}
	for e := range p.Fabric.FixedGraph().Edges() {
		if plan.TierOf(&p.Fabric, stage.Topology, e.From, e.To) == plan.OverLink {
			fmt.Fprintf(out, "  %d -> %d [style=dashed, tooltip=\"%.0f bytes\"];\n", e.From, e.To, carried[[2]int{e.From, e.To}])
		}
	}
}

// Edges writes the circuits of a stage as an edge list: from, to and number of circuits.
func Edges(w io.Writer, stage *plan.Stage) error {
	out := bufio.NewWriter(w)
	for e := range stage.Topology.Edges() {
		fmt.Fprintf(out, "%d,%d,%d\n", e.From, e.To, e.Count)
	}
	return out.Flush()
}

// loads sums the bytes that a stage sends over every bundle.
func loads(p *plan.Plan, stage *plan.Stage) map[[2]int]float64 {
	carried := map[[2]int]float64{}
	for j := range stage.Steps {
		for t := range stage.Steps[j].All(p.Collective.Space) {
			bytes := p.Bytes(t.Chunks)
			for _, route := range t.Routes {
				for h := range len(route.Path) - 1 {
					carried[[2]int{int(route.Path[h]), int(route.Path[h+1])}] += bytes * route.Share
				}
			}
		}
	}
	return carried
}

// quote writes a string of the dot language.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(text) + `"`
}
