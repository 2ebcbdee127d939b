package algorithms

import (
	"cmp"
	"reflect"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// The steps equal those of a plain list scheduler, which sorts all moves by all their properties
// and looks pairs up.
func TestTwoTreesArePlainListSchedules(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5, 6, 7, 8, 9, 16, 21, 32, 50} {
		for ports := 1; ports <= 4; ports++ {
			for _, pieces := range []int{1, 2, 3, 5, 8, 19} {
				s := collective.Shape{Nodes: n, Ports: ports, Parts: pieces}
				got, want := buildTwoTree(collective.AllReduce, s), plainTwoTree(collective.AllReduce, s)
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("n=%d, %d ports, %d pieces: the steps differ", n, ports, pieces)
				}
			}
		}
	}
}

// plainTwoTree implements the comment of buildTwoTree literally.
func plainTwoTree(op collective.Op, s collective.Shape) *collective.Collective {
	n, pieces := s.Nodes, s.Parts
	var trees []*pipelinedTree
	for _, parents := range topology.DoubleTree(n) {
		trees = append(trees, newPipelinedTree(parents, pieces))
	}
	c := &collective.Collective{Space: collective.SpaceOf(op, n, 2*pieces)}
	for {
		var moves []treeMove
		for half, tree := range trees {
			moves = tree.ready(moves, half)
		}
		if len(moves) == 0 {
			return c
		}
		slices.SortFunc(moves, func(a, b treeMove) int {
			return cmp.Or(cmp.Compare(b.urgency, a.urgency), cmp.Compare(a.half, b.half),
				cmp.Compare(a.child, b.child), cmp.Compare(a.piece, b.piece))
		})
		sends, receives, busy := make([]int, n), make([]int, n), map[[2]int]bool{}
		var step collective.Step
		for _, m := range moves {
			pair := [2]int{m.src, m.dst}
			if sends[m.src] == s.Ports || receives[m.dst] == s.Ports || busy[pair] {
				continue
			}
			sends[m.src]++
			receives[m.dst]++
			busy[pair] = true
			*m.count++
			step.Base = append(step.Base, collective.Transfer{Src: m.src, Dst: m.dst, Action: m.action,
				Chunks: collective.Every(m.half*pieces+m.piece, 2*pieces, n)})
		}
		// Steps that ask for the same pairs are to look the same.
		slices.SortFunc(step.Base, func(a, b collective.Transfer) int {
			return cmp.Or(cmp.Compare(a.Src, b.Src), cmp.Compare(a.Dst, b.Dst))
		})
		c.Steps = append(c.Steps, step)
	}
}
