package collective

import "github.com/lightpath-net/lightpath/topology"

// Shift all-to-all: n-1 steps; in step k every node u sends its block for u+k.
var shiftAlgorithm = Algorithm{
	Name:  "shift",
	About: "step k sends to the k-th next node; n-1 steps, every block goes once",
	Ops:   []Op{AllToAll},
	Sizes: anySizeWords,
	Ports: onePortWords,
	check: anyNodes,
	build: func(op Op, s Shape) *Collective {
		n := s.Nodes
		c := &Collective{Space: SpaceOf(op, n, 1)}
		for _, t := range exchangeFromZero(n) {
			c.Steps = append(c.Steps, Step{Group: topology.Rotations(n, 1), Base: []Transfer{t}})
		}
		return c
	},
}

// Direct: one bulk step in which everybody sends everything, in an all-to-all to everybody,
// in a gather to the root, and in a scatter the root to everybody.
var directAlgorithm = Algorithm{
	Name:  "direct",
	About: "one step in which everything goes straight to where it belongs",
	Ops:   []Op{AllToAll, Gather, Scatter},
	Sizes: anySizeWords,
	Ports: "all at once, in a step that asks for every pair",
	check: anyNodes,
	build: func(op Op, s Shape) *Collective {
		n := s.Nodes
		c := &Collective{
			Space: SpaceOf(op, n, 1),
			Steps: []Step{{Base: exchangeFromZero(n)}},
		}
		switch op {
		case AllToAll:
			c.Steps[0].Group = topology.Rotations(n, 1)
		case Gather:
			upwards(c, op)
		}
		return c
	},
}

// exchangeFromZero lists what node 0 sends; block (0, k) has number k.
func exchangeFromZero(n int) []Transfer {
	base := make([]Transfer, 0, n-1)
	for k := 1; k < n; k++ {
		base = append(base, Transfer{Src: 0, Dst: k, Action: Copy, Chunks: Single(k)})
	}
	return base
}
