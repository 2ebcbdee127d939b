// Package man writes manual pages from the text of the help.
package man

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Page writes the page of a command in the man macros.
func Page(w io.Writer, c *cobra.Command) {
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
	flags(w, c.NonInheritedFlags())
	flags(w, c.InheritedFlags())
	if c.Example != "" {
		fmt.Fprintf(w, ".SH EXAMPLES\n")
		verbatim(w, c.Example)
	}
	fmt.Fprintf(w, ".SH EXIT STATUS\n0: done. 1: the answer is no. 2: bad usage or input. 130: interrupted.\n")
}

func flags(w io.Writer, set *pflag.FlagSet) {
	set.VisitAll(func(f *pflag.Flag) {
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

// verbatim writes text without changing its lines.
func verbatim(w io.Writer, text string) {
	fmt.Fprintln(w, ".nf")
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintln(w, roff(line))
	}
	fmt.Fprintln(w, ".fi")
}

// roff escapes text that the formatter would take for commands.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
