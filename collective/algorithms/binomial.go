package algorithms

import (
	"github.com/lightpath-net/lightpath/collective"
	"slices"
)

// Binomial tree: in step i of a broadcast every node u < 2^i sends the buffer, which it has by
// then, to u+2^i. A scatter sends along the same tree only the blocks of the receiver and of
// the nodes below it, b = u+2^i (mod 2^(i+1)). Reduce and gather run the steps backwards.
var binomialAlgorithm = Algorithm{
	Name:  "binomial",
	About: "the number of GPUs with the data doubles each step; ceil(log2 n) steps",
	Ops:   []collective.Op{collective.Broadcast, collective.RootReduce, collective.Gather, collective.Scatter},
	Sizes: anySizeWords,
	Ports: onePortWords,
	check: anyNodes,
	build: func(op collective.Op, s collective.Shape) *collective.Collective {
		n := s.Nodes
		c := &collective.Collective{Space: collective.SpaceOf(op, n, 1)}
		for have := 1; have < n; have *= 2 {
			var step collective.Step
			for u := 0; u < have && u+have < n; u++ {
				t := collective.Transfer{Src: u, Dst: u + have, Action: collective.Copy, Chunks: collective.Single(0)}
				if c.Space.Kind == collective.Blocks {
					t.Chunks = collective.Every(u+have, 2*have, (n-1-u-have)/(2*have)+1)
				}
				step.Base = append(step.Base, t)
			}
			c.Steps = append(c.Steps, step)
		}
		if op == collective.RootReduce || op == collective.Gather {
			upwards(c, op)
		}
		return c
	},
}

// upwards turns a broadcast or scatter into the opposite reduce or gather.
func upwards(c *collective.Collective, op collective.Op) {
	slices.Reverse(c.Steps)
	for _, step := range c.Steps {
		for i := range step.Base {
			t := &step.Base[i]
			t.Src, t.Dst = t.Dst, t.Src
			if op == collective.RootReduce {
				t.Action = collective.Reduce
			}
		}
	}
}
