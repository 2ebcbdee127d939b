package digit

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// The ladder that is found with few rungs counted is the one found with all counted, the same one
// in a tie; and no rung takes less than its bound.
func TestLaddersAreThoseOfAllRungsCounted(t *testing.T) {
	useful := func(float64) bool { return false }
	left := 0
	for _, ports := range []int{2, 3, 4} {
		for _, points := range []int{6, 8, 12, 16, 24, 36} {
			for i, m := range machines(ports) {
				t.Run(fmt.Sprintf("points=%d/ports=%d/machine=%d", points, ports, i), func(t *testing.T) {
					for _, net := range m.networks(points) {
						if !net.symmetric() || net.Diameter == 0 {
							continue
						}
						whole := netFloor(net, 2*ports)
						for key, c := range whole.counts {
							least := c.takes
							whole.count(rung{key[0], key[1], 1})
							if c.takes.Hops < least.Hops || m.Load(c.takes) < m.Load(least) {
								t.Errorf("%s, rung %v: takes %+v, bound %+v", whole.name, key, c.takes, least)
							}
						}
						for _, bytes := range []float64{10, 1e4, 1e6} {
							s := NewSearch(Question{Machine: m, Limits: unlimited, Keep: 1, Nodes: points, Bytes: bytes, Stopped: never})
							few := netFloor(net, 2*ports)
							for _, until := range arithmetic.Divisors(points) {
								few.fastest(s, 1, until, func(float64) bool { return true })
							}
							for _, until := range arithmetic.Divisors(points) {
								got, ok := few.fastest(s, 1, until, useful)
								if want := whole.climb(s, 1, until); !ok || !reflect.DeepEqual(got, want) {
									t.Errorf("%s, %v bytes until %d: %+v, with all rungs counted %+v", few.name, bytes, until, got, want)
								}
							}
							for _, c := range few.counts {
								if _, counted := c.at(); !counted {
									left++
								}
							}
						}
					}
				})
			}
		}
	}
	if left == 0 {
		t.Error("every rung was counted")
	}
}

// If another search counts a rung between the climb and the look at its result, the ladder does
// not become counted: the time of that climb is still a bound.
func TestRungsCountedMeanwhileChangeNoLadder(t *testing.T) {
	mattered := false
	for _, ports := range []int{2, 3, 4} {
		for _, points := range []int{12, 24, 36} {
			for _, m := range machines(ports) {
				for _, net := range m.networks(points) {
					if !net.symmetric() || net.Diameter == 0 {
						continue
					}
					whole := netFloor(net, 2*ports)
					for key := range whole.counts {
						whole.count(rung{key[0], key[1], 1})
					}
					for _, until := range arithmetic.Divisors(points) {
						q := Question{Machine: m, Limits: unlimited, Keep: 1, Nodes: points, Bytes: 1e4, Stopped: never}
						want := whole.climb(NewSearch(q), 1, until)
						raced := netFloor(net, 2*ports)
						mattered = mattered || raced.climb(NewSearch(q), 1, until).time != want.time
						got, ok := raced.fastest(NewSearch(q), 1, until, func(float64) bool {
							for key := range raced.counts { // as another search may
								raced.count(rung{key[0], key[1], 1})
							}
							return false
						})
						if !ok || !reflect.DeepEqual(got, want) {
							t.Errorf("%s until %d: %+v, with all rungs counted before %+v", raced.name, until, got, want)
						}
					}
				}
			}
		}
	}
	if !mattered {
		t.Error("no bound is below what is counted")
	}
}
