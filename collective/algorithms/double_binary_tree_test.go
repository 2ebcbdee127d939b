package algorithms_test

import (
	"errors"
	"fmt"
	"math/bits"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

func TestDoubleBinaryTree(t *testing.T) {
	for _, parts := range []int{1, 2} {
		name := fmt.Sprintf("double-binary-tree:parts=%d", parts)
		t.Run(name, func(t *testing.T) {
			checkReduction(t, reductionCase{
				algorithm: name,
				ops:       []collective.Op{collective.AllReduce},
				supports:  anySize,
				loads:     func(collective.Op, int, int) []load { return nil },
			})
		})
	}
	_, err := algorithms.New(collective.AllReduce, "double-binary-tree:parts=131073", 64, 1)
	if !errors.Is(err, algorithms.ErrUnsupported) {
		t.Errorf("131073 parts: %v", err)
	}
}

// The number of steps is the documented one. Every transfer is a piece, m/(2P), and every node
// but the root sends and receives every piece once in each tree.
func TestDoubleBinaryTreeSteps(t *testing.T) {
	for _, parts := range []int{1, 2, 8, 32} {
		for ports := 1; ports <= 4; ports++ {
			for n := 2; n <= 66; n++ {
				if parts > 8 && n > 24 && n%7 != 1 {
					continue // they take long
				}
				c, err := algorithms.New(collective.AllReduce, fmt.Sprintf("double-binary-tree:parts=%d", parts), n, ports)
				if err != nil {
					t.Fatal(err)
				}
				levels := bits.Len(uint(n - 1))
				most, least := 2*parts+2*levels, 2*parts
				if ports == 1 {
					most = 4*parts + 4*levels
					if parts > 16 {
						most = 5*parts + 4*levels
					}
					if n > 3 { // an inner node that is not the root receives 4P pieces
						least = 4 * parts
					}
				}
				if len(c.Steps) > most || len(c.Steps) < least {
					t.Errorf("%d nodes, %d parts, %d ports: %d steps, want %d to %d", n, parts, ports, len(c.Steps), least, most)
				}
				transfers := 0
				for _, step := range c.Steps {
					transfers += len(step.Base)
					for _, transfer := range step.Base {
						if transfer.Chunks.Len() != n || len(transfer.Chunks) != 1 {
							t.Fatalf("%d nodes: a transfer of %v", n, transfer.Chunks)
						}
					}
				}
				if want := 2 * 2 * (n - 1) * parts; transfers != want || c.Space.Parts != 2*parts {
					t.Errorf("%d nodes, %d parts: %d transfers, want %d", n, parts, transfers, want)
				}
			}
		}
	}
}

// A node that reduces pieces of one half is a leaf in the tree of the other half (Sanders et al.
// 2009), and no node has more than two children.
func TestDoubleBinaryTreesShareNoInnerNode(t *testing.T) {
	for n := 2; n <= 130; n++ {
		c, err := algorithms.New(collective.AllReduce, "double-binary-tree:parts=1", n, 1)
		if err != nil {
			t.Fatal(err)
		}
		children := make([][2]int, n)
		for _, step := range c.Steps {
			for _, transfer := range step.Base {
				if transfer.Action == collective.Reduce {
					children[transfer.Dst][transfer.Chunks[0].First]++
				}
			}
		}
		for u, of := range children {
			if of[0] > 0 && of[1] > 0 || max(of[0], of[1]) > 2 {
				t.Errorf("%d nodes: node %d has %v children", n, u, of)
			}
		}
	}
}
