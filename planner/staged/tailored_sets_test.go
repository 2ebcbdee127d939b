package staged

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/synthesis"
	"github.com/lightpath-net/lightpath/units"
)

// Pipelines ask the same questions however many pieces they have, once they repeat
// themselves, and of whatever size: so a memory that one has filled changes nothing for
// another, and the answers for it are there.
func TestPipelinesAskTheSameQuestions(t *testing.T) {
	for _, op := range []collective.Op{collective.Broadcast, collective.RootReduce} {
		var first []synthesis.Problem
		for _, parts := range []int{9, 12, 31} {
			for _, size := range []units.Bytes{3 * units.KiB, 64 * units.MiB} {
				f := fabric.Default()
				f.Nodes = 7
				r := request(t, f, op, fmt.Sprintf("binary:parts=%d", parts), size)
				w := newWorkload(&r, r.Collective.Steps)
				var asked []synthesis.Problem
				for _, s := range w.sets() {
					asked = append(asked, w.question(s, hopLight))
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

// A plan is the same whether what it looks for is remembered or not.
func TestAMemoryOfSearchesChangesNoPlan(t *testing.T) {
	m := planner.NewMemory()
	for _, parts := range []int{5, 6, 11} {
		f := fabric.Default()
		f.Nodes, f.Reconfig = 6, reconfig(t, "3us")
		r := request(t, f, collective.Broadcast, fmt.Sprintf("binary:parts=%d", parts), units.MiB)
		alone := planWith(t, "harvest", r)
		r.Kept = m
		with := planWith(t, "harvest", r)
		verify(t, with)
		if alone.Cost != with.Cost || alone.Reconfigurations != with.Reconfigurations {
			t.Errorf("%d pieces: %v, alone %v", parts, with.Cost, alone.Cost)
		}
	}
}
