package expand

import (
	"context"
	"math/big"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// measure returns the load of the busiest circuit in each step, by adding up what every
// bundle carries. It takes the time of a stream.
func measure(ctx context.Context, g *topology.Graph, s source, steps int) ([]*big.Rat, error) {
	circuits := bundleSizes(g)
	perStep := make([]*big.Rat, 0, steps)
	err := tally(ctx, s, steps, g.Bundles(), func(loads []total, t bfb.Transfer) {
		a, b, den := together(t.From, t.To)
		loads[g.Find(t.Src, t.Dst)].add(b-a, den)
	}, func(loads []total) {
		var top peak
		for i := range loads {
			top.raise(&loads[i], circuits[i])
		}
		perStep = append(perStep, top.rat())
	})
	return perStep, err
}

// tally keeps a row of sums for every step: add adds a transfer to the row of its step, and
// finish receives the complete rows in the order of steps. As many steps are streamed at once
// as there is room for, because that is faster than one by one.
func tally(ctx context.Context, s source, steps, width int, add func(row []total, t bfb.Transfer), finish func(row []total)) error {
	const (
		room     = 1 << 20 // sums
		patience = 1 << 12 // transfers between two looks at ctx
	)
	block := max(1, min(steps, room/max(1, width)))
	rows := make([]total, block*width)
	seen := 0
	for first := 1; first <= steps; first += block {
		last := min(steps, first+block-1)
		clear(rows)
		s.stream(first, last, func(step int, t bfb.Transfer) bool {
			at := (step - first) * width
			add(rows[at:at+width], t)
			seen++
			return seen%patience != 0 || ctx.Err() == nil
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		for at := 0; at < (last-first+1)*width; at += width {
			finish(rows[at : at+width])
		}
	}
	return nil
}

// bundleSizes returns the circuits of every bundle in the order of Edges.
func bundleSizes(g *topology.Graph) []int64 {
	sizes := make([]int64, 0, g.Bundles())
	for e := range g.Edges() {
		sizes = append(sizes, int64(e.Count))
	}
	return sizes
}

// peak is the largest load of a circuit so far.
type peak struct {
	load     total // of a bundle
	circuits int64 // in it, 0 if there is none yet
}

// raise raises the peak to the load of a bundle with the given circuits, if that is larger.
func (p *peak) raise(load *total, circuits int64) {
	var more bool
	if p.load.wide == nil && load.wide == nil {
		// Denominators are at most 2^31, and there are at most 2^26 circuits.
		more = bfb.Frac{Num: p.load.num, Den: max(1, p.load.den) * max(1, p.circuits)}.
			Less(bfb.Frac{Num: load.num, Den: max(1, load.den) * circuits})
	} else {
		more = p.rat().Cmp(perCircuit(load, circuits)) < 0
	}
	if more {
		p.load, p.circuits = *load, circuits
	}
}

func (p *peak) rat() *big.Rat {
	if p.circuits == 0 {
		return new(big.Rat)
	}
	return perCircuit(&p.load, p.circuits)
}

func perCircuit(load *total, circuits int64) *big.Rat {
	each := load.rat()
	return each.Mul(each, big.NewRat(1, circuits))
}
