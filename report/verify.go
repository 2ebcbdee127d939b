package report

import (
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/plan"
)

// Verify writes the outcome of every check.
func Verify(w io.Writer, r *plan.Report) {
	checks(w, r.Checks)
	if r.OK {
		fmt.Fprintln(w, "the plan is correct")
	} else {
		fmt.Fprintln(w, "the plan is NOT correct")
	}
}
