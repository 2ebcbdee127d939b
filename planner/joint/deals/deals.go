package deals

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// Deal is a broadcast from node 0 in a deal and rounds.
type Deal struct {
	Nodes, Degree int
	TwoWay        bool
	Pieces        int // of the message
	Hops          int // of the first step
	First         int // the most pieces on a circuit in the first step
	// Rounds has the most pieces on a circuit in every later step.
	Rounds []int
	// To[u*Degree+k] is the end of circuit k of node u, or u if there is none.
	To []int
	// Given lists what the root deals out.
	Given []Given
}

// Given is a piece that the root deals out to a node.
type Given struct{ Node, Piece int }

// Load returns the load of all steps: the share of the message on their busiest circuits.
func (d *Deal) Load() float64 {
	sum := d.First
	sum += arithmetic.Sum(d.Rounds)
	return float64(sum) / float64(d.Pieces)
}

// text has a line for every deal, as Line writes it.
//
//go:embed deals.txt
var text string

// key identifies deals on the same nodes and ports.
type key struct {
	nodes, degree int
	twoWay        bool
}

var deals = sync.OnceValue(func() map[key][]Deal {
	m := map[key][]Deal{}
	for _, d := range All() {
		k := key{d.Nodes, d.Degree, d.TwoWay}
		m[k] = append(m[k], d)
	}
	return m
})

// Of returns the deals for a number of nodes and circuits. The result must not be changed.
func Of(nodes, degree int, twoWay bool) []Deal { return deals()[key{nodes, degree, twoWay}] }

// All returns all deals in the order of the file.
func All() []Deal {
	all, err := Read(text)
	if err != nil {
		panic("deals: " + err.Error())
	}
	return all
}

// digits are the digits of node numbers and pieces.
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// MaxNodes is the largest number of nodes, and of pieces, that a line can have.
const MaxNodes = len(digits)

// The words for one-way and two-way circuits.
const (
	oneWay = "one"
	twoWay = "two"
)

// Line writes a deal as a line of text: its way, nodes, degree, pieces, hops, the loads of all
// steps, the ends of all circuits, and the nodes and pieces of the deal.
func (d *Deal) Line() string {
	way := oneWay
	if d.TwoWay {
		way = twoWay
	}
	loads := strconv.Itoa(d.First)
	for _, most := range d.Rounds {
		loads += "," + strconv.Itoa(most)
	}
	var to, given strings.Builder
	for _, v := range d.To {
		to.WriteByte(digits[v])
	}
	for _, g := range d.Given {
		given.WriteByte(digits[g.Node])
		given.WriteByte(digits[g.Piece])
	}
	return fmt.Sprint(way, " ", d.Nodes, " ", d.Degree, " ", d.Pieces, " ", d.Hops, " ", loads, " ", &to, " ", &given)
}

// Read reads lines as Line writes them.
func Read(text string) ([]Deal, error) {
	var all []Deal
	for line := range strings.Lines(text) {
		d, err := read(strings.Fields(line))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", len(all)+1, err)
		}
		all = append(all, d)
	}
	return all, nil
}

// read reads the words of a line.
func read(words []string) (Deal, error) {
	if len(words) != 8 || words[0] != oneWay && words[0] != twoWay {
		return Deal{}, fmt.Errorf("%q: want 8 words, the first %s or %s", words, oneWay, twoWay)
	}
	d := Deal{TwoWay: words[0] == twoWay}
	for i, to := range []*int{&d.Nodes, &d.Degree, &d.Pieces, &d.Hops} {
		number, err := strconv.Atoi(words[1+i])
		if err != nil || number < 1 || number > MaxNodes {
			return d, fmt.Errorf("%q: want a number from 1 to %d", words[1+i], MaxNodes)
		}
		*to = number
	}
	for i, word := range strings.Split(words[5], ",") {
		most, err := strconv.Atoi(word)
		if err != nil || most < 1 {
			return d, fmt.Errorf("%q: want a load, at least 1", word)
		}
		if i == 0 {
			d.First = most
		} else {
			d.Rounds = append(d.Rounds, most)
		}
	}
	if len(words[6]) != d.Nodes*d.Degree || len(words[7])%2 > 0 || d.Degree > maxDegree {
		return d, fmt.Errorf("%q: want %d ends of circuits, and pairs of a node and a piece", words, d.Nodes*d.Degree)
	}
	for _, c := range words[6] {
		v := strings.IndexRune(digits, c)
		if v < 0 || v >= d.Nodes {
			return d, fmt.Errorf("%q: want a node below %d", c, d.Nodes)
		}
		d.To = append(d.To, v)
	}
	for v, in := range d.into() {
		if len(in) > d.Degree {
			return d, fmt.Errorf("%q: node %d has %d circuits into it, want at most %d", words[6], v, len(in), d.Degree)
		}
	}
	for i := 0; i < len(words[7]); i += 2 {
		g := Given{strings.IndexByte(digits, words[7][i]), strings.IndexByte(digits, words[7][i+1])}
		if g.Node < 1 || g.Node >= d.Nodes || g.Piece < 0 || g.Piece >= d.Pieces {
			return d, fmt.Errorf("%q: want a node from 1 to %d and a piece below %d", words[7][i:i+2], d.Nodes-1, d.Pieces)
		}
		if slices.Contains(d.Given, g) {
			return d, fmt.Errorf("%q: want each piece once for a node", words[7][i:i+2])
		}
		d.Given = append(d.Given, g)
	}
	return d, nil
}
