package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/cli/bind"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/plan"
)

// face is the command line of a command of package lightpath: a flag for every field of its
// request, and more.
type face struct {
	*cobra.Command
	asked   *lightpath.Command
	request lightpath.Request
	doing   string   // for the progress
	own     []string // fields, by their names in JSON, that read fills: they have no flag
	file    string   // input file that may be to blame for errors
	partly  bool     // keep the partial answer of an interrupted command
	paged   bool     // with HTML, its picture is the page of its answer

	// Each of these may be nil. read fills the request from arguments and files, options returns
	// options that are not values, keep writes files, and end can say that the answer is no.
	read    func(args []string) error
	options func() ([]lightpath.Option, error)
	keep    func(answer any) error
	end     func(answer any) error

	machine *input.Fabric // if flags fill the fabric of the request
	plot    *plotFlag
}

// on turns a function of a command's answer into one of any answer.
func on[A, R any](f func(*A) R) func(any) R {
	return func(answer any) R { return f(answer.(*A)) } //nolint:forcetypeassert // what the command answers
}

// bind defines the flags of the request's fields.
func (f *face) bind() {
	except := append(slices.Clone(f.own), "fabric")
	input.Binder.Flags(f.Command, f.request, except...)
	if f.fabric().IsValid() && !slices.Contains(f.own, "fabric") {
		f.machine = input.AddFabric(f.Command)
	}
}

// fabric returns the fabric of the request, if it has one.
func (f *face) fabric() reflect.Value {
	at := reflect.ValueOf(f.request).Elem().FieldByName("Fabric")
	if at.IsValid() && at.Type() != reflect.TypeFor[fabric.Fabric]() {
		return reflect.Value{}
	}
	return at
}

// command returns the face as a command; all its other flags must have been defined.
func (f *face) command(s *session) *cobra.Command {
	f.plot = &plotFlag{}
	if f.asked.Draws() {
		f.plot = addPlotFlag(f.Command)
	}
	f.RunE = func(_ *cobra.Command, args []string) error { return f.run(s, args) }
	return f.Command
}

// run runs the command.
func (f *face) run(s *session, args []string) error {
	if err := f.fill(args); err != nil {
		return err
	}
	answer, err := f.answer(s)
	if err != nil {
		return err
	}
	return f.show(s, answer)
}

// fill makes the request from flags, arguments and files.
func (f *face) fill(args []string) error {
	if err := input.Binder.Fill(f.Command, f.request, append(slices.Clone(f.own), "fabric")...); err != nil {
		return err
	}
	if f.read != nil {
		if err := f.read(args); err != nil {
			return err
		}
	}
	if f.machine != nil {
		made, err := f.machine.Read(f.Command)
		if err != nil {
			return err
		}
		f.fabric().Set(reflect.ValueOf(made))
	}
	return f.plot.check(f.Command)
}

// answer asks the command.
func (f *face) answer(s *session) (any, error) {
	if err := s.asks(f.request); err != nil {
		return nil, err
	}
	bar := s.progress(f.doing)
	defer bar.End()
	options := bar.Options()
	if f.options != nil {
		more, err := f.options()
		if err != nil {
			return nil, err
		}
		options = append(options, more...)
	}
	var known any
	how := ""
	options = append(options, lightpath.WithUnfinished(func(answer any, words string) { known, how = answer, words }))
	answer, err := f.asked.Ask(f.Context(), f.request, options...)
	bar.End()
	if how != "" {
		err = errors.Join(err, s.unfinished(known, how))
		if f.partly && f.keep != nil && known != nil {
			err = errors.Join(err, f.keep(known))
		}
	}
	return answer, blame(f.Command, inFile(f.file, err))
}

// unfinished prints the partial answer of an interrupted command, and says so.
func (s *session) unfinished(known any, how string) error {
	if s.stopped = how; known == nil {
		return nil
	}
	s.stopped = "this is not the whole answer: " + how
	return s.print(known)
}

// show keeps, prints and draws an answer.
func (f *face) show(s *session, answer any) error {
	if f.keep != nil {
		if err := f.keep(answer); err != nil {
			return err
		}
	}
	if err := s.print(answer); err != nil {
		return err
	}
	var last error
	if f.end != nil {
		if last = f.end(answer); last != nil && !errors.Is(last, errNo) {
			return last
		}
	}
	shown := s.rendering(f.request, answer)
	draw := func() error { return s.draw(f.plot, shown.Picture) }
	if f.paged && strings.EqualFold(filepath.Ext(f.plot.name), ".html") {
		draw = func() error { return s.drawPage(f.plot, shown.Page) }
	}
	if err := draw(); err != nil {
		return err
	}
	return last
}

// readsPlan makes a command read a plan from the file given as its argument.
func (f *face) readsPlan(into **plan.Plan, files *input.Plan) {
	f.Args = input.Wants(1, 1, "want one plan file", "plan.json")
	f.read = func(args []string) (err error) {
		f.file = args[0]
		*into, err = files.Read(f.Command, args[0])
		return err
	}
}

// blame adds to an error what causes it: the flag that fills the wrong field, or else the
// command.
func blame(c *cobra.Command, err error) error {
	var named *lightpath.FieldError
	if err == nil || errors.Is(err, errNo) {
		return err
	}
	if errors.As(err, &named) && err == error(named) {
		if flag := bind.FlagOf(c, named.Path); flag != "" {
			return fmt.Errorf("--%s: %w", flag, named.Err)
		}
		switch named.Path {
		case c.Name(), "topology": // the argument, which the error quotes
			err = named.Err
		case "style": // the ending of the file says it
			return fmt.Errorf("-o: the ending %w", named.Err)
		case "id", "op", "target", "samples": // the argument
			err = named.Err
		}
		if i, of, ok := operationOf(named.Path); ok {
			if err = named.Err; of != "op" && of != "algorithm" { // which the error quotes
				err = fmt.Errorf("%s: %w", of, err)
			}
			if i > 0 {
				err = fmt.Errorf("operation %d: %w", i+1, err)
			}
		}
	}
	return fmt.Errorf("%s: %w", c.Name(), err)
}

// operationOf returns the position of the operation to which a path leads, and its field; false if
// the path leads elsewhere.
func operationOf(path string) (i int, of string, ok bool) {
	outer, of, ok := strings.Cut(path, ".")
	if outer == "operation" {
		return 0, of, ok
	}
	_, err := fmt.Sscanf(outer, "operations[%d]", &i)
	return i, of, ok && err == nil
}

// inFile adds to an error the file of an incorrect plan.
func inFile(name string, err error) error {
	var wrong *lightpath.IncorrectPlanError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s: %w", name, err)
	}
	return err
}
