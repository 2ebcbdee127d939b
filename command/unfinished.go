package command

import (
	"context"
	"fmt"
	"time"

	"github.com/lightpath-net/lightpath/plan"
)

// Unfinished reports the partial answer if the context has ended and the caller wants it, and
// returns the error of the work.
func (e *Run) Unfinished(ctx context.Context, err error, answer func() (known any, how string)) error {
	if err != nil && ctx.Err() != nil && e.Partial != nil {
		e.Partial(answer())
	}
	return err
}

// lastProof is how long verifying the best plan so far may take once the context has ended,
// because the user who interrupted the work is waiting.
const lastProof = 700 * time.Millisecond

// Found keeps the fastest plan so far, in case the search is interrupted.
func (e *Run) Found(p *plan.Plan) { e.best.Store(p) }

// Best returns the fastest plan that the search has found so far, verified, with a description.
// The plan is nil if there is none or there was no time to verify it; the description is empty
// if there is none.
func (e *Run) Best(ctx context.Context) (best *plan.Plan, how string) {
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
