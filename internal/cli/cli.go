// Package cli is the command line: it translates flags to requests of package
// lightpath and answers to text or JSON. It decides nothing else.
package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath/planner"
)

// Exit codes.
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
}

// Run executes the program with the given arguments and returns its exit code.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	s := &session{out: bufio.NewWriterSize(stdout, 1<<16), err: stderr}
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(stderr, "lightpath: internal error: %v (please report this with the command)\n", r)
			code = exitUsage
		}
	}()
	root := s.root()
	root.SetArgs(args)
	root.SetOut(s.out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if flushErr := s.out.Flush(); err == nil && flushErr != nil {
		err = fmt.Errorf("standard output: %w", flushErr)
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
	text := strings.Join(strings.Fields(err.Error()), " ")
	var path *fs.PathError
	if errors.As(err, &path) { // "open x: no such file" is clearer the other way round
		text = strings.Replace(text, path.Op+" "+path.Path, path.Path, 1)
		text = strings.Replace(text, path.Path+": "+path.Path+":", path.Path+":", 1)
	}
	if strings.HasPrefix(text, "unknown command") {
		text += " (see lightpath --help)"
	}
	fmt.Fprintf(s.err, "lightpath: %s\n", text)
	if errors.Is(err, planner.ErrInfeasible) {
		return exitNo
	}
	return exitUsage
}

func (s *session) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "lightpath",
		Short: "Plan collective communication on reconfigurable optical fabrics",
		Long: `Lightpath plans collective communication on reconfigurable optical fabrics:
when and how to rewire the circuits, what every GPU sends in every step, how long
it takes and how far that is from a proven bound.`,
		Example:       "  lightpath plan allreduce\n  lightpath compare alltoall --size 1MiB --reconfig 100us",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		Version:       version(),
		RunE: func(c *cobra.Command, _ []string) error {
			if s.json {
				return fmt.Errorf("--json: there is no command whose answer to print (see lightpath --help)")
			}
			return c.Help()
		},
	}
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 80"))
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command",
		RunE: func(_ *cobra.Command, args []string) error {
			about, _, err := root.Find(args)
			if err != nil || about == root && len(args) > 0 {
				return fmt.Errorf("unknown command %q for %q", strings.Join(args, " "), root.Name())
			}
			return about.Help()
		},
	})
	root.PersistentFlags().BoolVar(&s.json, "json", false, "print exactly one JSON document")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if strings.Contains(err.Error(), "strconv.ParseBool") {
			err = fmt.Errorf("a switch takes =true or =false, or nothing: %s", strings.SplitN(err.Error(), ": strconv", 2)[0])
		}
		if strings.Contains(err.Error(), ": strconv.") { // say what, not which function refused it
			err = fmt.Errorf("%s: not a whole number that fits", strings.SplitN(err.Error(), ": strconv.", 2)[0])
		}
		return fmt.Errorf("%s: %w (see %s --help)", c.Name(), err, c.CommandPath())
	})
	root.AddCommand(s.planCommand(), s.compareCommand(), s.explainCommand(), s.trainCommand(), s.findCommand(), s.scheduleCommand(), s.simulateCommand(), s.verifyCommand(), s.topologyCommand(), s.collectiveCommand())
	return root
}

// print writes the answer: as JSON if asked for, else as text.
func (s *session) print(answer any, text func(w io.Writer)) error {
	if !s.json {
		text(s.out)
		return nil
	}
	encoder := json.NewEncoder(s.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(answer)
}
