package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lightpath-net/lightpath/internal/cli/bind"
)

// manCommand writes manual pages. They are made of the same text as the help.
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
			manPage(s.out, about)
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

// manPage writes a page in the man macros.
func manPage(w io.Writer, c *cobra.Command) {
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(w, ".TH %s 1 \"\" \"lightpath\" \"User Commands\"\n", strings.ToUpper(roff(name)))
	fmt.Fprintf(w, ".SH NAME\n%s \\- %s\n", roff(name), roff(strings.ToLower(c.Short[:1])+c.Short[1:]))
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B %s\n", roff(c.UseLine()))
	fmt.Fprintf(w, ".SH DESCRIPTION\n")
	verbatim(w, c.Long)
	if subs := c.Commands(); len(subs) > 0 {
		fmt.Fprintf(w, ".SH COMMANDS\n")
		for _, sub := range subs {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(sub.Name()), roff(sub.Short))
			}
		}
	}
	fmt.Fprintf(w, ".SH OPTIONS\n")
	manFlags(w, c.NonInheritedFlags())
	manFlags(w, c.InheritedFlags())
	if c.Example != "" {
		fmt.Fprintf(w, ".SH EXAMPLES\n")
		verbatim(w, c.Example)
	}
	fmt.Fprintf(w, ".SH EXIT STATUS\n0: done. 1: the answer is no. 2: bad usage or input. 130: interrupted.\n")
}

func manFlags(w io.Writer, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		text := "--" + f.Name
		if f.Shorthand != "" {
			text = "-" + f.Shorthand + ", " + text
		}
		if kind != "" {
			text += " " + kind
		}
		fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(text), roff(strings.Join(strings.Fields(usage), " ")))
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" && f.DefValue != "0" && !strings.Contains(usage, "(default") {
			fmt.Fprintf(w, "(default %s)\n", roff(f.DefValue))
		}
	})
}

// verbatim writes text whose lines stay as they are.
func verbatim(w io.Writer, text string) {
	fmt.Fprintln(w, ".nf")
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintln(w, roff(line))
	}
	fmt.Fprintln(w, ".fi")
}

// roff keeps text from being commands to the formatter.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
