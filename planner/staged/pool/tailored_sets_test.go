package pool

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/planner/synthesis"
	"github.com/lightpath-net/lightpath/units"
)

// Pipelines pose the same questions whatever their size and however many pieces they have, once
// they repeat themselves. So a memory filled by one changes nothing for another and already has
// its answers.
func TestPipelinesAskTheSameQuestions(t *testing.T) {
	for _, op := range []collective.Op{collective.Broadcast, collective.RootReduce} {
		var first []synthesis.Problem
		for _, parts := range []int{9, 12, 31} {
			for _, size := range []units.Bytes{3 * units.KiB, 64 * units.MiB} {
				f := fabric.Default()
				f.Nodes = 7
				r := stagedtest.Request(t, f, op, fmt.Sprintf("binary:parts=%d", parts), size)
				w := pricing.NewWorkload(&r, r.Collective.Steps)
				var asked []synthesis.Problem
				for _, s := range setsOf(w) {
					asked = append(asked, question(w, s, hopLight))
				}
				if first == nil {
					first = asked
				}
				if len(asked) == 0 || !reflect.DeepEqual(asked, first) {
					t.Errorf("%s in %d pieces of %v asks %d questions, other than with 9", op, parts, size, len(asked))
				}
			}
		}
	}
}
