package command

import (
	"context"
	"fmt"
	"time"

	"github.com/lightpath-net/lightpath/plan"
)

// Unfinished tells whoever wants to know what is known of an answer whose context has ended, and
// returns the error of the work.
func (e *Environment) Unfinished(ctx context.Context, err error, answer func() (known any, how string)) error {
	if err != nil && ctx.Err() != nil && e.unfinished != nil {
		e.unfinished(answer())
	}
	return err
}

// lastProof is how long the best plan so far may be verified once the context has ended: whoever
// has interrupted the work waits.
const lastProof = 700 * time.Millisecond

// Found records the fastest plan of a search that is not reported otherwise.
func (e *Environment) Found(p *plan.Plan) { e.best.Store(p) }

// Best returns the fastest plan that the search has found so far, verified, and says in words what
// it is. It is nil if there is none, or if there is no time to verify it; without words if there
// is none.
func (e *Environment) Best(ctx context.Context) (best *plan.Plan, how string) {
	p := e.best.Load()
	if p == nil {
		return nil, ""
	}
	how = fmt.Sprintf("the fastest plan so far takes %v, %s with %s", p.Cost.Total(), p.Collective.Algorithm, p.Planner)
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastProof)
	defer cancel()
	p = e.Know(p)
	if err := Prove(limited, p); err != nil {
		return nil, how + "; it was not verified"
	}
	return p, how + "; it was compared with nothing"
}
