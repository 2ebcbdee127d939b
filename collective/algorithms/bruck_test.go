package algorithms_test

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

// bruckGather is the all-gather of Bruck et al. 1997: in each step a node sends to `ports` peers
// at the distances j*w, w = 1, r, r^2, .., and each peer gets those of w blocks that it lacks.
func bruckGather(n, radix, ports int) []load {
	var loads []load
	for held := 1; held < n; held *= radix {
		var counts []int
		for j := 1; j < radix && j*held < n; j++ {
			counts = append(counts, min(held, n-j*held))
		}
		for len(counts) > 0 {
			l := load{peers: min(ports, len(counts)), toOne: counts[0]}
			for _, c := range counts[:l.peers] {
				l.inAll += c
			}
			counts = counts[l.peers:]
			loads = append(loads, l)
		}
	}
	return loads
}

func TestBruck(t *testing.T) {
	for _, radix := range []int{0, 2, 5} {
		name := "bruck"
		if radix > 0 {
			name = fmt.Sprintf("bruck:r=%d", radix)
		}
		t.Run(name, func(t *testing.T) {
			checkReduction(t, reductionCase{
				algorithm: name,
				ops:       allReductions,
				supports:  anySize,
				loads: func(op collective.Op, n, ports int) []load {
					r := radix
					if r == 0 {
						r = ports + 1
					}
					gather := bruckGather(n, r, ports)
					return bothHalves(op, backwards(gather), gather)
				},
			})
		})
	}
}

// With radix ports+1, Bruck takes ceil(log_r n) steps and sends (n-1)/n*m in total, which is
// minimal.
func TestBruckTakesCeilLogSteps(t *testing.T) {
	for _, tc := range []struct{ n, ports, want int }{
		{8, 1, 3}, {9, 1, 4}, {9, 2, 2}, {10, 2, 3}, {27, 2, 3}, {64, 3, 3}, {65, 3, 4}, {25, 4, 2}, {256, 3, 4},
		{7, 6, 1}, {100, 9, 2}, {2, 6, 1},
	} {
		c, err := algorithms.New(collective.AllGather, "bruck", tc.n, tc.ports)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Steps) != tc.want {
			t.Errorf("%d nodes with %d ports: %d steps, want %d", tc.n, tc.ports, len(c.Steps), tc.want)
		}
		sent := 0
		for _, step := range c.Steps {
			for _, transfer := range step.Base {
				sent += transfer.Chunks.Len()
			}
		}
		if sent != tc.n-1 {
			t.Errorf("%d nodes with %d ports: a node sends %d blocks, want %d", tc.n, tc.ports, sent, tc.n-1)
		}
	}
}
