package cast

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// In a turn every node receives its own piece and all other pieces of the turn before. It sends
// only what it has: what it received in the turn so far, or its own piece of the turn before.
func TestTurnsDeliverEveryPieceOnce(t *testing.T) {
	for n := 2; n <= 300; n++ {
		turns := newTurns(n)
		q := turns.rounds()
		received := make([][]int, n)
		for v := range received {
			received[v] = turns.received(v)
		}
		for v := 1; v < n; v++ {
			own := turns.own(v)
			want := []int{own}
			for piece := -q; piece < 0; piece++ {
				if piece != own-q {
					want = append(want, piece)
				}
			}
			got := slices.Clone(received[v])
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("n=%d: node %d receives %v, want %v", n, v, got, want)
			}
		}
		for v := range n {
			for k := range q {
				sent := received[(v+turns.skip[k])%n][k]
				if v == 0 && sent != k || v > 0 && sent != turns.own(v)-q && !slices.Contains(received[v][:k], sent) {
					t.Fatalf("n=%d: node %d sends %d in round %d, it receives %v", n, v, sent, k, received[v])
				}
			}
		}
	}
}

// Plans for all numbers of nodes and pieces are correct, as broadcasts and as reductions, and
// take the fewest possible rounds: one piece leaves the root per round, and the last has to reach
// everybody.
func TestRotatedCirculantsAreCorrectForAnyNumberOfNodes(t *testing.T) {
	for _, op := range []collective.Op{collective.Broadcast, collective.RootReduce} {
		for n := 3; n <= 20; n++ {
			for _, pieces := range []int{1, 2, 3, 4, 7, 12} {
				r := jointtest.Request(op, n, 1, units.MiB)
				turns := newTurns(n)
				l := turns.lay(1, pieces, false)
				if op == collective.RootReduce {
					l.Stages = Reversed(l)
				}
				p := jointtest.PlanOf(t, &r, l.Stages, l.Space)
				report, err := verify.Plan(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				if bad := report.First(); bad != nil {
					t.Fatalf("%s n=%d pieces=%d: %s: %s", op, n, pieces, bad.Name, bad.Detail)
				}
				if got := p.CountSteps(); got != pieces-1+turns.rounds() {
					t.Errorf("%s n=%d pieces=%d: %d rounds", op, n, pieces, got)
				}
			}
		}
	}
}
