package strategy

import (
	"context"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// Candidate is what a strategy has for a problem: a sequence of topologies with the ways
// over them. What is not known yet is made when it is wanted.
type Candidate struct {
	Strategy string
	// Stages is the number of topologies. None is idle.
	Stages int
	// Slots is how many slots the schedule takes. In a fluid problem it is the sum over
	// stages of the largest load of a circuit.
	Slots int

	route    func(ctx context.Context) (Route, error)
	schedule func(ctx context.Context) (*model.Schedule, error)
}

// Route is topologies and the ways over them: one of the two.
type Route struct {
	Ways  *routing.Ways  // of one chunk, from all nodes alike
	Flows *routing.Flows // of all of the demand
}

// Route returns the ways of the candidate.
func (c *Candidate) Route(ctx context.Context) (Route, error) { return c.route(ctx) }

// Schedule returns the schedule of the candidate. A fluid problem has none.
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
