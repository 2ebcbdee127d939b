package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/topology"
)

// Topology writes the metrics of a graph.
func Topology(w io.Writer, m *topology.Metrics) {
	yes := func(b bool) string {
		if b {
			return "yes"
		}
		return "no"
	}
	diameter, average, moore := "not strongly connected", "-", "-"
	if m.Diameter != nil {
		diameter = strconv.Itoa(*m.Diameter)
	}
	if m.AverageDistance != nil {
		average = strconv.FormatFloat(*m.AverageDistance, 'g', 6, 64)
	}
	if m.MooreDiameter != nil {
		moore = strconv.Itoa(*m.MooreDiameter)
	}
	fmt.Fprintf(w, "%s\n\n", m.Expr)
	tabular.List(w, "  ",
		[]string{"nodes", "circuits", "degree", "two-way", "diameter", "least diameter", "average distance", "reverse-symmetric"},
		[]string{strconv.Itoa(m.Nodes), strconv.Itoa(m.Circuits), strconv.Itoa(m.Degree), yes(m.Bidirectional),
			diameter, moore + " (Moore bound)", average, yes(m.ReverseSymmetric)})
}
