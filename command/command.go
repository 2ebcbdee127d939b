// Package command holds what all commands share: the type of a command, how its request is read
// and completed, the options of a call, and the search that its work shares. Every package below
// it implements one command or a few related ones: request, completion, run, answer. Package
// lightpath lists the commands and re-exports their names.
package command

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner"
)

// Command is a question that Lightpath answers, as its faces offer it: the command line, the
// service with its description, the schemas and the clients.
type Command struct {
	Name  string
	About string // in one line
	// Example is a request in JSON; PLAN stands for the ID of the plan that lightpath.ExamplePlan
	// asks for.
	Example  string
	Long     bool // the command may take long: the service makes a job of it
	Measures bool // its answer is a measurement, so old answers are never reused
	// Continues says that a job which starts again keeps the cells that it found: its answer is a
	// table of cells.
	Continues bool
	// Summarises says that the JSON answer leaves out most of a document, which the service keeps.
	Summarises bool

	Request reflect.Type // a struct; its pointer is a Request
	Answer  reflect.Type // of the answer as JSON
	// Besides are options, of planners or targets, whose fields stand beside those of a request.
	Besides []field.Options
	// New returns an empty request: a pointer to a value of type Request.
	New   func() Request
	Views []AnyView // of the answer and of other values of the command
	// Ask answers a request, which is a pointer to a value of type Request.
	Ask func(ctx context.Context, r Request, options ...Option) (any, error)
}

// Read reads a request of the command from its JSON form.
func (c *Command) Read(data []byte) (Request, error) {
	request := c.New()
	if _, own := request.(json.Unmarshaler); own {
		return request, json.Unmarshal(data, request)
	}
	return request, ReadRequest(data, request)
}

// Draws reports whether an answer of the command has a picture.
func (c *Command) Draws() bool { return slices.ContainsFunc(c.Views, AnyView.draws) }

// PlanWith makes the command plan with user-defined planners beside Lightpath's.
func (c *Command) PlanWith(own []planner.Planner) {
	if ask := c.Ask; len(own) > 0 {
		c.Ask = func(ctx context.Context, r Request, options ...Option) (any, error) {
			return ask(ctx, r, append([]Option{WithRegistry(Planners(own...))}, options...)...)
		}
	}
}

// Long is the trait of a command that may take long.
func Long(c *Command) { c.Long = true }

// Measures is the trait of a command whose answer is a measurement.
func Measures(c *Command) { c.Measures = true }

// Continues is the trait of a command whose jobs keep their cells when they start again.
func Continues(c *Command) { c.Continues = true }

// Summarises is the trait of a command whose JSON answer leaves out most of a document.
func Summarises(c *Command) { c.Summarises = true }

// AnswersAs is the trait of a command whose JSON answer is of another type than its Go answer.
func AnswersAs[A any](c *Command) { c.Answer = reflect.TypeFor[A]() }

// Beside is the trait of a command whose requests also have the fields of options.
func Beside(options ...field.Options) func(*Command) {
	return func(c *Command) { c.Besides = options }
}

// New makes a command from a function that answers requests of one type, with traits.
func New[R any, P interface {
	*R
	Request
}, A any](name, about, example string, f func(context.Context, R, ...Option) (*A, error), traits ...func(*Command)) Command {
	c := Command{
		Name: name, About: about, Example: example, Request: reflect.TypeFor[R](), Answer: reflect.TypeFor[A](),
		New: func() Request { return P(new(R)) },
		Ask: func(ctx context.Context, r Request, options ...Option) (any, error) {
			return f(ctx, *r.(P), options...) //nolint:forcetypeassert // the caller's promise
		},
	}
	for _, trait := range traits {
		trait(&c)
	}
	return c
}
