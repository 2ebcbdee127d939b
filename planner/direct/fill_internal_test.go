package direct

import (
	"context"
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/expand"
	"github.com/lightpath-net/lightpath/topology"
)

// TestPiecesMakeWhatTheWholeScheduleMakes: nodes have links of their own, so that a schedule
// may be processed in pieces, by any number of goroutines, or as a whole, which is too large to
// be kept and is computed twice.
func TestPiecesMakeWhatTheWholeScheduleMakes(t *testing.T) {
	for _, name := range samples.Some([]string{"GenKautz(3,270)", "C(190;7,9)", "Bidirect(GenKautz(2,190))"}) {
		expr, err := topology.ParseExpr(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range []bfb.Op{bfb.AllGather, bfb.AllReduce} {
			s, err := expand.Solve(t.Context(), expr, expand.Options{Op: op})
			if err != nil {
				t.Fatal(err)
			}
			whole := source{steps: s.Steps, all: s.All}
			want, parts, err := filled(t.Context(), whole, s.Nodes, 0)
			if err != nil || parts == 0 {
				t.Fatalf("%s, %v: %d parts, %v", name, op, parts, err)
			}
			for _, workers := range []int{1, 3} {
				ctx := threads.Limit(context.Background(), workers)
				got, of, err := filled(ctx, source{steps: s.Steps, all: s.All, of: s.Of}, s.Nodes, 0)
				if err != nil || of != parts || !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %v on %d threads: other transfers, of %d parts instead of %d, %v", name, op, workers, of, parts, err)
				}
			}
		}
	}
}
