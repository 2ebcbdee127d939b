package report

import (
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/plan"
)

// Verify writes the outcome of every check.
func Verify(w io.Writer, r *plan.Report) {
	var names, details []string
	for _, c := range r.Checks {
		mark := "ok"
		if !c.OK {
			mark = "NO"
		}
		names = append(names, fmt.Sprintf("%s  %-10s", mark, c.Name))
		details = append(details, c.Detail)
	}
	list(w, "  ", names, details)
	if r.OK {
		fmt.Fprintln(w, "the plan is correct")
	} else {
		fmt.Fprintln(w, "the plan is NOT correct")
	}
}
