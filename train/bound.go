package train

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
)

// Bound returns a time that no minibatch of the trace takes less than, however its
// gradients are put together, if two collectives never take less than one of both sizes
// and larger ones never take less than smaller ones.
//
// It is the time of the passes with all-to-alls that never wait and, for every layer,
// when that makes its gradients ready plus one allreduce of these and all later ones plus
// the all-to-alls that are left: the network starts on none of them sooner, and does one
// after the other. It asks for a cost per layer with gradients and one per layer of
// experts.
func Bound(ctx context.Context, t *Trace, cost Cost) (units.Time, error) {
	if err := t.Validate(); err != nil {
		return 0, err
	}
	var passes, later units.Time                  // later: all-to-alls of the backward pass that are left
	exchange := make([]units.Time, len(t.Layers)) // both all-to-alls of a pass
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
	var bound units.Time
	for i := len(t.Layers) - 1; i >= 0; i-- {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		l := &t.Layers[i]
		passes += l.Backward.Time() + exchange[i]
		later -= exchange[i]
		if l.Bytes == 0 {
			continue
		}
		rest, err := cost(ctx, collective.AllReduce, left)
		if err != nil {
			return 0, err
		}
		bound = max(bound, passes+rest+later)
		left -= l.Bytes
	}
	return max(bound, passes), nil
}
