package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/lightpath-net/lightpath/command/exploring"
	"github.com/lightpath-net/lightpath/report/tabular"
)

// TopologyFrontier writes the best topologies of a size and degree.
func TopologyFrontier(w io.Writer, f *exploring.TopologyFrontier) {
	kind := "one-way"
	if f.Bidirectional {
		kind = "two-way"
	}
	fmt.Fprintf(w, "%s on %d nodes of degree %d, %s circuits: best found %v\n\n", f.Op, f.Nodes, f.Degree, kind, f.Best.TimeNs)
	t := tabular.New("  ", "", ">steps", ">x M/B", ">time", "schedule", "topology")
	for _, p := range f.Frontier {
		mark := ""
		if p == f.Best {
			mark = "best"
		}
		t.Add(mark, strconv.Itoa(p.Steps), p.Bandwidth, p.TimeNs.String(), p.Method, p.Expr)
	}
	t.Add("bound", strconv.Itoa(f.Bound.Steps), f.Bound.Bandwidth, f.Bound.TimeNs.String(), "", "lower bounds for any topology")
	t.Write(w, 0, "")
}

// StoreContent writes what a store holds.
func StoreContent(w io.Writer, f *exploring.StoreContent) {
	fmt.Fprintf(w, "%s holds every size from 2 to %d\n", f.Store, f.Most)
}
