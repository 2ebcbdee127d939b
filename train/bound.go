package train

import (
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
)

// Bound returns a lower bound on the time of any minibatch of the trace, however its gradients
// are grouped. It holds if one collective for two sizes together never takes longer than two
// separate ones, and if larger collectives never take less than smaller ones.
//
// It is the maximum over layers of the time of the passes, with all-to-alls that never wait,
// until a layer's gradients are ready, plus one allreduce of these and all later gradients,
// plus the remaining all-to-alls: the network starts on none of these gradients sooner, and
// does one collective at a time. It asks for a cost per layer with gradients and one per layer
// of experts.
func Bound(ctx context.Context, t *Trace, cost Cost) (units.Time, error) {
	if err := t.Validate(); err != nil {
		return 0, err
	}
	// later is the time of the remaining all-to-alls of the backward pass.
	var passes, later units.Time
	exchange := make([]units.Time, len(t.Layers)) // both all-to-alls of a pass, by layer
	for i := range t.Layers {
		l := &t.Layers[i]
		if l.Exchange > 0 {
			one, err := cost(ctx, collective.AllToAll, l.Exchange)
			if err != nil {
				return 0, err
			}
			exchange[i] = 2 * one
		}
		passes += l.Forward.Time() + exchange[i]
		later += exchange[i]
	}
	left := t.Totals().Bytes
	var parts []boundPart
	for i := len(t.Layers) - 1; i >= 0; i-- {
		l := &t.Layers[i]
		passes += l.Backward.Time() + exchange[i]
		later -= exchange[i]
		if l.Bytes == 0 {
			continue
		}
		parts = append(parts, boundPart{passes + later, left})
		left -= l.Bytes
	}
	b := &bounding{cost: cost, bound: passes}
	if len(parts) == 0 {
		return passes, nil
	}
	// The last and the largest part are the most promising.
	last := len(parts) - 1
	if _, err := b.at(ctx, parts[last]); err != nil {
		return 0, err
	}
	most, err := b.at(ctx, parts[0])
	if err != nil {
		return 0, err
	}
	err = b.between(ctx, parts[:last], most)
	return b.bound, err
}

// boundPart is the gradients that the network still has to allreduce, with the time that is not
// theirs.
type boundPart struct {
	without units.Time
	left    units.Bytes
}

// bounding keeps the largest bound so far.
type bounding struct {
	cost  Cost
	bound units.Time
}

// at returns the cost of an allreduce of the remaining gradients.
func (b *bounding) at(ctx context.Context, p boundPart) (units.Time, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	rest, err := b.cost(ctx, collective.AllReduce, p.left)
	b.bound = max(b.bound, p.without+rest)
	return rest, err
}

// between tries parts in descending order of size, without those that cost more than most. It
// skips costs that make no difference.
func (b *bounding) between(ctx context.Context, parts []boundPart, most units.Time) error {
	promises := func(p boundPart) bool { return p.without+most > b.bound }
	if !slices.ContainsFunc(parts, promises) {
		return nil
	}
	middle := len(parts) / 2
	rest, err := b.at(ctx, parts[middle])
	if err != nil {
		return err
	}
	if err := b.between(ctx, parts[middle+1:], rest); err != nil {
		return err
	}
	return b.between(ctx, parts[:middle], most)
}
