package iterating

import (
	"context"
	"sync"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/training"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// groups makes the plans for collectives of groups. Fabrics that differ only in their delay
// share an iteration.Plans, whose methods take the delay.
type groups struct {
	e      *command.Run
	report func(done, total int) // how far an iteration is planned
	count  *training.Tally       // of plans made
	turns  bool                  // several iterations are planned side by side

	mutex sync.Mutex
	made  map[fabric.Key]iteration.Plans
}

func (g *groups) on(f fabric.Fabric) iteration.Plans {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	key := f
	key.Reconfig.Base = 0
	made, ok := g.made[key.Key()]
	if !ok {
		if g.made == nil {
			g.made, g.count = map[fabric.Key]iteration.Plans{}, &training.Tally{}
		}
		made = training.PlansOn(f, g.count, g.e)
		if g.turns {
			made = &turns{of: made}
		}
		g.made[key.Key()] = made
	}
	return made
}

// turns are plans on one fabric for several concurrent callers, who take turns. All callers ask
// for the same plans in the same order, so what was found earlier does not depend on whose turn
// it is.
type turns struct {
	mutex  sync.Mutex
	of     iteration.Plans
	skewed map[string]*turns
}

// Hold implements iteration.Plans.
func (t *turns) Hold(ctx context.Context, op collective.Op, size units.Bytes) (*plan.Plan, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.of.Hold(ctx, op, size)
}

// On implements iteration.Plans.
func (t *turns) On(ctx context.Context, g *topology.Graph, op collective.Op, size units.Bytes) (*plan.Plan, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.of.On(ctx, g, op, size)
}

// For implements iteration.Plans.
func (t *turns) For(ctx context.Context, delay units.Duration, op collective.Op, size units.Bytes, limit units.Time) (*plan.Plan, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.of.For(ctx, delay, op, size, limit)
}

// Ground implements iteration.Plans.
func (t *turns) Ground(ctx context.Context, op collective.Op, size units.Bytes) (*plan.Plan, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.of.Ground(ctx, op, size)
}

// From implements iteration.Plans.
func (t *turns) From(ctx context.Context, g *topology.Graph, delay units.Duration, op collective.Op, size units.Bytes, limit units.Time) (*plan.Plan, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.of.From(ctx, g, delay, op, size, limit)
}

// Together implements iteration.Plans.
func (t *turns) Together(ctx context.Context, delay units.Duration, operations []collective.Operation) ([]*topology.Graph, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.of.Together(ctx, delay, operations)
}

// InSequence implements iteration.Plans.
func (t *turns) InSequence(ctx context.Context, dark bool, delay units.Duration, operations []collective.Operation) ([]*plan.Plan, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.of.InSequence(ctx, dark, delay, operations)
}

// Skewed implements iteration.Plans.
func (t *turns) Skewed(skew string) iteration.Plans {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	other, ok := t.skewed[skew]
	if !ok {
		if t.skewed == nil {
			t.skewed = map[string]*turns{}
		}
		other = &turns{of: t.of.Skewed(skew)}
		t.skewed[skew] = other
	}
	return other
}
