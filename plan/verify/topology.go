package verify

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// checkNames rebuilds the topologies whose names are expressions, or copies of one. A name in
// the form of an expression must be one. Other names are labels, which claim nothing that could
// be checked: only the circuits count.
func checkNames(p *plan.Plan) Check {
	c := Check{Name: "topology", Detail: "the circuits match the names of the topologies"}
	labels, first := 0, ""
	for i, stage := range p.Stages {
		label, err := checkName(p, stage.Topology)
		if err != nil {
			c.Detail = fmt.Sprintf("stage %d: %v", i+1, err)
			return c
		}
		if label {
			if labels++; labels == 1 {
				first = stage.Topology.Name()
			}
		}
	}
	unread := fmt.Sprintf("names of %d stages, such as %.80q, are labels and were not checked", labels, first)
	if labels == 1 {
		unread = fmt.Sprintf("the name of 1 stage, %.80q, is a label and was not checked", first)
	}
	switch labels {
	case 0:
		c.OK = true
	case len(p.Stages):
		c.Unchecked, c.Detail = true, unread
	default:
		c.OK = true
		c.Detail += "; " + unread
	}
	return c
}

// longestName is longer than any name that a planner gives a topology.
const longestName = 1000

var (
	// expressionForm matches what is written as an expression, even if it is not one.
	expressionForm = regexp.MustCompile(`^([A-Za-z]+)\([0-9A-Za-z,;()]*\)$`)
	// copiesForm matches several copies of a graph, as planner joint names them: 8xUniRing(1,8)@4
	// joins the nodes that differ by multiples of 4 up to 28.
	copiesForm = regexp.MustCompile(`^([0-9]{1,9})x(.*)@([0-9]{1,9})$`)
)

// labelFamilies are names of graphs that look like expressions, but that planners build without
// one.
var labelFamilies = map[string]bool{"Cells": true}

// checkName compares the circuits of a topology with its name, or reports that the name is a
// label.
func checkName(p *plan.Plan, g *topology.Graph) (label bool, err error) {
	name := g.Name()
	if len(name) > longestName {
		return false, fmt.Errorf("its name has %d bytes, want at most %d", len(name), longestName)
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return false, fmt.Errorf("the name %q has characters that cannot be printed", name)
	}
	copies, inner, apart := 1, name, 1
	if m := copiesForm.FindStringSubmatch(name); m != nil {
		copies, _ = strconv.Atoi(m[1]) // nine digits
		inner = m[2]
		apart, _ = strconv.Atoi(m[3])
	}
	expr, err := p.Known().Families.ParseExpr(inner)
	if err != nil {
		if m := expressionForm.FindStringSubmatch(inner); m != nil && !labelFamilies[m[1]] {
			return false, err
		}
		return true, nil
	}
	wrong := fmt.Errorf("the circuits are not those of %s", name)
	// Check the sizes before building anything large.
	if expr.Nodes() > g.Nodes() || copies*expr.Nodes() != g.Nodes() || apart < 1 || copies%apart != 0 {
		return false, wrong
	}
	named, err := expr.Build()
	if err != nil || !sideBySide(named, g.Nodes(), apart).Equal(g) {
		return false, wrong
	}
	return false, nil
}

// sideBySide returns copies of a graph on the given number of nodes. Neighbours in a copy are
// apart nodes apart, and the nodes between them belong to other copies.
func sideBySide(g *topology.Graph, nodes, apart int) *topology.Graph {
	if g.Nodes() == nodes {
		return g
	}
	var edges []topology.Edge
	for first := range nodes {
		if first%(apart*g.Nodes()) >= apart {
			continue
		}
		for e := range g.Edges() {
			edges = append(edges, topology.Edge{From: first + e.From*apart, To: first + e.To*apart, Count: e.Count})
		}
	}
	return topology.New(nodes, "", edges)
}
