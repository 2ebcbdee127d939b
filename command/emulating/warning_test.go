package emulating_test

import (
	"context"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/emulating"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// TestLongEmulationsAreAnnounced: the user is warned before a long emulation with slowed-down
// times, and only then.
func TestLongEmulationsAreAnnounced(t *testing.T) {
	d := units.Duration(100 * units.Microsecond)
	w := &workload.Workload{Schema: workload.Schema, Ranks: 2, Kinds: map[string][][]int{"dp": {{0, 1}}}, Programs: []workload.Program{{
		Ranks: workload.NewRankSet([]int{0, 1}), Ops: []workload.Op{{ID: "f", Compute: &d}, {ID: "g", Op: "allreduce", Size: 1024, Kind: "dp", After: []string{"f"}}},
	}}}
	f := fabric.Default()
	f.Ports, f.Nodes = 1, 2
	plan, err := iterating.Iterate(t.Context(), iterating.IterateRequest{Workload: w, Fabric: f})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		slow   float64
		noWait bool
		want   string
	}{
		{slow: 1_000_000, want: "1000000 times slower"}, {slow: 1}, {noWait: true},
	} {
		said := ""
		ctx, cancel := context.WithCancel(t.Context())
		_, err := emulating.Emulate(ctx, emulating.EmulateRequest{Iteration: plan, Slow: c.slow, NoWait: c.noWait, Iterations: 1}, command.WithWarning(func(text string) {
			said = text
			cancel()
		}))
		cancel()
		if c.want == "" && (err != nil || said != "") || !strings.Contains(said, c.want) || strings.Contains(said, "\n") {
			t.Errorf("%+v: %q, %v", c, said, err)
		}
	}
}
