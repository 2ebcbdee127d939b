package report

import (
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/plan"
)

// Verify writes the outcome of every check: ok, NO, or -- for what could not be checked.
func Verify(w io.Writer, r *plan.Report) {
	var names, details []string
	unchecked := 0
	for _, c := range r.Checks {
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
	list(w, "  ", names, details)
	verdict := "the plan is correct"
	if !r.OK {
		verdict = "the plan is NOT correct"
	}
	if unchecked > 0 {
		verdict += "; " + count(unchecked, "claim") + " not checked (--)"
	}
	fmt.Fprintln(w, verdict)
}
