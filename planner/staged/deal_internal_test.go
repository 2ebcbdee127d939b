package staged

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// Transfers on two-way circuits go to the first part that has room, as if all parts were
// examined.
func TestTransfersAreDealtToTheFirstPartWithRoom(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	for trial := range 500 {
		f := fabric.Default()
		f.Ports = 1 + random.IntN(3)
		n := 2 + random.IntN(9)
		var all []collective.Transfer
		for k := range 1 + random.IntN(40) {
			src := random.IntN(n)
			if trial%3 == 0 {
				src = 0
			}
			all = append(all, collective.Transfer{Src: src, Dst: (src + 1 + random.IntN(n-1)) % n, Chunks: collective.Single(k)})
		}
		var want []collective.Step
		var used []map[int]map[int]bool // peers, per part and node
		for _, t := range all {
			part := 0
			for ; part < len(want); part++ {
				if u := used[part]; u[t.Src][t.Dst] || len(u[t.Src]) < f.Ports && len(u[t.Dst]) < f.Ports {
					break
				}
			}
			if part == len(want) {
				want, used = append(want, collective.Step{}), append(used, map[int]map[int]bool{})
			}
			for _, pair := range [][2]int{{t.Src, t.Dst}, {t.Dst, t.Src}} {
				if used[part][pair[0]] == nil {
					used[part][pair[0]] = map[int]bool{}
				}
				used[part][pair[0]][pair[1]] = true
			}
			want[part].Base = append(want[part].Base, t)
		}
		if got, err := dealTwoWay(t.Context(), &f, all); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("trial %d: %d parts, want %d", trial, len(got), len(want))
		}
	}
}

// A step with too many transfers to list is not split, and the error says so at once.
func TestWhatCannotBeListedIsNotTakenApart(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Duplex = 8200, true // whose square is above mostTakenApart
	r := stagedtest.Request(t, f, collective.AllToAll, "direct", units.MiB)
	_, _, err := split(t.Context(), &f, r.Collective, []int{0})
	if !errors.Is(err, planner.ErrInfeasible) || !strings.Contains(err.Error(), "step 1 needs more than 1 ports, and to take it apart means to list") {
		t.Errorf("%v", err)
	}
}
