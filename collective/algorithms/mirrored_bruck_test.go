package algorithms_test

import (
	"errors"
	"math/bits"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

// mirroredSteps are the documented volumes: in phase i, per direction,
// floor(n/2^(i+1))*2^i + max(0, n mod 2^(i+1) - 2^i) half blocks.
func mirroredSteps(n int) []map[int]int {
	var want []map[int]int
	for weight := 1; weight < n; weight *= 2 {
		halfBlocks := n/(2*weight)*weight + max(0, n%(2*weight)-weight)
		step := map[int]int{}
		step[weight] += halfBlocks
		step[n-weight] += halfBlocks
		want = append(want, step)
	}
	return want
}

// Juerss and Schmid, §2 and §4: half of the data goes in each direction, by the bits of the
// offset in that direction.
func TestMirroredBruckDeliversByBits(t *testing.T) {
	forEachExchange(t, "mirrored-bruck", append(exchangeSizes(), 256), func(x exchange) error {
		if err := x.checkVolumes(mirroredSteps(x.Nodes)); err != nil {
			return err
		}
		return x.checkMoves(func(offset, part int) int {
			if part == 1 && offset > 0 {
				offset = x.Nodes - offset
			}
			return bits.OnesCount(uint(offset))
		})
	})
}

// The two parts are mirror images: where part 0 goes from s to d, part 1 of the mirrored pair
// goes from -s to -d.
func TestMirroredBruckIsItsOwnMirrorImage(t *testing.T) {
	for _, n := range []int{2, 7, 8, 12, 27} {
		c, err := algorithms.New(collective.AllToAll, "mirrored-bruck", n, 2)
		if err != nil {
			t.Fatal(err)
		}
		mirror := func(u int) int { return (n - u) % n }
		for i, step := range c.Steps {
			hops := map[[3]int]bool{}
			for m := range step.All(c.Space) {
				for chunk := range m.Chunks.All() {
					hops[[3]int{m.Src, m.Dst, chunk}] = true
				}
			}
			for hop := range hops {
				s, d, part := hop[2]/2/n, hop[2]/2%n, hop[2]%2
				image := [3]int{mirror(hop[0]), mirror(hop[1]), (mirror(s)*n+mirror(d))*2 + 1 - part}
				if !hops[image] {
					t.Fatalf("n=%d step %d: %v has no mirror image %v", n, i+1, hop, image)
				}
			}
		}
	}
}

func TestMirroredBruckNeedsTwoPorts(t *testing.T) {
	_, err := algorithms.New(collective.AllToAll, "mirrored-bruck", 8, 1)
	if !errors.Is(err, algorithms.ErrUnsupported) || !strings.Contains(err.Error(), "needs 2 or more ports, not 1") {
		t.Error(err)
	}
	_, err = algorithms.New(collective.AllToAll, "mirrored-bruck:r=3", 8, 2)
	if !errors.Is(err, algorithms.ErrUnsupported) {
		t.Error(err)
	}
}
