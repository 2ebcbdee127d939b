package algorithms_test

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/internal/samples"
)

// pairsOf describes what the steps of a layout send, without the numbers of pieces.
func pairsOf(c *collective.Collective) []string {
	var steps []string
	for _, step := range c.Steps {
		var all []string
		for t := range step.All(c.Space) {
			all = append(all, fmt.Sprintf("%d>%d %s %.9g", t.Src, t.Dst, t.Action, c.Space.Bytes(1, t.Chunks)))
		}
		slices.Sort(all)
		steps = append(steps, fmt.Sprint(all))
	}
	return steps
}

// A sketch has the steps of the layout, and every value that is computed without the layout
// holds for it: for every number of pieces, on few nodes and on many.
func TestSketchesHaveTheStepsOfLayouts(t *testing.T) {
	var none *algorithms.Registry
	for _, c := range []struct {
		op    collective.Op
		names []string
	}{
		{collective.Broadcast, []string{"chain", "binary", "double-binary-tree"}},
		{collective.RootReduce, []string{"chain", "binary", "double-binary-tree"}},
		{collective.AllReduce, []string{"double-binary-tree"}},
	} {
		for _, name := range c.names {
			for n := 2; n <= 14; n += 1 + n/4 {
				for ports := 1; ports <= 4; ports++ {
					for i, members := range [][]int{nil, {3, 1, 0}} {
						if (n+ports+i)%2 > 0 && !samples.Every() {
							continue // in turn
						}
						if members != nil && n < 4 {
							continue
						}
						p, err := none.Pieces(c.op, name, ports, members, n)
						if err != nil || p == nil {
							t.Fatal(name, p, err)
						}
						for pieces := p.Least; pieces <= 60; pieces += 1 + pieces/12 {
							where := fmt.Sprintf("%s %s of %d pieces on %v of %d nodes, %d ports", c.op, name, pieces, members, n, ports)
							real, err := p.Lay(none, pieces)
							if err != nil {
								t.Fatal(where, err)
							}
							sketch, err := p.Sketch(none, pieces)
							if err != nil {
								t.Fatal(where, err)
							}
							if sketch.Algorithm != real.Algorithm || !slices.Equal(pairsOf(sketch), pairsOf(real)) {
								t.Fatalf("%s: the sketch has %d steps, the layout %d", where, len(sketch.Steps), len(real.Steps))
							}
							steps, buffers := p.AtLeast(pieces)
							if got := busiest(real); steps > len(real.Steps) || buffers > got*(1+1e-9) {
								t.Fatalf("%s: %d steps and %v buffers; at least %d and %v", where, len(real.Steps), got, steps, buffers)
							}
							if got, want := p.Busy(pieces), busy(real, p.Piece(pieces)); got > want || p.Sketched() && got != want {
								t.Fatalf("%s: steps take %d pieces one after the other, want %d", where, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// busiest is the most that a node sends or receives, in buffers.
func busiest(c *collective.Collective) float64 {
	sent, received, most := map[int]float64{}, map[int]float64{}, 0.0
	for _, step := range c.Steps {
		for t := range step.All(c.Space) {
			bytes := c.Space.Bytes(1, t.Chunks)
			sent[t.Src] += bytes
			received[t.Dst] += bytes
			most = max(most, sent[t.Src], received[t.Dst])
		}
	}
	return most
}

// busy is the sum over the steps of the most pieces that a node sends, or receives.
func busy(c *collective.Collective, piece float64) int {
	sum := 0
	for _, step := range c.Steps {
		sent, received, most := map[int]float64{}, map[int]float64{}, 0.0
		for t := range step.All(c.Space) {
			bytes := c.Space.Bytes(1, t.Chunks)
			sent[t.Src] += bytes
			received[t.Dst] += bytes
			most = max(most, sent[t.Src], received[t.Dst])
		}
		sum += int(math.Round(most / piece))
	}
	return sum
}

// The number of pieces is not open if it is given, or if the algorithm has no pieces.
func TestPiecesAreOpenWhereTheyAreNotGiven(t *testing.T) {
	var none *algorithms.Registry
	for algorithm, open := range map[string]bool{"chain": true, "chain:parts=4": false, "binomial": false} {
		p, err := none.Pieces(collective.Broadcast, algorithm, 1, nil, 8)
		if err != nil || (p != nil) != open {
			t.Errorf("%s: %v %v", algorithm, p, err)
		}
	}
	if _, err := none.Pieces(collective.AllGather, "chain", 1, nil, 8); err == nil {
		t.Error("a chain that gathers")
	}
}

// For any number of pieces, the stated number of steps have pairs that the previous step lacks
// or, for a reduce, that the next step lacks. If layouts extend the layout of the fewest pieces,
// they have its pairs in their first steps (or in their last steps for a reduce).
func TestEveryLayoutHasItsFreshSteps(t *testing.T) {
	var none *algorithms.Registry
	for _, op := range []collective.Op{collective.Broadcast, collective.RootReduce, collective.AllReduce} {
		for _, name := range []string{"chain", "binary", "double-binary-tree"} {
			if op == collective.AllReduce && name != "double-binary-tree" {
				continue
			}
			for n := 2; n <= 33; n += 1 + n/6 {
				for ports := 1; ports <= 4; ports++ {
					p, err := none.Pieces(op, name, ports, nil, n)
					if err != nil {
						t.Fatal(err)
					}
					fresh, err := p.Fresh(none)
					if err != nil {
						t.Fatal(err)
					}
					least := forward(t, p, op, p.Least)
					for pieces := p.Least; pieces <= 20; pieces += 1 + pieces/4 {
						steps := forward(t, p, op, pieces)
						changes := 0
						for i := 1; i < len(steps); i++ {
							if !contains(steps[i-1], steps[i]) {
								changes++
							}
						}
						if changes < fresh-1 {
							t.Errorf("%s %s of %d pieces, %d nodes, %d ports: %d changes, want %d or more", op, name, pieces, n, ports, changes, fresh-1)
						}
						for i := range least {
							if p.Extends() && !contains(steps[i], least[i]) {
								t.Errorf("%s %s of %d pieces, %d nodes, %d ports: step %d lacks a pair of the fewest pieces", op, name, pieces, n, ports, i+1)
							}
						}
					}
				}
			}
		}
	}
}

// forward lists the pairs of a layout's steps, in reverse order for a reduce.
func forward(t *testing.T, p *algorithms.Pieces, op collective.Op, pieces int) []map[[2]int]bool {
	t.Helper()
	c, err := p.Lay(nil, pieces)
	if err != nil {
		t.Fatal(err)
	}
	var steps []map[[2]int]bool
	for _, step := range c.Steps {
		pairs := map[[2]int]bool{}
		for t := range step.All(c.Space) {
			pairs[[2]int{t.Src, t.Dst}] = true
		}
		steps = append(steps, pairs)
	}
	if op == collective.RootReduce {
		slices.Reverse(steps)
	}
	return steps
}

// contains reports whether all contains all pairs of some.
func contains(all, some map[[2]int]bool) bool {
	for pair := range some {
		if !all[pair] {
			return false
		}
	}
	return true
}

// Planners share Pieces: concurrent goroutines get the same answers as a single one.
func TestSketchesAreTheSameOnAnyNumberOfThreads(t *testing.T) {
	var none *algorithms.Registry
	for _, c := range []struct {
		op   collective.Op
		name string
	}{{collective.Broadcast, "binary"}, {collective.RootReduce, "double-binary-tree"}, {collective.AllReduce, "double-binary-tree"}} {
		open := func() *algorithms.Pieces {
			p, err := none.Pieces(c.op, c.name, 2, nil, 9)
			if err != nil || p == nil {
				t.Fatal(c, p, err)
			}
			return p
		}
		// told is all that one can ask of pieces, for several numbers of them.
		told := func(p *algorithms.Pieces) (all []string) {
			for pieces := p.Least; pieces <= 40; pieces += 9 {
				sketch, err := p.Sketch(none, pieces)
				if err != nil {
					return append(all, err.Error())
				}
				steps, buffers := p.AtLeast(pieces)
				fresh, err := p.Fresh(none)
				all = append(all, fmt.Sprint(pairsOf(sketch), steps, buffers, p.Busy(pieces), p.Piece(pieces), fresh, err))
			}
			return all
		}
		alone, shared := told(open()), open()
		got := make([][]string, 4)
		var group sync.WaitGroup
		for i := range got {
			group.Go(func() { got[i] = told(shared) })
		}
		group.Wait()
		for i := range got {
			if !slices.Equal(got[i], alone) {
				t.Errorf("%s %s: goroutine %d was told something else", c.op, c.name, i)
			}
		}
	}
}
