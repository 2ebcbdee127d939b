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

// List returns what can be asked for: operations, algorithms, planners, machines.
func (c *Client) List(ctx context.Context) (*lightpath.Catalog, error) {
	return get[lightpath.Catalog](ctx, c, "/v1/list")
}

// Ask asks the service what a function answers: Ask(ctx, c, lightpath.Compare, r) is
// lightpath.Compare(ctx, r), elsewhere. The function is not called; it says which command it is.
func Ask[Q, A any](ctx context.Context, c *Client, f func(context.Context, Q, ...lightpath.Option) (*A, error), r Q) (*A, error) {
	return Run(ctx, c, f, r, nil)
}

// Run is Ask for a command that may be a job: tell, unless it is nil, hears how far it is, and
// it is cancelled when ctx ends.
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

// Request answers a request, a pointer, by the command that it is of: with a pointer to that one's
// Answer. A job's progress goes to tell, unless that is nil, and it is cancelled when ctx ends.
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

// Plan makes a plan and returns its summary and its ID, by which other requests name it.
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
