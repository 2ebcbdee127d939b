// Package cli is the command line: it translates flags to requests of package
// lightpath and answers to text, JSON or CSV. It decides nothing else.
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/internal/cli/bind"
	"github.com/lightpath-net/lightpath/internal/cli/terminal"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/report"
)

// Exit codes. README.md documents them.
const (
	exitDone        = 0
	exitNo          = 1 // the answer is no: plan invalid, infeasible
	exitUsage       = 2 // bad usage or input
	exitBug         = 3 // a bug: a wrong plan, a panic
	exitInterrupted = 130
)

// errNo stands for an answer "no" that was already printed.
var errNo = errors.New("no")

// session is one run of the program.
type session struct {
	out  *bufio.Writer
	err  io.Writer
	json bool
	form string
	// verbose shows the whole answer, where text shows only what matters most.
	verbose bool
	// stopped describes the partial answer of an interrupted command.
	stopped string
	request lightpath.Request // the last one made
	// closed says that standard output is closed; terminal, that it is a terminal.
	closed, terminal bool
	// asked, if not nil, is called with every request before it runs; its result ends the
	// command.
	asked func(lightpath.Request) error
	// more commands, planners and compile targets, in addition to the library's
	more     []lightpath.Command
	planners []planner.Planner
	targets  compile.Targets
}

// Run executes the program with the given arguments and returns its exit code.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s := &session{out: bufio.NewWriterSize(stdout, 1<<16), err: stderr, terminal: terminal.Is(stdout)}
	if file, ok := stdout.(*os.File); ok {
		s.closed = terminal.Closed(file)
	}
	return s.run(ctx, args)
}

func (s *session) run(ctx context.Context, args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(s.err, "lightpath: internal error: %v (please report this with the command)\n", r)
			code = exitBug
		}
	}()
	root := s.root()
	root.SetArgs(args)
	root.SetOut(s.out)
	root.SetErr(s.err)
	err := root.ExecuteContext(ctx)
	if flushErr := s.out.Flush(); flushErr != nil && (err == nil || errors.Is(err, errNo)) {
		err = onOutput(flushErr)
	}
	return s.fail(ctx, err)
}

// fail prints an error as one line and returns the exit code.
func (s *session) fail(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errNo):
		return exitNo
	case ctx.Err() != nil && s.stopped != "":
		fmt.Fprintf(s.err, "lightpath: interrupted: %s\n", oneLine(s.stopped))
		return exitInterrupted
	case ctx.Err() != nil:
		fmt.Fprintln(s.err, "lightpath: interrupted")
		return exitInterrupted
	}
	fmt.Fprintf(s.err, "lightpath: %s\n", oneLine(s.inFlags(err.Error())))
	var wrong *command.WrongPlanError
	switch {
	case errors.Is(err, planner.ErrInfeasible):
		return exitNo
	case errors.As(err, &wrong):
		return exitBug
	}
	return exitUsage
}

// no prints why the answer is no.
func (s *session) no(why string) error {
	fmt.Fprintf(s.err, "lightpath: %s\n", oneLine(s.inFlags(why)))
	return errNo
}

// longestLine bounds a message, which may quote user input or a file.
const longestLine = 1000

// oneLine puts text on one line of limited length. It cuts out the middle, because the end says
// what would be right.
func oneLine(text string) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) <= longestLine {
		return string(line)
	}
	const part = longestLine/2 - 2
	return string(line[:part]) + " .. " + string(line[len(line)-part:])
}

// progress shows the progress of work on a terminal.
func (s *session) progress(what string) *terminal.Progress { return terminal.Start(s.err, what) }

// inFlags replaces fields of the request in a message or an answer by flags.
func (s *session) inFlags(text string) string { return bind.Spell(s.request, text) }

// asks passes a request to asked, if that is set.
func (s *session) asks(r lightpath.Request) error {
	s.request = r
	if s.asked == nil {
		return nil
	}
	return s.asked(r)
}

// rendering returns an answer with the view of its command; its request may be nil.
func (s *session) rendering(r lightpath.Request, answer any) command.Rendering {
	rendering := command.Render(append(s.commands(), unserved...), r, answer)
	rendering.Spell = s.inFlags
	return rendering
}

// print writes the answer in the requested form.
func (s *session) print(answer any) error {
	name := s.form
	if s.json {
		name = report.JSON{}.Name()
	}
	form, err := report.FormatOf(name)
	if err != nil {
		return fmt.Errorf("--format: %w", err)
	}
	if s.closed && name != (report.Text{}).Name() {
		return errors.New("standard output: closed; nowhere to print to")
	}
	if _, ok := form.(report.Text); ok {
		form = report.Text{Verbose: s.verbose}
	}
	err = form.Write(s.out, s.rendering(nil, answer))
	switch {
	case errors.Is(err, report.ErrNoFormat):
		return fmt.Errorf("--format: %w", err)
	case err != nil: // in any form
		return onOutput(err)
	}
	return nil
}

// onOutput turns an error of standard output into one that says that output was lost.
func onOutput(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("standard output: %w", err)
}

// checkForm refuses an unknown form, and two different forms, before any work.
func (s *session) checkForm(*cobra.Command, []string) error {
	if _, err := report.FormatOf(s.form); err != nil {
		return fmt.Errorf("--format: %w", err)
	}
	if s.json && s.form != (report.Text{}).Name() && s.form != (report.JSON{}).Name() {
		return fmt.Errorf("--json: --format %s asks for another form; want one of them", s.form)
	}
	return nil
}

// text reports whether answers are for people.
func (s *session) text() bool { return !s.json && s.form == report.Text{}.Name() }

func formatNames() []string { return each.Of(report.Formats(), report.Format.Name) }
