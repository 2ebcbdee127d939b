package plan

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
)

// Node by node there is what all transfers, image by image, say that it sends.
func TestSendersListWhatEveryNodeSends(t *testing.T) {
	for _, c := range []struct {
		op   collective.Op
		name string
	}{
		{collective.Broadcast, "scatter-allgather"}, {collective.Broadcast, "binomial"}, {collective.AllReduce, "ring"},
		{collective.AllReduce, "swing"}, {collective.AllReduce, "rabenseifner"}, {collective.AllToAll, "direct"}, {collective.AllGather, "bruck"},
	} {
		for _, ports := range []int{1, 2, 3} {
			made, err := collective.New(c.op, c.name, 8, ports)
			if err != nil {
				t.Fatal(err)
			}
			length := func(chunks collective.Chunks) float64 { return float64(chunks.Len()) }
			byNode := make([][]item, made.Nodes)
			orderly := true
			for s, step := range made.Steps {
				for _, base := range step.Base {
					for k := range step.Group.Order() {
						src := step.Group.Apply(k, base.Src)
						byNode[src] = append(byNode[src], item{step: s, dst: step.Group.Apply(k, base.Dst), bytes: length(base.Chunks)})
					}
				}
			}
			for _, items := range byNode {
				for i := 1; i < len(items); i++ {
					orderly = orderly && items[i].step != items[i-1].step
				}
			}
			senders := newSenders(made, length)
			if got := senders.orderly(); got != orderly {
				t.Errorf("%s %s, %d ports: orderly %v, want %v", c.op, c.name, ports, got, orderly)
			}
			u := 0
			for items := range senders.items() {
				for senders.shared && len(senders.groups) > 0 {
					if _, home := senders.groups[0].Locate(u); home == u {
						break
					}
					u++
				}
				if !slices.Equal(items, byNode[u]) {
					t.Fatalf("%s %s, %d ports: node %d sends %v, want %v", c.op, c.name, ports, u, items, byNode[u])
				}
				u++
			}
			if u == 0 || !senders.shared && u != made.Nodes {
				t.Errorf("%s %s, %d ports: %d nodes were listed", c.op, c.name, ports, u)
			}
		}
	}
}
