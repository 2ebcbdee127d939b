package placing

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/planner/sliced"
	"github.com/lightpath-net/lightpath/units"
)

const (
	// mostAsked bounds the number of slices planned on the whole fabric, times the fabric's
	// GPUs: with more GPUs, every plan takes longer to make. One slice is always planned.
	mostAsked = 1 << 9
	// mostAskedOfSome bounds the number if not all slices are examined. With fixed links it is
	// one.
	mostAskedOfSome = 4
)

// slice is an examined slice.
type slice struct {
	gpus  []int
	why   string
	shape shape
}

// shape is what equivalent slices have in common, as far as their own fabrics can tell.
type shape struct {
	alone   fabric.Key
	islands string // how many GPUs it has in each
}

// shapeOf returns the shape of a slice.
func shapeOf(f *fabric.Fabric, part *sliced.Part) shape {
	var counts []int
	for i, u := range part.GPUs {
		if i == 0 || !f.SameIsland(part.GPUs[i-1], u) {
			counts = append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	return shape{part.Fabric.Key(), fmt.Sprint(counts)}
}

// alike reports whether slices take the same time on the whole fabric as on fabrics of their
// own: if all GPUs are equivalent, or differ only in that other jobs hold some.
func alike(f *fabric.Fabric) bool {
	plain := !f.Tiered() && f.Links.IsZero() && f.Spares.IsZero()
	return plain && (f.Avoid.IsZero() && (f.Layout.IsZero() || f.Layout.Parallel()) || f.Layout.IsZero() && f.Avoid.Held() != "")
}

// symmetric reports whether slices of the same shape are equivalent on the whole fabric.
func symmetric(f *fabric.Fabric) bool {
	return f.Avoid.IsZero() && f.Fixed.IsZero() && f.Links.IsZero() && f.Layout.IsZero() && f.Spares.IsZero()
}

// ask plans slices on the whole fabric, as a request for exactly these GPUs would: first the
// best so far and then others, one of each shape first. It reports whether it left out no slice
// that may be faster.
func (s *search) ask(ctx context.Context, most int) (bool, error) {
	turn, of := map[*slice]int{}, map[shape]int{}
	for _, c := range s.slices {
		turn[c] = of[c.shape]
		of[c.shape]++
	}
	order := slices.Clone(s.slices)
	slices.SortStableFunc(order, func(a, b *slice) int {
		return cmp.Or(cmp.Compare(turn[a], turn[b]), cmp.Compare(s.alone(a), s.alone(b)))
	})
	for i, c := range order {
		switch {
		case i > 0 && alike(&s.request.Fabric):
			return true, nil
		case turn[c] > 0 && symmetric(&s.request.Fabric):
			continue
		case i > 0 && s.best != nil && s.least(c) >= s.best.Cost.Total():
			continue
		case s.asked >= most:
			return false, nil
		}
		s.report(s.looked+i, s.looked+len(order))
		if err := s.askFor(ctx, c); err != nil {
			return false, err
		}
	}
	return true, nil
}

// alone returns the time of a slice on a fabric of its own, or infinity if that is not known.
func (s *search) alone(c *slice) units.Time {
	if made := s.known[c.shape.alone].plan; made != nil {
		return made.Cost.Total()
	}
	return units.Time(math.Inf(1))
}

// least returns a lower bound for all plans for a slice on the whole fabric.
func (s *search) least(c *slice) units.Time {
	o, f := &s.request.Operation, &s.request.Fabric
	space := collective.SpaceOf(o.Op, f.Nodes, 1)
	space.Members = c.gpus
	return bound.OfOperation(f, &collective.Section{Op: o.Op, Size: o.Size, Space: space}).Total()
}

// askFor plans a slice on the whole fabric.
func (s *search) askFor(ctx context.Context, c *slice) error {
	s.asked++
	name := collective.FormatMembers(c.gpus)
	s.planned[name] = true
	o, f := s.request.Operation, s.request.Fabric
	o.GPUs = c.gpus
	if err := o.Complete(f.Nodes); err != nil {
		return err
	}
	useful := s.search
	if s.best != nil {
		useful = useful.Sharing(useful, s.best.Cost.Total())
	}
	made, err := (&portfolio.Request{Operations: []collective.Operation{o}, Fabric: f}).Fastest(ctx, s.by, useful)
	if err != nil {
		if s.best == nil {
			s.reason = err
		}
		return ctx.Err() // the slice keeps its plan on a fabric of its own
	}
	total := made.Cost.Total()
	at := slices.IndexFunc(s.list, func(x PlacedSlice) bool { return x.GPUs == name })
	if at < 0 {
		s.list = append(s.list, PlacedSlice{GPUs: name, Islands: islandsOf(&f, c.gpus), TotalNs: total, Why: c.why})
	} else {
		s.list[at].TotalNs = min(s.list[at].TotalNs, total)
	}
	if s.best == nil || total < s.best.Cost.Total() {
		s.best, s.chosen = made, c.gpus
	}
	return nil
}
