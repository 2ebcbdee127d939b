package staged

// offsetSum is the demands of a step between nodes that are equally far apart by number.
type offsetSum struct {
	offset int     // of the destination from the source, modulo the nodes
	bytes  float64 // of all
	most   float64 // of one
}

// farApart is the demands of a whole step by the offsets of their nodes. Steps have many
// demands and mostly few offsets, and on a ring of equal jumps the offset says how many hops
// there are.
type farApart struct {
	sums []offsetSum
	of   []int32 // where the sum is, by demand
}

// apart returns the demands of a step on so many nodes by offset, in the order in which these
// first occur.
func (c *class) apart(n int) *farApart {
	if c.far == nil {
		all := c.all()
		far := &farApart{of: make([]int32, len(all))}
		at := make([]int32, n) // and 1
		for i, d := range all {
			offset := (d.Dst - d.Src + n) % n
			if at[offset] == 0 {
				far.sums = append(far.sums, offsetSum{offset: offset})
				at[offset] = int32(len(far.sums))
			}
			far.of[i] = at[offset] - 1
			s := &far.sums[far.of[i]]
			s.bytes += d.Amount
			s.most = max(s.most, d.Amount)
		}
		c.far = far
	}
	return c.far
}
