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
	"reflect"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/cli/bind"
	"github.com/lightpath-net/lightpath/internal/cli/terminal"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/report"
)

// Exit codes. README.md documents them.
const (
	exitDone        = 0
	exitNo          = 1 // the answer is no: plan invalid, infeasible
	exitUsage       = 2 // bad usage or input
	exitInterrupted = 130
)

// errNo is an answer "no" that was already printed.
var errNo = errors.New("no")

// session is one run of the program.
type session struct {
	out  *bufio.Writer
	err  io.Writer
	json bool
	form string
	// verbose says all of an answer, where text says what matters most.
	verbose bool
	// closed says that standard output is closed, terminal that it is a terminal.
	closed, terminal bool
	// asked, if not nil, sees every request before it is carried out; what it returns ends
	// the command.
	asked func(lightpath.Request) error
	more  []lightpath.Command // beside those of package lightpath
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
			code = exitUsage
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
	case ctx.Err() != nil:
		fmt.Fprintln(s.err, "lightpath: interrupted")
		return exitInterrupted
	}
	fmt.Fprintf(s.err, "lightpath: %s\n", oneLine(report.InFlags(err.Error())))
	if errors.Is(err, planner.ErrInfeasible) {
		return exitNo
	}
	return exitUsage
}

// no prints why the answer is no.
func (s *session) no(why string) error {
	fmt.Fprintf(s.err, "lightpath: %s\n", oneLine(report.InFlags(why)))
	return errNo
}

// longestLine bounds a message, which may quote what somebody has typed or a file holds.
const longestLine = 1000

// oneLine puts text on one line that is not too long; what is left out is in the middle,
// as the end says what would be right.
func oneLine(text string) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) <= longestLine {
		return string(line)
	}
	const part = longestLine/2 - 2
	return string(line[:part]) + " .. " + string(line[len(line)-part:])
}

// progress shows what is done, on a terminal.
func (s *session) progress(what string) *terminal.Progress { return terminal.Start(s.err, what) }

// asks shows a request to whoever wants to see it.
func (s *session) asks(r lightpath.Request) error {
	if s.asked == nil {
		return nil
	}
	return s.asked(r)
}

func (s *session) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "lightpath",
		Short: "Plan collective communication on reconfigurable optical fabrics",
		Long: `Lightpath plans collective communication on reconfigurable optical fabrics:
when and how to reconfigure the circuits, what every GPU sends in every step,
how long it takes, and how far that is from a proven lower bound.

Exit 0: done. 1: the answer is no (the plan is not correct, no plan exists, data
is lost). 2: bad usage or input. 130: interrupted (Ctrl-C).`,
		Example:       "  lightpath plan allreduce\n  lightpath compare alltoall --size 1MiB --reconfig 100us",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          s.unknownCommand,
		Version:       version(),

		PersistentPreRunE: s.checkForm,

		SuggestionsMinimumDistance: 2, // letters that may be wrong

		RunE: func(c *cobra.Command, _ []string) error {
			if s.json {
				return fmt.Errorf("--json: no command given, nothing to print (see lightpath --help)")
			}
			return c.Help()
		},
	}
	usage := strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 80")
	root.SetUsageTemplate(strings.ReplaceAll(usage, "for more information about a command", "for help on a command"))
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show help for a command",
		RunE: func(_ *cobra.Command, args []string) error {
			about, _, err := root.Find(args)
			if err != nil || about == root && len(args) > 0 {
				return s.unknownCommand(root, args)
			}
			return about.Help()
		},
	})
	root.PersistentFlags().BoolVar(&s.json, "json", false, "print exactly one JSON document")
	root.PersistentFlags().StringVar(&s.form, "format", report.Text{}.Name(), "output format `FORM`: "+strings.Join(formNames(), " | "))
	bind.Offer(root, "format", formNames)
	root.SetFlagErrorFunc(flagError)
	faces := s.faces()
	for _, command := range s.commands() {
		face, own := faces[command.Name]
		switch {
		case !own:
			root.AddCommand(s.fieldsCommand(&command))
		case face != nil:
			root.AddCommand(face(&command))
		}
	}
	for _, command := range []func() *cobra.Command{s.rankCommand, s.switchCommand, s.reportCommand, s.serveCommand, s.manCommand} {
		root.AddCommand(command()) // which ask the library nothing
	}
	root.InitDefaultCompletionCmd()
	narrow(root)
	guard(root)
	return root
}

// commands are those of package lightpath, and of tests.
func (s *session) commands() (list []lightpath.Command) {
	return append(lightpath.Commands(), s.more...)
}

