package cast

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/capped"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Filled chains are correct, as broadcasts and as reductions, from one root and from several
// after a reconfiguration, and take the predicted time.
func TestFilledChainsAreCorrect(t *testing.T) {
	tried := 0
	for _, n := range []int{3, 4, 5, 8, 13, 21} {
		for _, stores := range []bool{false, true} {
			for ports := 1; ports <= 2; ports++ {
				r := jointtest.Request(collective.Broadcast, n, ports, units.MiB)
				if stores {
					r.Fabric.Forwarding = fabric.StoreAndForward
				}
				s := digit.NewSearch(digit.Question{
					Machine: digit.NewMachine(&r.Fabric, ports, n), Limits: digit.Limits{Changes: digit.AnyChanges},
					Keep: 1, Nodes: n, Bytes: float64(r.Size), Stopped: never,
				})
				chain := growth{trees: 1, width: ports, fan: 1, first: 1}
				stage := func(roots, nodes int, f filling) relay {
					return relay{growth: chain, roots: roots, nodes: nodes, pieces: f.pieces, filled: f}
				}
				for pieces := 1; pieces <= 5; pieces++ {
					for steps := max(1, pieces-1); steps <= pieces+3; steps++ {
						f := filling{pieces, steps}
						for _, all := range [][]relay{{stage(1, n, f)}, {stage(1, 3, filling{3, 2}), stage(3, n, f)}} {
							last := &all[len(all)-1]
							if count := f.count(n)[last.size()-1].dealt; count == 0 || steps >= pieces && steps > 1 && count == (filling{pieces, steps - 1}).count(n)[last.size()-1].dealt {
								continue // a pipeline that need not be filled, or has one step too many
							}
							tried++
							time := fitPieces(s, all, float64(r.Size)) + s.Wait*float64(len(all)-1)
							l := layRelays(s, n, all)
							jointtest.Check(t, jointtest.PlanOf(t, &r, l.Stages, l.Space), time)
							back := r
							back.Collective = &collective.Collective{Op: collective.RootReduce, Nodes: n}
							jointtest.Check(t, jointtest.PlanOf(t, &back, Reversed(l), collective.SpaceOf(collective.RootReduce, n, l.Space.Chunks())), time)
							if n == 3 {
								break
							}
						}
					}
				}
			}
		}
	}
	if tried < 200 {
		t.Errorf("%d chains only", tried)
	}
}

// No way to fill a chain deals out fewer pieces. The test tries all steps in which the places of
// a chain can get their pieces.
func TestFillingsEqualEnumeration(t *testing.T) {
	for pieces := 1; pieces <= 3; pieces++ {
		for steps := max(1, pieces-1); steps <= pieces+2; steps++ {
			fill := filling{pieces, steps}
			got := fill.count(10)
			// The fewest pieces dealt out so far, by the steps in which a place has its pieces.
			fewest := map[int]int{0: 0}
			for place := 1; place < 10; place++ {
				next := map[int]int{}
				for before, dealt := range fewest {
					for after := range capped.Power(steps+1, pieces, math.MaxInt) {
						if more, ok := follows(before, after, fill); ok {
							if known, ok := next[after]; !ok || dealt+more < known {
								next[after] = dealt + more
							}
						}
					}
				}
				fewest = next
				least := math.MaxInt
				for _, dealt := range fewest {
					least = min(least, dealt)
				}
				if got[place].dealt != least {
					t.Errorf("%d pieces, %d steps, %d places: %d dealt out, %d are enough", pieces, steps, place, got[place].dealt, least)
				}
			}
		}
	}
}

// follows reports whether a place can have its pieces in the steps now, written as digits, if the
// place before it has them in the steps before, and how many pieces are dealt out.
func follows(before, now int, fill filling) (dealt int, ok bool) {
	used := 0
	for range fill.pieces {
		since, step := before%(fill.steps+1), now%(fill.steps+1)
		switch {
		case step == 0:
			dealt++
		case step <= since || used>>step&1 == 1:
			return 0, false
		}
		used |= 1 << step
		before, now = before/(fill.steps+1), now/(fill.steps+1)
	}
	return dealt, true
}

// What tables say about a chain is what is counted for that chain: one piece for each place if
// there is one step less than pieces.
func TestFillingsAreCountedOnce(t *testing.T) {
	f := newFillings(nil, 40)
	for pieces := 1; pieces <= 9; pieces++ {
		for steps := max(1, pieces-1); steps <= pieces+maxFilledSteps; steps++ {
			fill := filling{pieces, steps}
			for below := 1; below < 40; below++ {
				if got, want := f.of(fill, below), fill.count(below + 1)[below]; got != want {
					t.Errorf("%+v, %d nodes: %+v, counted %+v", fill, below, got, want)
				}
			}
		}
	}
}
