package stored

import (
	_ "embed"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"sync"

	"github.com/lightpath-net/lightpath/planner/direct/climb"
	"github.com/lightpath-net/lightpath/topology"
)

// Graph is a stored graph.
type Graph struct {
	Nodes, Degree int
	TwoWay        bool
	// Steps and Bandwidth are the cost of an allreduce, or of an allgather if the Task is for
	// one. Bandwidth is in units of M/B.
	Steps     int
	Bandwidth *big.Rat
	// Task finds the graph again. If it has no moves, the swaps of the tests find it.
	Task climb.Task
	// Expr names the graph.
	Expr topology.Expr
}

// text has a line for every graph: its way, nodes, degree, steps and bandwidth; the width, the
// diameter, the moves, the seed, the penalty for pairs too far apart, the heat and the patience
// of the search that found it; and its code. A graph without moves was found by the swaps of the
// tests, with that seed.
//
//go:embed graphs.txt
var text string

// groupedText has a line, in the same form, for every graph that a better one has replaced. If
// several steps are sent together, an allreduce may still be faster on it.
//
//go:embed grouped.txt
var groupedText string

// pairsText has a line for every graph on which all pairs can send to each other over few hops,
// with a low load on the busiest circuit. Its steps are the number of hops, and its bandwidth
// the load of that circuit in shards. A test of package planner/staged/pool searches for these
// graphs.
//
//go:embed pairs.txt
var pairsText string

// key identifies graphs that can replace each other.
type key struct {
	nodes, degree int
	gather        bool
}

var (
	graphs  = sync.OnceValue(func() map[key][]Graph { return byKey(All()) })
	grouped = sync.OnceValue(func() map[key][]Graph { return byKey(AllGrouped()) })
	paired  = sync.OnceValue(func() map[key][]Graph { return byKey(AllForPairs()) })
)

func byKey(all []Graph) map[key][]Graph {
	m := map[key][]Graph{}
	for _, g := range all {
		k := key{g.Nodes, g.Degree, g.Task.Gather}
		m[k] = append(m[k], g)
	}
	return m
}

// All returns all graphs in the order of the file: one-way graphs, two-way graphs, and graphs
// for an allgather only, each by degree, nodes and steps.
func All() []Graph { return mustRead(text) }

// AllGrouped returns the graphs of Grouped, in the same order.
func AllGrouped() []Graph { return mustRead(groupedText) }

// AllForPairs returns the graphs of ForPairs, in the same order.
func AllForPairs() []Graph {
	all := mustRead(pairsText)
	for i := range all {
		all[i].Task.Pairs = true
	}
	return all
}

func mustRead(text string) []Graph {
	all, err := Read(text)
	if err != nil {
		panic("stored: " + err.Error())
	}
	return all
}

// ForGather returns the one-way graphs of a size and degree that are made for an allgather
// only. The result must not be changed.
func ForGather(nodes, degree int) []Graph { return graphs()[key{nodes, degree, true}] }

// Of returns the graphs of a size and degree: all of them, or only the two-way graphs if twoWay
// is set. The result must not be changed.
func Of(nodes, degree int, twoWay bool) []Graph {
	return ofWay(graphs()[key{nodes, degree, false}], twoWay)
}

// Grouped returns further graphs of a size and degree: a broadcast step by step costs more on
// them than on one from Of, but may cost less if several steps are sent together. The result
// must not be changed.
func Grouped(nodes, degree int, twoWay bool) []Graph {
	return ofWay(grouped()[key{nodes, degree, false}], twoWay)
}

// ForPairs returns graphs of a size and degree on which all pairs send to each other at once:
// all of them, or only the two-way graphs if twoWay is set. The result must not be changed.
func ForPairs(nodes, degree int, twoWay bool) []Graph {
	return ofWay(paired()[key{nodes, degree, false}], twoWay)
}

// ofWay leaves out the one-way graphs, which come first, if twoWay is set.
func ofWay(all []Graph, twoWay bool) []Graph {
	if !twoWay {
		return all
	}
	for i, g := range all {
		if g.TwoWay {
			return all[i:]
		}
	}
	return nil
}

// The words for one-way and two-way circuits, and for one-way graphs made for an allgather
// only.
const (
	oneWay = "one"
	twoWay = "two"
	gather = "gather"
)

// Read reads lines as Line writes them.
func Read(text string) ([]Graph, error) {
	var all []Graph
	for number, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if line == "" {
			continue
		}
		g, err := read(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
		all = append(all, g)
	}
	return all, nil
}

// fields is the number of words in a line.
const fields = 13

func read(line string) (Graph, error) {
	words := strings.Fields(line)
	if len(words) != fields {
		return Graph{}, fmt.Errorf("%q: want %d words", line, fields)
	}
	var numbers [fields]int
	for i, word := range words[1 : fields-1] {
		if i+1 == 4 {
			continue // the bandwidth
		}
		var err error
		if numbers[i+1], err = strconv.Atoi(word); err != nil {
			return Graph{}, fmt.Errorf("%q: %w", line, err)
		}
	}
	way := words[0]
	bandwidth, ok := new(big.Rat).SetString(words[4])
	if !ok || way != oneWay && way != twoWay && way != gather {
		return Graph{}, fmt.Errorf("%q: want a way, %s, %s or %s, and a bandwidth p/q", line, oneWay, twoWay, gather)
	}
	g := Graph{Nodes: numbers[1], Degree: numbers[2], TwoWay: way == twoWay, Steps: numbers[3], Bandwidth: bandwidth}
	g.Task = climb.Task{Nodes: g.Nodes, Degree: g.Degree, TwoWay: g.TwoWay, Gather: way == gather,
		Width: numbers[5], Diameter: numbers[6], Moves: numbers[7], Seed: uint64(numbers[8]), Far: numbers[9], Heat: numbers[10], Patience: numbers[11]}
	g.Expr = topology.Expr{Family: "Code", Label: words[12], Numbers: []int{g.Nodes, g.Task.Width}}
	return g, nil
}

// Line writes the graph as the line of text that is stored: the searches among the tests of several
// packages write these.
func (g Graph) Line() string {
	way := oneWay
	switch {
	case g.TwoWay:
		way = twoWay
	case g.Task.Gather:
		way = gather
	}
	t := g.Task
	return fmt.Sprint(way, " ", g.Nodes, " ", g.Degree, " ", g.Steps, " ", g.Bandwidth, " ",
		t.Width, " ", t.Diameter, " ", t.Moves, " ", t.Seed, " ", t.Far, " ", t.Heat, " ", t.Patience, " ", g.Expr.Label)
}
