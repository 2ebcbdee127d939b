package shop

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// TestOpenShopEndsAtTheBound on random work: pieces add up to the work, none overlap, and
// nothing ends later than the largest machine or job.
func TestOpenShopEndsAtTheBound(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	for range 300 {
		machines, jobs := 1+random.IntN(5), random.IntN(9)
		work := make([][]int32, jobs)
		bound := 0
		loads := make([]int, machines)
		for j := range work {
			work[j] = make([]int32, machines)
			sum := 0
			for m := range work[j] {
				if random.IntN(3) > 0 {
					work[j][m] = int32(random.IntN(7))
				}
				sum += int(work[j][m])
				loads[m] += int(work[j][m])
			}
			bound = max(bound, sum)
		}
		bound = max(bound, slices.Max(loads))
		pieces, end := OpenShop(work, machines)
		if end != bound {
			t.Fatalf("%v: ends at %d, want %d", work, end, bound)
		}
		for _, p := range pieces {
			work[p.Job][p.Machine] -= int32(p.Length)
		}
		checkPieces(t, pieces, end)
		for _, row := range work {
			for _, left := range row {
				if left != 0 {
					t.Fatalf("%v is left", work)
				}
			}
		}
	}
}

// checkPieces checks that pieces are in order and that no machine and no job is in two of
// them at a time.
func checkPieces(t *testing.T, pieces []Piece, end int) {
	t.Helper()
	for i, p := range pieces {
		if p.Length < 1 || p.Start < 0 || p.Start+p.Length > end || i > 0 && p.Start < pieces[i-1].Start {
			t.Fatalf("piece %v after %v, end %d", p, pieces[max(i-1, 0)], end)
		}
		for _, q := range pieces[:i] {
			if (p.Job == q.Job || p.Machine == q.Machine) && p.Start < q.Start+q.Length {
				t.Fatalf("%v overlaps %v", p, q)
			}
		}
	}
}

// TestJobShopKeepsTheOrder of legs on random jobs.
func TestJobShopKeepsTheOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 1))
	for range 300 {
		machines := 1 + random.IntN(4)
		jobs := make([][]model.Leg, random.IntN(9))
		for j := range jobs {
			for range random.IntN(4) {
				jobs[j] = append(jobs[j], model.Leg{Port: int32(random.IntN(machines)), Hops: int32(1 + random.IntN(3))})
			}
		}
		pieces, end := JobShop(jobs, machines)
		checkPieces(t, pieces, end)
		last := 0
		made := make([][]int32, len(jobs))
		for _, p := range pieces {
			for range p.Length {
				made[p.Job] = append(made[p.Job], int32(p.Machine))
			}
			last = max(last, p.Start+p.Length)
		}
		if last != end {
			t.Fatalf("ends at %d, said %d", last, end)
		}
		for j, legs := range jobs {
			var want []int32
			for _, l := range legs {
				want = append(want, slices.Repeat([]int32{l.Port}, int(l.Hops))...)
			}
			if !slices.Equal(made[j], want) {
				t.Fatalf("job %d: ports %v, want %v", j, made[j], want)
			}
		}
	}
}
