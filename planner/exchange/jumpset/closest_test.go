package jumpset

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// For few nodes and two or three ports, no set of jumps has a smaller sum of distances than
// those that the search finds; the test tries all sets. No two sets found are multiples of each
// other.
func TestClosestCirculantsAreThoseOfTryingEverything(t *testing.T) {
	for _, c := range []struct {
		ports  int
		twoWay bool
	}{{2, false}, {3, false}, {4, true}, {3, true}} {
		for n := 6; n <= 26; n += 2 {
			found := Closest(t.Context(), model.Rotations(n), Search{Ports: c.ports, TwoWay: c.twoWay, Starts: 24, Visits: 1 << 24})
			if len(found) == 0 {
				t.Fatalf("%d nodes, %+v: none", n, c)
			}
			least := MaxTotal
			eachSet(n, c.ports, c.twoWay, func(jumps []int) { least = min(least, DistancesOf(n, jumps).Total) })
			for i, one := range found {
				if total := DistancesOf(n, one.Generators).Total; total != least || one.Total != least {
					t.Errorf("%d nodes, %+v: %v has %d, said to be %d; the least is %d", n, c, one.Generators, total, one.Total, least)
				}
				if len(one.Generators) != c.ports {
					t.Errorf("%d nodes, %+v: %v", n, c, one.Generators)
				}
				for _, other := range found[:i] {
					if multiples(n, one.Generators, other.Generators) {
						t.Errorf("%d nodes: %v and %v are the same", n, one.Generators, other.Generators)
					}
				}
			}
		}
	}
}

// An odd two-way port of an odd number of nodes stays unused.
func TestClosestLeavesAnOddPort(t *testing.T) {
	for _, one := range Closest(t.Context(), model.Rotations(15), Search{Ports: 5, TwoWay: true, Starts: 4, Visits: 1 << 20}) {
		if len(one.Generators) != 4 {
			t.Errorf("%v", one.Generators)
		}
	}
}

// eachSet visits all sets of jumps that use all ports, with their opposites if circuits are
// two-way.
func eachSet(n, ports int, twoWay bool, visit func([]int)) {
	var choose func(from int, jumps []int)
	choose = func(from int, jumps []int) {
		if len(jumps) == ports {
			visit(jumps)
			return
		}
		for j := from; j < n; j++ {
			switch {
			case !twoWay:
				choose(j+1, append(slices.Clone(jumps), j))
			case 2*j < n && len(jumps)+2 <= ports:
				choose(j+1, append(slices.Clone(jumps), j, n-j))
			case 2*j == n && len(jumps)+1 == ports:
				visit(append(slices.Clone(jumps), j))
			}
		}
	}
	choose(1, nil)
}

func multiples(n int, one, other []int) bool {
	for factor := 1; factor < n; factor++ {
		if arithmetic.GCD(n, factor) > 1 {
			continue
		}
		moved := make([]int, len(one))
		for i, j := range one {
			moved[i] = j * factor % n
		}
		slices.Sort(moved)
		if slices.Equal(moved, other) {
			return true
		}
	}
	return false
}
