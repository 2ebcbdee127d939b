package pipelines

import (
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
)

// naivePipeline checks every piece at every node in every step.
func naivePipeline(n, parts, ports int, trees []Tree) []collective.Step {
	const never = -1
	have := make([][]int, parts) // step after which a node has a piece
	sent := make([][]int, parts) // children served
	for p := range have {
		have[p], sent[p] = make([]int, n), make([]int, n)
		for u := range n {
			have[p][u] = never
		}
		have[p][0] = 0
	}
	var steps []collective.Step
	for missing := parts * (n - 1); missing > 0; {
		now := len(steps)
		var step collective.Step
		sends, receives := make([]int, n), make([]int, n)
		busy := map[[2]int]bool{}
		for p := range parts {
			for u, children := range trees[p%len(trees)] {
				if have[p][u] == never || have[p][u] > now {
					continue
				}
				for sent[p][u] < len(children) {
					v := children[sent[p][u]]
					if sends[u] == ports || receives[v] == ports || busy[[2]int{u, v}] {
						break
					}
					sends[u]++
					receives[v]++
					busy[[2]int{u, v}] = true
					sent[p][u]++
					have[p][v] = now + 1
					missing--
					step.Base = append(step.Base, collective.Transfer{Src: u, Dst: v, Action: collective.Copy, Chunks: collective.Single(p)})
				}
			}
		}
		steps = append(steps, step)
	}
	return steps
}

func TestPipelineEqualsTheNaiveOne(t *testing.T) {
	for n := 2; n <= 20; n++ {
		twins := Twins(n)
		for _, trees := range [][]Tree{{Chain(n)}, {Binary(n)}, twins[:]} {
			for ports := 1; ports <= 3; ports++ {
				for _, parts := range []int{1, 2, 5, 17} {
					if got, want := Steps(n, parts, ports, trees), naivePipeline(n, parts, ports, trees); !reflect.DeepEqual(got, want) {
						t.Fatalf("n=%d parts=%d ports=%d, %d trees: steps differ", n, parts, ports, len(trees))
					}
				}
			}
		}
	}
}
