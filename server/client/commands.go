package client

import (
	"context"
	"fmt"
	"net/http"
	"reflect"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sweep"
)

// List returns the catalog: operations, algorithms, planners, presets.
func (c *Client) List(ctx context.Context) (*lightpath.Catalog, error) {
	return get[lightpath.Catalog](ctx, c, "/v1/list")
}

// Ask asks the service for the answer of a function: Ask(ctx, c, lightpath.Compare, r) is
// lightpath.Compare(ctx, r) run by the service. It does not call the function, which only
// identifies the command.
func Ask[Q, A any](ctx context.Context, c *Client, f func(context.Context, Q, ...lightpath.Option) (*A, error), r Q) (*A, error) {
	return Run(ctx, c, f, r, nil)
}

// Run is Ask for a command that may be a job: it calls tell, unless that is nil, with the job's
// events, and cancels the job when ctx ends.
func Run[Q, A any](ctx context.Context, c *Client, _ func(context.Context, Q, ...lightpath.Option) (*A, error), r Q, tell func(Event)) (*A, error) {
	answer, err := c.Request(ctx, &r, tell)
	if err != nil {
		return nil, err
	}
	a, ok := answer.(*A)
	if !ok {
		return nil, fmt.Errorf("the service answers with a %T, not a %T: see Plan and Sweep", answer, a)
	}
	return a, nil
}

// Request runs the command of a request, given as a pointer, and returns a pointer to the
// command's Answer. It calls tell, unless that is nil, with a job's events, and cancels the job
// when ctx ends.
func (c *Client) Request(ctx context.Context, request any, tell func(Event)) (any, error) {
	list := c.Commands
	if list == nil {
		list = lightpath.Commands()
	}
	for i := range list {
		if reflect.PointerTo(list[i].Request) != reflect.TypeOf(request) {
			continue
		}
		answer := reflect.New(list[i].Answer).Interface()
		var err error
		if list[i].Long {
			err = c.run(ctx, list[i].Name, request, tell, answer)
		} else {
			_, err = c.ask(ctx, http.MethodPost, "/v1/"+list[i].Name, request, answer)
		}
		return answer, err
	}
	return nil, fmt.Errorf("%T: no command has such a request", request)
}

// Plan makes a plan and returns its summary and its ID, which other requests can use.
func (c *Client) Plan(ctx context.Context, r lightpath.PlanRequest) (summary *plan.Summary, id string, err error) {
	summary = &plan.Summary{}
	header, err := c.ask(ctx, http.MethodPost, "/v1/plan", r, summary)
	if err != nil {
		return nil, "", err
	}
	return summary, header.Get("Lightpath-Plan"), nil
}

// Sweep plans every cell of a grid, as a job: see Run.
func (c *Client) Sweep(ctx context.Context, r lightpath.SweepRequest, tell func(Event)) (*sweep.Answer, error) {
	answer := &sweep.Answer{}
	if err := c.run(ctx, "sweep", r, tell, answer); err != nil {
		return nil, err
	}
	return answer, nil
}
