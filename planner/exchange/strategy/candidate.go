package strategy

import (
	"context"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// Candidate is a strategy's proposal for a problem: a sequence of topologies with routes over
// them. Parts that are not known yet are computed on demand.
type Candidate struct {
	Strategy string
	// Stages is the number of topologies. None is idle.
	Stages int
	// Slots is the number of slots that the schedule takes. In a fluid problem it is the sum
	// over stages of the largest load of a circuit.
	Slots int

	route    func(ctx context.Context) (Route, error)
	schedule func(ctx context.Context) (*model.Schedule, error)
}

// Route holds topologies and the routes over them, in one of two forms.
type Route struct {
	Ways  *routing.Ways  // of one chunk per pair, the same from all nodes
	Flows *routing.Flows // of all of the demand
}

// Route returns the candidate's routes.
func (c *Candidate) Route(ctx context.Context) (Route, error) { return c.route(ctx) }

// Schedule returns the candidate's schedule. A fluid problem has none.
func (c *Candidate) Schedule(ctx context.Context) (*model.Schedule, error) { return c.schedule(ctx) }

// visitor takes candidates.
type visitor func(c *Candidate) error

// visitOne shows a candidate, if there is one.
func visitOne(visit visitor, c *Candidate) error {
	if c == nil {
		return nil
	}
	return visit(c)
}
