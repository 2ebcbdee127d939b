package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
)

// View defines the forms of the answers of one type. A nil field means that the form does not
// exist, except for Text and JSON: an answer without them is shown as the JSON of its fields.
type View[A any] struct {
	Text    func(w io.Writer, answer *A)       // for a terminal
	Verbose func(w io.Writer, answer *A)       // everything, if Text is brief
	JSON    func(w io.Writer, answer *A) error // one document
	CSV     func(w io.Writer, answer *A) error // the rows, if the answer is a list
	Table   string                             // the name of these rows in SQL, "answer" if empty
	Picture func(answer *A) (*chart.Scene, error)
	// PlanPicture is Picture for an answer that is drawn onto its plan.
	PlanPicture func(p *plan.Plan, answer *A) (*chart.Scene, error)
	Page        func(answer *A) (*chart.Page, error)
	// Recognise reports, by the first bytes of a file, whether Load can read such an answer from
	// it; a view has both or neither.
	Recognise func(head []byte) bool
	Load      func(ctx context.Context, file string) (*A, error)
}

// AnyView is a View, whatever the type of its answers.
type AnyView interface {
	// Of returns the type of its answers.
	Of() reflect.Type
	draws() bool
	render(request Request, answer any) Rendering
	load(ctx context.Context, head []byte, file string) (answer any, known bool, err error)
}

// WithView gives a command a view of its answers. A command may have several,
// one for each type of answer.
func WithView[A any](v View[A]) func(*Command) {
	return func(c *Command) { c.Views = append(c.Views, v) }
}

// Render joins an answer with its view: it can then be written as text, JSON or CSV, and drawn
// as a picture or a page. The request may be nil; an answer that is drawn onto the plan of its
// request then has no picture.
func Render(commands []Command, request Request, answer any) Rendering {
	of := reflect.TypeOf(answer)
	for _, c := range commands {
		for _, view := range c.Views {
			if of == reflect.PointerTo(view.Of()) {
				return view.render(request, answer)
			}
		}
	}
	return Rendering{Answer: answer}
}

// Load reads an answer from a file that begins with head. It reports false if no command has
// answers of that form.
func Load(ctx context.Context, commands []Command, head []byte, file string) (answer any, known bool, err error) {
	for _, c := range commands {
		for _, view := range c.Views {
			if answer, known, err = view.load(ctx, head, file); known {
				return answer, true, err
			}
		}
	}
	return nil, false, nil
}

// Of returns the type of the answers.
func (View[A]) Of() reflect.Type { return reflect.TypeFor[A]() }

// draws reports whether the answers have a picture.
func (v View[A]) draws() bool { return v.Picture != nil || v.PlanPicture != nil }

func (v View[A]) render(request Request, answer any) Rendering {
	a := answer.(*A) //nolint:forcetypeassert // Render has compared the types
	p := planOf(request)
	s := Rendering{Answer: answer, Table: v.Table}
	s.text, s.verbose = writes(v.Text, a), writes(v.Verbose, a)
	s.json, s.csv = tries(v.JSON, a), tries(v.CSV, a)
	switch {
	case v.PlanPicture != nil && p != nil:
		s.picture = func() (*chart.Scene, error) { return v.PlanPicture(p, a) }
	case v.Picture != nil:
		s.picture = func() (*chart.Scene, error) { return v.Picture(a) }
	}
	if v.Page != nil {
		s.page = func() (*chart.Page, error) { return v.Page(a) }
	}
	return s
}

func (v View[A]) load(ctx context.Context, head []byte, file string) (answer any, known bool, err error) {
	if v.Recognise == nil || !v.Recognise(head) {
		return nil, false, nil
	}
	read, err := v.Load(ctx, file)
	return read, true, err
}

// writes returns a function that writes an answer, or nil if f is nil.
func writes[A any](f func(io.Writer, *A), answer *A) func(io.Writer) {
	if f == nil {
		return nil
	}
	return func(w io.Writer) { f(w, answer) }
}

// tries is writes for functions that may fail.
func tries[A any](f func(io.Writer, *A) error, answer *A) func(io.Writer) error {
	if f == nil {
		return nil
	}
	return func(w io.Writer) error { return f(w, answer) }
}

// planOf returns the plan that a request is about, or nil.
func planOf(request Request) *plan.Plan {
	if request == nil {
		return nil
	}
	at := reflect.ValueOf(request).Elem().FieldByName("Plan")
	if !at.IsValid() {
		return nil
	}
	p, _ := at.Interface().(*plan.Plan)
	return p
}

// ErrNotRendered means that the view of an answer does not have the requested form.
var ErrNotRendered = errors.New("there is no such form of this answer")

// Rendering is an answer together with its view.
type Rendering struct {
	Answer any
	Table  string // the name of its rows in SQL, "" for the default

	// Spell says a text's fields, which stand between backquotes as in errors (field.Spell), in
	// the words of its reader. nil: by their names.
	Spell func(text string) string

	text, verbose func(io.Writer)
	json, csv     func(io.Writer) error
	picture       func() (*chart.Scene, error)
	page          func() (*chart.Page, error)
}

// Text writes the answer for a terminal: everything if verbose is set, otherwise what matters
// most.
func (s Rendering) Text(w io.Writer, verbose bool) error {
	write := s.text
	if verbose && s.verbose != nil {
		write = s.verbose
	}
	if write == nil {
		return s.JSON(w)
	}
	spell := s.Spell
	if spell == nil {
		spell = field.Plain
	}
	var text strings.Builder
	write(&text)
	_, err := io.WriteString(w, spell(text.String()))
	return err
}

// JSON writes the answer as one document.
func (s Rendering) JSON(w io.Writer) error {
	if s.json != nil {
		return s.json(w)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(s.Answer)
}

// CSV writes the rows of an answer that is a list, below a heading. An error that wraps
// ErrNotRendered says that the answer is not a list.
func (s Rendering) CSV(w io.Writer) error {
	if s.csv == nil {
		return fmt.Errorf("csv: %w; use json", ErrNotRendered)
	}
	return s.csv(w)
}

// Picture draws the one picture that says the most about the answer.
func (s Rendering) Picture() (*chart.Scene, error) {
	if s.picture == nil {
		return nil, errors.New("there is no picture of this answer")
	}
	return s.picture()
}

// Page makes a page about the answer.
func (s Rendering) Page() (*chart.Page, error) {
	if s.page == nil {
		return nil, errors.New("there is no page of this answer")
	}
	return s.page()
}
