package cli

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/cli/bind"
	"github.com/lightpath-net/lightpath/internal/cli/guard"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/internal/cli/man"
	"github.com/lightpath-net/lightpath/report"
)

// own holds the command lines that need more than the fields of a request: arguments, files or
// several requests. The file of each such command line registers it here. A nil entry is a flag
// of another command.
var own = map[string]func(*session, *lightpath.Command) *cobra.Command{}

// root makes the program's command lines: one for each command of the list, from the fields of its
// request unless it has its own.
func (s *session) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "lightpath",
		Short: "Plan collective communication on reconfigurable optical fabrics",
		Long: `Lightpath plans collective communication on reconfigurable optical fabrics:
when and how to reconfigure the circuits, what every GPU sends in every step,
how long it takes, and how far that is from a proven lower bound.

Exit 0: done. 1: the answer is no (the plan is not correct, no plan exists, data
is lost). 2: bad usage or input. 3: a bug of lightpath (a wrong plan, a crash).
130: interrupted (Ctrl-C).`,
		Example:       "  lightpath plan allreduce\n  lightpath compare alltoall --size 1MiB --reconfig 100us",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          s.unknownCommand,
		Version:       version(),

		PersistentPreRunE: s.checkForm,

		SuggestionsMinimumDistance: 2, // wrong letters allowed

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
	root.PersistentFlags().StringVar(&s.form, "format", report.Text{}.Name(), "output format `FORM`: "+strings.Join(formatNames(), " | "))
	bind.Offer(root, "format", formatNames)
	root.SetFlagErrorFunc(flagError)
	for _, command := range s.commands() {
		face, special := own[command.Name]
		switch {
		case !special:
			root.AddCommand(s.fieldsCommand(&command))
		case face != nil:
			line := face(s, &command)
			line.Short = command.About
			root.AddCommand(line)
		}
	}
	for _, command := range []func() *cobra.Command{s.controlCommand, s.launchCommand, s.rankCommand, s.switchCommand, s.reportCommand, s.serveCommand, s.manCommand} {
		root.AddCommand(command()) // commands that do not call the library
	}
	root.InitDefaultCompletionCmd()
	refuseShells(root)
	narrow(root)
	guard.Commands(root)
	return root
}

// refuseShells makes cobra's command for completion refuse a shell that it does not know.
func refuseShells(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Args = cobra.ArbitraryArgs
		c.RunE = func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.Help()
			}
			var shells []string
			for _, shell := range c.Commands() {
				shells = append(shells, shell.Name())
			}
			return fmt.Errorf("completion: unknown shell %.40q; use %s", args[0], strings.Join(shells, ", "))
		}
	}
}

// commands returns the commands of package lightpath and of tests.
func (s *session) commands() (list []lightpath.Command) {
	return append(lightpath.Commands(s.planners...), s.more...)
}

// command returns a command by its name.
func (s *session) command(name string) *lightpath.Command {
	list := s.commands()
	i := slices.IndexFunc(list, func(c lightpath.Command) bool { return c.Name == name })
	return &list[i]
}

// fieldsCommand returns the default command line of a command: a flag for every field of its
// request.
func (s *session) fieldsCommand(asked *lightpath.Command) *cobra.Command {
	f := &face{asked: asked, request: asked.New(), doing: asked.Name, Command: &cobra.Command{
		Use: asked.Name, Short: asked.About, Long: asked.About + ".\n\nAs JSON: " + asked.Example,
		Example: "  lightpath " + asked.Name, Args: input.NoArgument,
	}}
	f.bind()
	return f.command(s)
}

// narrow breaks lines of help texts that are too long for a terminal; some of these texts are
// cobra's.
func narrow(c *cobra.Command) {
	const columns = 80
	var lines []string
	for line := range strings.SplitSeq(c.Long, "\n") {
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

// longestSlip is the longest name, in bytes, that is compared with commands for typing errors.
const longestSlip = 40

// unknownCommand says which command may have been meant.
func (s *session) unknownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see lightpath --help"
	if len(args[0]) > longestSlip {
		// no command is near, and computing a distance takes a table of its length
	} else if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("unknown command %.40q; %s", args[0], hint)
}

// flagError says what is wrong with a flag, without Go's jargon.
func flagError(c *cobra.Command, err error) error {
	if !c.HasParent() && len(c.Flags().Args()) > 0 { // flags of an unknown command
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
		return fmt.Errorf("%w (see %s --help)", err, c.CommandPath()) // every line begins with its name
	}
	return fmt.Errorf("%s: %w (see %s --help)", c.Name(), err, c.CommandPath())
}

// manCommand returns the command that writes manual pages from the text of the help.
func (s *session) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man [COMMAND]",
		Short: "Write the manual page of a command",
		Long: `Write the manual page of a command, or of lightpath itself, for man:
lightpath man plan | man -l -`,
		Example: "  lightpath man > lightpath.1\n  lightpath man plan > lightpath-plan.1",
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			about, _, err := root.Find(args)
			if err != nil || about == root && len(args) > 0 {
				return s.unknownCommand(root, args)
			}
			man.Page(s.out, about)
			return nil
		},
		ValidArgsFunction: func(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, sub := range c.Root().Commands() {
				names = append(names, sub.Name())
			}
			return bind.Beginning(names, typed), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// version returns the module's version that the build recorded.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