// fieldsCommand is the command line of a command that has none of its own: a flag for every
// field of its request.
func (s *session) fieldsCommand(asked *lightpath.Command) *cobra.Command {
	request, ok := reflect.New(asked.Request).Interface().(lightpath.Request)
	if !ok {
		panic(asked.Name + ": its request is none") // NewCommand takes no such type
	}
	f := &face{asked: asked, request: request, doing: asked.Name, Command: &cobra.Command{
		Use: asked.Name, Short: asked.About, Long: asked.About + ".\n\nAs JSON: " + asked.Example,
		Example: "  lightpath " + asked.Name, Args: noArgument,
	}}
	f.bind()
	return f.command(s)
}

// faces are the command lines that say more than the fields of a request do: with arguments,
// files, pictures, or several requests. One without such a face is made by fieldsCommand, and
// one that is nil is a flag of another command.
func (s *session) faces() map[string]func(*lightpath.Command) *cobra.Command {
	return map[string]func(*lightpath.Command) *cobra.Command{
		"plan":       s.planCommand,
		"frontier":   nil, // plan --frontier
		"compare":    s.compareCommand,
		"explain":    s.explainCommand,
		"train":      s.trainCommand,
		"find":       s.findCommand,
		"schedule":   s.scheduleCommand,
		"simulate":   s.simulateCommand,
		"verify":     s.verifyCommand,
		"topology":   s.topologyCommand,
		"collective": s.collectiveCommand,
		"compile":    s.compileCommand,
		"check":      s.checkCommand,
		"emulate":    s.emulateCommand,
		"calibrate":  s.calibrateCommand,
		"sweep":      s.sweepCommand,
		"tune":       s.tuneCommand,
		"advise":     s.adviseCommand,
		"reproduce":  s.reproduceCommand,
	}
}

// narrow breaks the lines of help texts, some of which are not ours, that are too long for
// a terminal.
func narrow(c *cobra.Command) {
	const columns = 80
	var lines []string
	for _, line := range strings.Split(c.Long, "\n") {
		for len(line) > columns {
			at := strings.LastIndexByte(line[:columns+1], ' ')
			if at <= 0 {
				break
			}
			lines, line = append(lines, line[:at]), line[at+1:]
		}
		lines = append(lines, line)
	}
	c.Long = strings.Join(lines, "\n")
	for _, sub := range c.Commands() {
		narrow(sub)
	}
}

// longestSlip is how long a name may be to be a command with letters wrong, in bytes.
const longestSlip = 40

// unknownCommand says which command was perhaps meant.
func (s *session) unknownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see lightpath --help"
	if len(args[0]) > longestSlip {
		// nothing is near it, and a distance is a table of its length
	} else if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("unknown command %.40q; %s", args[0], hint)
}

// flagError says what is wrong with a flag, without Go's jargon.
func flagError(c *cobra.Command, err error) error {
	if !c.HasParent() && len(c.Flags().Args()) > 0 { // flags of a command that there is not
		return (&session{}).unknownCommand(c, c.Flags().Args())
	}
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		why := "not a whole number that fits"
		if bad.GetFlag().Value.Type() == "bool" {
			why = "a switch takes =true or =false, or nothing"
		}
		err = fmt.Errorf("--%s: %.40q: %s", bad.GetFlag().Name, bad.GetValue(), why)
	}
	if !c.HasParent() {
		return fmt.Errorf("%w (see %s --help)", err, c.CommandPath()) // whose name every line begins with
	}
	return fmt.Errorf("%s: %w (see %s --help)", c.Name(), err, c.CommandPath())
}

// print writes the answer in the form that was asked for.
func (s *session) print(answer any) error {
	name := s.form
	if s.json {
		name = report.JSON{}.Name()
	}
	form, err := report.FormOf(name)
	if err != nil {
		return fmt.Errorf("--format: %w", err)
	}
	if s.closed && name != (report.Text{}).Name() {
		return errors.New("standard output: closed; nowhere to print to")
	}
	if _, ok := form.(report.Text); ok {
		form = report.Text{Verbose: s.verbose}
	}
	err = form.Write(s.out, answer)
	switch {
	case errors.Is(err, report.ErrNoForm):
		return fmt.Errorf("--format: %w", err)
	case err != nil: // whatever the form
		return onOutput(err)
	}
	return nil
}

// onOutput says that what was printed was lost.
func onOutput(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("standard output: %w", err)
}

// checkForm refuses a form that there is not, and two that differ, before anything is done.
func (s *session) checkForm(*cobra.Command, []string) error {
	if _, err := report.FormOf(s.form); err != nil {
		return fmt.Errorf("--format: %w", err)
	}
	if s.json && s.form != (report.Text{}).Name() && s.form != (report.JSON{}).Name() {
		return fmt.Errorf("--json: --format %s asks for another form; want one of them", s.form)
	}
	return nil
}

// text reports whether answers are for people.
func (s *session) text() bool { return !s.json && s.form == report.Text{}.Name() }

func formNames() []string {
	var names []string
	for _, f := range report.Forms() {
		names = append(names, f.Name())
	}
	return names
}
