package topology

import (
	"fmt"
	"slices"
	"strings"
)

// Zhao et al. draw the Diamond and the modified de Bruijn graphs of their Table 9 in figures 16
// and 17, but do not define them in words beyond the titles of the figures. The graphs here
// have the properties that the paper states for its own. The tests of planner/direct/arrival
// find them, say what they look for, and write found.go.

// searchedGraph is a graph that is stored as data: row u holds the targets of u.
type searchedGraph struct {
	expr string
	rows [][]int32
}

// searched returns the graph with the given expression, or nil.
func searched(expr string) *searchedGraph {
	i := slices.IndexFunc(searchedGraphs, func(s searchedGraph) bool { return s.expr == expr })
	if i < 0 {
		return nil
	}
	return &searchedGraphs[i]
}

// has reports whether the graph has n nodes of the degree.
func (s *searchedGraph) has(n, degree int) bool { return len(s.rows) == n && len(s.rows[0]) == degree }

func (s *searchedGraph) size() size {
	return size{nodes: int64(len(s.rows)), degree: int64(len(s.rows[0]))}
}

func (s *searchedGraph) build() *Graph {
	return fromRows(s.expr, len(s.rows), len(s.rows[0]), func(u int, out []int32) []int32 {
		return append(out, s.rows[u]...)
	})
}

// modifiedDeBruijnSize accepts the graphs that Table 9 lists.
func modifiedDeBruijnSize(x []int, _ []size) (size, *fault) {
	if s := searched(fmt.Sprintf("DBJMod(%d,%d)", x[0], x[1])); s != nil {
		return s.size(), nil
	}
	var known []string
	for _, s := range searchedGraphs {
		if strings.HasPrefix(s.expr, "DBJMod") {
			known = append(known, s.expr)
		}
	}
	return size{}, wrong(-1, "the modified de Bruijn graphs are %s", strings.Join(known, ", "))
}
