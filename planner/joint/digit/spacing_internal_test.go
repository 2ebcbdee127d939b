package digit

import (
	"math"
	"testing"
)

// naiveLoads returns, for every m up to far, the least load of reaching the next m points in the
// given number of steps. It tries all sets of points that get the shard in the first step.
func naiveLoads(far, steps int) []float64 {
	loads := make([]float64, far+1)
	for m := 1; m <= far; m++ {
		loads[m] = math.Inf(1)
	}
	for range steps {
		reach, next := make([]float64, far+1), make([]float64, far+1)
		for x := range far + 1 {
			if x > 0 {
				reach[x] = math.Inf(1)
			}
			for y := range x {
				reach[x] = min(reach[x], reach[y]+float64(x)+loads[x-y-1])
			}
			next[x] = math.Inf(1)
			for last := range x + 1 {
				next[x] = min(next[x], reach[last]+loads[x-last])
			}
		}
		loads = next
	}
	return loads
}

// TestSpacingsLoadTheLeast: the load is minimal for any number of steps, even beyond the table.
func TestSpacingsLoadTheLeast(t *testing.T) {
	const far = 40
	asked := map[int]*spacing{} // by points, for more steps every time
	for steps := 1; steps <= far; steps++ {
		for m, want := range naiveLoads(far, steps) {
			if m < steps {
				continue
			}
			if asked[m] == nil {
				asked[m] = newSpacing(m, 1)
			}
			for _, s := range []*spacing{newSpacing(m, 1), asked[m]} {
				if got := s.load(steps); got != want {
					t.Fatalf("%d steps for %d points: %g, want %g", steps, m, got, want)
				}
			}
		}
	}
}

// TestSpacingsReachEverybody: every point gets the shard once, from a point that has it. The
// sends add up to the stated load, and their hops to the distance of the last point.
func TestSpacingsReachEverybody(t *testing.T) {
	for far := 1; far <= 32; far++ {
		for steps := 1; steps <= far; steps++ {
			for _, last := range []float64{0.5, 1} {
				s := newSpacing(far, last)
				has := map[int]bool{0: true}
				hops, load := 0, 0.0
				for _, step := range s.sends(steps) {
					longest := 0
					for _, x := range step {
						if !has[x.from] || has[x.to] {
							t.Fatalf("%d points in %d steps: %v in %v", far, steps, x, step)
						}
						longest = max(longest, x.to-x.from)
						weight := 1.0
						if x.to == far {
							weight = last
						}
						load += weight * float64(x.to-x.from)
					}
					for _, x := range step {
						has[x.to] = true
					}
					hops += longest
				}
				if len(has) != far+1 || hops != far || load != s.load(steps) {
					t.Fatalf("%d points in %d steps: %d reached over %d hops at %g, want %g", far, steps, len(has)-1, hops, load, s.load(steps))
				}
			}
		}
	}
}
