package rehearsal

import (
	"context"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/iteration"
)

// RunByModel is Run, but every communication takes as long as the plan says.
func RunByModel(ctx context.Context, a *iteration.Agenda, o Options) (*Result, error) {
	o.Iterations = DefaultIterations
	if a.Fabric.Initial != fabric.InitialFree {
		o.Iterations = 1
	}
	l := &lengths{of: make([]int, len(a.Items))}
	for i := range a.Items {
		l.of[i] = i
		l.distinct = append(l.distinct, Communication{Took: a.Items[i].End - a.Items[i].Start})
	}
	return play(ctx, a, &o, l)
}
