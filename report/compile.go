package report

import (
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/command/compiling"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/report/tabular"
)

// Compilation writes what a plan was compiled to.
func Compilation(w io.Writer, c *compiling.Compilation) {
	if c.Folder {
		fmt.Fprintf(w, "%s: %d files\n", c.Format, len(c.Files))
	} else {
		fmt.Fprintf(w, "%s: one file\n", c.Format)
	}
	for _, note := range c.Notes {
		fmt.Fprintf(w, "  %s\n", note)
	}
	if c.Carried > 0 {
		fmt.Fprintf(w, "  time of the plan       %v\n", c.Plan)
		tabular.List(w, "  ", []string{"time of the program  "}, []string{fmt.Sprintf("%v (%s)", c.Carried, c.How)})
		for _, cause := range c.Causes {
			tabular.List(w, "    ", []string{"  "}, []string{cause})
		}
	}
}

// Checked writes the result of every check of a program.
func Checked(w io.Writer, c *compiling.Checked) {
	checks(w, c.Checks)
	if c.OK {
		fmt.Fprintf(w, "the program is correct (%s)\n", c.Format)
	} else {
		fmt.Fprintln(w, "the program is NOT correct")
	}
	if c.Lifted != nil {
		fmt.Fprintf(w, "as a plan: %d steps, %v\n", c.Lifted.CountSteps(), c.Plan)
	}
}

// checks writes the result of every check, and returns how many could not be made.
func checks(w io.Writer, all []verify.Check) (unchecked int) {
	var names, details []string
	for _, c := range all {
		mark := "ok"
		switch {
		case c.Unchecked:
			mark = "--"
			unchecked++
		case !c.OK:
			mark = "NO"
		}
		names = append(names, fmt.Sprintf("%s  %-10s", mark, c.Name))
		details = append(details, c.Detail)
	}
	tabular.List(w, "  ", names, details)
	return unchecked
}
