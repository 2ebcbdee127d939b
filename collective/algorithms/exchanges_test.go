package algorithms_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/internal/samples"
)

// exchangeSizes are the numbers of nodes at which all-to-all algorithms are run.
func exchangeSizes() []int {
	if !samples.Every() {
		return append(smallExchangeSizes(), 64, 81, 128)
	}
	return append(smallExchangeSizes(), 64, 81, 100, 128, 243)
}

// smallExchangeSizes are the numbers of nodes for options that change little.
func smallExchangeSizes() []int {
	var all []int
	for n := 2; n <= 32; n++ {
		if n <= 18 || n%3 == 0 || n >= 31 || samples.Every() {
			all = append(all, n)
		}
	}
	return append(all, 49)
}

// exchange holds the observations of a naive run of an all-to-all.
type exchange struct {
	*collective.Collective
	ports int
	moves []int         // how often each chunk went somewhere
	sent  []map[int]int // per step: chunks that node 0 sends, by peer
}

// forEachExchange runs an all-to-all algorithm with 1..6 ports on all sizes that it supports,
// checks that it is an all-to-all, and passes the observations to check.
func forEachExchange(t *testing.T, spec string, sizes []int, check func(x exchange) error) {
	t.Helper()
	name, _, _ := strings.Cut(spec, ":")
	for ports := 1; ports <= 6; ports++ {
		t.Run(fmt.Sprintf("%s/%d", spec, ports), func(t *testing.T) {
			for _, n := range sizes {
				able := slices.ContainsFunc(algorithms.For(collective.AllToAll, collective.Shape{Nodes: n, Ports: ports}), func(a algorithms.Algorithm) bool {
					return a.Name == name
				})
				c, err := algorithms.New(collective.AllToAll, spec, n, ports)
				if (err == nil) != able {
					t.Fatalf("n=%d: listed %v, made with %v", n, able, err)
				}
				if err != nil {
					continue
				}
				x, err := runExchange(c, ports)
				if err == nil {
					err = check(x)
				}
				if err != nil {
					t.Fatalf("n=%d: %v", n, err)
				}
			}
		})
	}
}

// runExchange moves chunks one by one: a sender must have held all chunks of a transfer when
// the step began, and at the end each chunk must be where it belongs. In no step does a pair of
// nodes occur twice, a chunk move twice, or a node have more peers than ports.
func runExchange(c *collective.Collective, ports int) (exchange, error) {
	n, parts := c.Nodes, c.Space.Parts
	x := exchange{Collective: c, ports: ports, moves: make([]int, n*n*parts)}
	if !reflect.DeepEqual(c.Space, collective.SpaceOf(collective.AllToAll, n, parts)) {
		return x, fmt.Errorf("space is %+v", c.Space)
	}
	holders := make([][]int, n*n*parts)
	for chunk := range holders {
		holders[chunk] = []int{chunk / parts / n}
	}
	lastStep := make([]int, len(holders)) // in which a chunk moved, from 1
	for i, step := range c.Steps {
		sent := make([]map[int]int, n)
		receives := make([]int, n)
		for u := range sent {
			sent[u] = map[int]int{}
		}
		var arrived []func() // what the step's transfers leave, when all have been read
		for m := range step.All(c.Space) {
			switch _, twice := sent[m.Src][m.Dst]; {
			case twice:
				return x, fmt.Errorf("step %d: %d sends to %d twice", i+1, m.Src, m.Dst)
			case m.Src == m.Dst || m.Action != collective.Copy || m.Chunks.Len() == 0:
				return x, fmt.Errorf("step %d: odd transfer %+v", i+1, m)
			}
			sent[m.Src][m.Dst] = m.Chunks.Len()
			receives[m.Dst]++
			for chunk := range m.Chunks.All() {
				if lastStep[chunk] == i+1 {
					return x, fmt.Errorf("step %d: chunk %d goes twice", i+1, chunk)
				}
				if !slices.Contains(holders[chunk], m.Src) {
					return x, fmt.Errorf("step %d: %d has no chunk %d", i+1, m.Src, chunk)
				}
				lastStep[chunk] = i + 1
			}
			arrived = append(arrived, func() {
				for chunk := range m.Chunks.All() {
					holders[chunk] = append(holders[chunk], m.Dst)
					x.moves[chunk]++
				}
			})
		}
		for _, arrive := range arrived {
			arrive()
		}
		for u := range n {
			if len(sent[u]) > ports || receives[u] > ports {
				return x, fmt.Errorf("step %d: node %d sends to %d and hears from %d peers", i+1, u, len(sent[u]), receives[u])
			}
		}
		x.sent = append(x.sent, sent[0])
	}
	for chunk, where := range holders {
		if !slices.Contains(where, chunk/parts%n) {
			return x, fmt.Errorf("chunk %d is not delivered", chunk)
		}
	}
	return x, nil
}

// checkMoves compares how often each chunk moved with what its offset d-s says.
func (x exchange) checkMoves(want func(offset, part int) int) error {
	n, parts := x.Nodes, x.Space.Parts
	for chunk, moves := range x.moves {
		s, d, part := chunk/parts/n, chunk/parts%n, chunk%parts
		if w := want((d-s+n)%n, part); moves != w {
			return fmt.Errorf("part %d from %d for %d moves %d times, want %d", part, s, d, moves, w)
		}
	}
	return nil
}

// checkVolumes compares what node 0 sends, step by step and peer by peer.
func (x exchange) checkVolumes(want []map[int]int) error {
	if len(x.sent) != len(want) {
		return fmt.Errorf("%d steps, want %d", len(x.sent), len(want))
	}
	for i := range want {
		if fmt.Sprint(x.sent[i]) != fmt.Sprint(want[i]) {
			return fmt.Errorf("step %d: node 0 sends %v, want %v (chunks by peer)", i+1, x.sent[i], want[i])
		}
	}
	return nil
}

// ceilLog is the smallest s with base^s >= n.
func ceilLog(base, n int) int {
	s := 0
	for power := 1; power < n; power *= base {
		s++
	}
	return s
}

// power is base^exponent.
func power(base, exponent int) int {
	p := 1
	for range exponent {
		p *= base
	}
	return p
}
