package input

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// The help of expressions lists every family and every operator, and fits on a terminal.
func TestHelpListsAllTopologies(t *testing.T) {
	help := ExpressionHelp()
	members, derived := topology.Usages()
	if len(members) < 30 || len(derived) < 8 {
		t.Errorf("%d families, %d operators", len(members), len(derived))
	}
	for _, usage := range append(members, derived...) {
		for written := range strings.SplitSeq(usage, " or ") {
			if !strings.Contains(help, " "+written) {
				t.Errorf("%s is missing", written)
			}
		}
	}
	for line := range strings.SplitSeq(help, "\n") {
		if len(line) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}
