package controlling_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/command/controlling"
)

// TestATableHasALineForEverySwitch, whatever switches answer.
func TestATableHasALineForEverySwitch(t *testing.T) {
	var out strings.Builder
	a := &controlling.Watched{Stage: 1, Of: 1, Topology: "ring", Switches: []controlling.WatchedSwitch{{Switch: "a", Error: "one\ntwo\r\nthree"}, {Switch: "b"}}}
	a.WriteText(&out)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 5 || !strings.HasSuffix(lines[3], "cannot be read: one two three") || !strings.HasSuffix(lines[4], "as planned") {
		t.Errorf("%q", lines)
	}
}
