package digit

import (
	"slices"
	"testing"
)

// Two, three and four jumps reach as far as the postage stamp problem says: the most consecutive
// sums of at most h stamps (OEIS A001208, A001209, A001210 and on, by Challis 1993).
func TestBasesReachAsFarAsStampsDo(t *testing.T) {
	for _, c := range []struct{ jumps, hops, reach int }{
		{2, 2, 4}, {2, 3, 7}, {2, 4, 10}, {2, 5, 14}, {2, 6, 18}, {3, 2, 8}, {3, 3, 15}, {4, 2, 12},
	} {
		m := &Machine{Ports: c.jumps}
		for tiles := c.jumps + 1; tiles <= c.reach+1; tiles++ {
			low, _ := m.bestBases(tiles, c.jumps)
			hops := make([]int, tiles+1)
			stamps(hops, low)
			if got := slices.Max(hops); (got <= c.hops) != (tiles <= c.reach) {
				t.Errorf("%d jumps, %d tiles: %d hops over %v", c.jumps, tiles, got, low)
			}
		}
	}
}

// The routes of a basis lead to its tiles, over its jumps, in no more hops than it says, and load
// no jump with more than it says.
func TestBasesLeadToTheirTiles(t *testing.T) {
	for ports := 2; ports <= 8; ports++ {
		m := &Machine{Ports: ports}
		for tiles := 3; tiles <= 24; tiles++ {
			for _, b := range m.bases(nil, tiles) {
				load := map[int]float64{}
				for k, path := range b.paths {
					if len(path) > b.takes.Hops+1 || path[0] != 0 || int(path[len(path)-1]) != k+1 {
						t.Fatalf("%d ports, %d tiles, jumps %v: tile %d by %v", ports, tiles, b.jumps, k+1, path)
					}
					for h := 1; h < len(path); h++ {
						jump := int(path[h] - path[h-1])
						if !slices.Contains(b.jumps, jump) {
							t.Fatalf("%d ports, %d tiles: %v is not over %v", ports, tiles, path, b.jumps)
						}
						load[jump] += 1 / float64(b.width)
					}
				}
				for jump, vectors := range load {
					if vectors > b.takes.Peak+1e-9 {
						t.Errorf("%d ports, %d tiles: %v vectors over %d, the peak is %v", ports, tiles, vectors, jump, b.takes.Peak)
					}
				}
				if len(b.jumps)*b.width > ports {
					t.Errorf("%d jumps of %d circuits for %d ports", len(b.jumps), b.width, ports)
				}
			}
		}
	}
}
