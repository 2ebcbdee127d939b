package report

import (
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/units"
)

// Verify writes the result of every check: ok, NO, or -- if it could not be made.
func Verify(w io.Writer, r *verify.Report) {
	unchecked := checks(w, r.Checks)
	verdict := "the plan is correct"
	if !r.OK {
		verdict = "the plan is NOT correct"
	}
	if unchecked > 0 {
		verdict += "; " + units.Count(unchecked, "claim") + " not checked (--)"
	}
	fmt.Fprintln(w, verdict)
}
