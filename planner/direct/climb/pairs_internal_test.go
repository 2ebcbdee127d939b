package climb

import (
	"math"
	"math/rand/v2"
	"testing"
)

// naivePairs sends from every node along shortest paths, a matrix of fractions of shards for each.
func naivePairs(l *lift, diameter int) (mean float64, missing int) {
	const never = math.MaxInt32
	n := l.width * l.turns
	loads := make([]float64, n*l.degree)
	for u := range n {
		far := make([]int, n)
		for v := range far {
			far[v] = never
		}
		far[u] = 0
		for range n {
			for v := range n {
				for _, x := range l.in[v*l.degree : (v+1)*l.degree] {
					if x >= 0 {
						far[v] = min(far[v], far[x]+1)
					}
				}
			}
		}
		for to := range n {
			if far[to] > diameter && u < l.width {
				missing++
			}
			if far[to] == never {
				continue
			}
			share := make([]float64, n)
			share[to] = 1
			for d := far[to]; d > 0; d-- {
				for v := range n {
					if far[v] != d || share[v] == 0 {
						continue
					}
					var slots []int
					for i := v * l.degree; i < (v+1)*l.degree; i++ {
						if x := l.in[i]; x >= 0 && far[x] == d-1 {
							slots = append(slots, i)
						}
					}
					for _, i := range slots {
						loads[i] += share[v] / float64(len(slots))
						share[l.in[i]] += share[v] / float64(len(slots))
					}
				}
			}
		}
	}
	squares := 0.0
	for _, x := range loads {
		squares += x * x
	}
	return math.Sqrt(squares / float64(len(loads))), missing
}

// TestPairsAreSentOneByOne: the loads of all pairs, measured together from the nodes that stand for
// their orbits, are the sums of the loads of single pairs.
func TestPairsAreSentOneByOne(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 7))
	for range 300 {
		task := Task{Degree: 1 + random.IntN(4), TwoWay: random.IntN(2) == 0, Width: 1 + random.IntN(6)}
		task.Nodes = task.Width * (1 + random.IntN(4))
		l := newLift(task, random)
		diameter := 1 + random.IntN(4)
		got := newPairs(task.Nodes, task.Width*task.Degree).cost(l, diameter)
		mean, missing := naivePairs(l, diameter)
		if got.missing != missing || math.Abs(float64(got.time)/shard-mean) > 2.0/shard {
			t.Fatalf("%+v: %d shards of %d and %d missing, want %g and %d", task, got.time, shard, got.missing, mean, missing)
		}
	}
}
