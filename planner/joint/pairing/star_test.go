package pairing_test

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/planner/joint/pairing"
)

// Star chains are as short as the shortest of all, found one length after the other.
func TestStarChainsAgainstAll(t *testing.T) {
	const most = 100
	lengths := map[int]int{1: 0}
	for steps, chains := 1, [][]int{{1}}; steps <= 7; steps++ {
		var longer [][]int
		for _, c := range chains {
			for _, x := range c {
				next := append(append([]int{}, c...), c[len(c)-1]+x)
				longer = append(longer, next)
				if _, known := lengths[next[steps]]; !known {
					lengths[next[steps]] = steps
				}
			}
		}
		chains = longer
	}
	for number := 1; number <= most; number++ {
		chain := pairing.Star(number)
		for i := 1; i < len(chain); i++ {
			x, earlier := chain[i]-chain[i-1], false
			for _, w := range chain[:i] {
				earlier = earlier || w == x
			}
			if !earlier {
				t.Fatalf("%v: %d", chain, chain[i])
			}
		}
		want, known := lengths[number]
		if !known {
			want = max(8, len(chain)-1)
		}
		if chain[0] != 1 || chain[len(chain)-1] != number || len(chain)-1 != want {
			t.Errorf("%d: %v, want %d steps", number, chain, want)
		}
	}
}

// 15 takes five steps, six by doubling and adding one.
func ExampleStar() {
	fmt.Println(pairing.Star(15))
	// Output: [1 2 4 5 10 15]
}
