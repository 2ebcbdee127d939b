package exchange

import "context"

// shiftOrder returns the jumps of the paper's topology sequence for one port (section
// 4.3): the ring, the shift by n-1, then shifts that keep one cycle through all nodes,
// then the others. The paper leaves the order within these open and finds it not to be
// critical; here it is ascending.
func shiftOrder(nodes int) []int {
	order := make([]int, 0, nodes-1)
	order = append(order, 1)
	if nodes > 2 {
		order = append(order, nodes-1)
	}
	for _, whole := range []bool{true, false} {
		for j := 2; j < nodes-1; j++ {
			if (gcd(nodes, j) == 1) == whole {
				order = append(order, j)
			}
		}
	}
	return order
}

// paperRing is the paper's strategy with one port: of the first d shifts, a chunk takes
// the one with the fewest hops, and the chunks of one offset are a round.
type paperRing struct {
	uniform
	order []int
	cover *coverage // of the first jumps, as many as it counts
}

func newPaper(p *Problem) solver {
	u, ok := newUniform(p, Paper, loadHops)
	switch {
	case !ok:
		return newPaperSkewed(p)
	case u.ports > 1:
		return &paperPorts{uniform: u}
	}
	return &paperRing{u, shiftOrder(u.nodes), newCoverage(u.nodes)}
}

func (s *paperRing) draft(_ context.Context, d, _ int) (*draft, error) {
	if s.cover.count > d {
		s.cover = newCoverage(s.nodes)
	}
	for s.cover.count < d {
		s.cover.add(s.order[s.cover.count])
	}
	jumps := s.order[:d]
	return &draft{s.name, d, s.cover.total * s.each, func(ctx context.Context) (*Schedule, error) {
		return covered(s.nodes, jumps).routing(jumps).schedule(s.name, s.each), ctx.Err()
	}}, nil
}
