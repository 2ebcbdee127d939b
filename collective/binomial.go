package collective

// Binomial tree broadcast: in step i every node u < 2^i, all of which have the
// buffer by then, sends it to u+2^i.
var binomialAlgorithm = Algorithm{
	Name:  "binomial",
	About: "those who have the buffer double in every step; ceil(log2 n) steps",
	Ops:   []Op{Broadcast},
	Sizes: anySizeWords,
	fits:  anySize,
	build: func(op Op, n int) *Collective {
		c := &Collective{Space: SpaceOf(op, n, 1)}
		for have := 1; have < n; have *= 2 {
			var step Step
			for u := 0; u < have && u+have < n; u++ {
				step.Base = append(step.Base, Transfer{Src: u, Dst: u + have, Action: Copy, Chunks: Single(0)})
			}
			c.Steps = append(c.Steps, step)
		}
		return c
	},
}
