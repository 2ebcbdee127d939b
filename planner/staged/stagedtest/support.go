package stagedtest

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// Recurring returns a request of three steps that share some pairs, with different bytes.
func Recurring(f fabric.Fabric, seed uint64) planner.Request {
	rng := rand.New(rand.NewPCG(seed, 5))
	c := &collective.Collective{
		Op: collective.Pattern, Algorithm: "recurring", Nodes: f.Nodes,
		Space: collective.Space{Kind: collective.Listed, Nodes: f.Nodes},
	}
	size := 0.0
	to := rng.Perm(f.Nodes)
	for range 3 {
		a, b := rng.IntN(f.Nodes), rng.IntN(f.Nodes)
		to[a], to[b] = to[b], to[a]
		var step collective.Step
		for src, dst := range to {
			if src == dst {
				continue
			}
			bytes := float64(1 + rng.IntN(400_000))
			step.Base = append(step.Base, collective.Transfer{
				Src: src, Dst: dst, Action: collective.Copy, Chunks: collective.Single(len(c.Space.Pieces)),
			})
			c.Space.Pieces = append(c.Space.Pieces, collective.Piece{Bytes: bytes, From: []int{src}, To: []int{dst}})
			size += bytes
		}
		c.Steps = append(c.Steps, step)
	}
	return planner.Request{Fabric: f, Collective: c, Size: units.Bytes(size)}
}

// Request asks for an algorithm on all nodes of a fabric.
func Request(t testing.TB, f fabric.Fabric, op collective.Op, algorithm string, size units.Bytes) planner.Request {
	t.Helper()
	c, err := algorithms.New(op, algorithm, f.Nodes, f.Ports)
	if err != nil {
		t.Fatal(err)
	}
	return planner.Request{Fabric: f, Collective: c, Size: size}
}

// Reconfig parses a delay.
func Reconfig(t testing.TB, s string) fabric.Reconfig {
	t.Helper()
	r, err := fabric.ParseReconfig(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Verify fails the test unless every check of the plan holds.
func Verify(t testing.TB, p *plan.Plan) {
	t.Helper()
	report, err := verify.Plan(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if failed := report.First(); failed != nil {
		t.Fatalf("%s: check %s: %s", p.Planner, failed.Name, failed.Detail)
	}
}

// Near compares with a relative tolerance.
func Near[T ~float64](a, b T, tolerance float64) bool {
	return a == b || math.Abs(float64(a-b)) <= tolerance*max(math.Abs(float64(a)), math.Abs(float64(b)))
}

// Listing is the twin of the search and of the closed form: HARVEST's Algorithm 1 as it is printed,
// with its loop over the number of reconfigurations k, its table DP[a][t] and a call of
// CompletionTime wherever the listing has one, which takes O(s^4) solutions of the inner problem.
// Steps count from 1. It is slow on purpose.
//
// One interpretation: line 12 sets DP[s+1][k], but lines 16-18 also need the entries for smaller
// t, so all of them are set. A schedule may then have fewer changes than k; the loop over k has
// seen that schedule before, with less delay.
type Listing struct {
	Steps          int
	CompletionTime func(a, b int) float64 // Eq. 5 and 6; +Inf if no topology connects all pairs
	Reconfig       float64
}

// Best is lines 29 to 36 of the listing. It returns the time and the first step of every interval
// after the first.
func (l *Listing) Best() (total float64, cuts []int) {
	total = math.Inf(1)
	for k := 0; k <= l.Steps; k++ {
		c, schedule := l.synthesize(k)
		if c += float64(k) * l.Reconfig; c < total*(1-1e-12) || math.IsInf(total, 1) {
			total, cuts = c, schedule
		}
	}
	return total, cuts
}

// synthesize is SynthesizeSchedule(s, k): the best schedule with k reconfigurations,
// without their delay (Lemma 1, Eq. 7).
func (l *Listing) synthesize(k int) (float64, []int) {
	s := l.Steps
	dp := make([][]float64, s+2)
	next := make([][]int, s+2)
	for a := range dp {
		dp[a], next[a] = make([]float64, k+1), make([]int, k+1)
		for t := range dp[a] {
			dp[a][t] = math.Inf(1)
		}
	}
	for a := 1; a <= s; a++ {
		dp[a][0] = l.CompletionTime(a, s)
	}
	for t := 0; t <= k; t++ {
		dp[s+1][t] = 0
	}
	for t := 1; t <= k; t++ {
		for a := 1; a <= s; a++ {
			best, arg := math.Inf(1), 0
			for b := a + 1; b <= s+1; b++ {
				if v := l.CompletionTime(a, b-1) + dp[b][t-1]; v < best {
					best, arg = v, b
				}
			}
			dp[a][t], next[a][t] = best, arg
		}
	}
	var cuts []int
	for a, t := 1, k; t > 0; t-- {
		b := next[a][t]
		if b == 0 || b > s {
			break
		}
		cuts = append(cuts, b)
		a = b
	}
	return dp[1][k], cuts
}

// PoolTime is CompletionTime over a table cost[step][topology]: the best topology for
// all steps a..b.
func PoolTime(cost [][]float64) func(a, b int) float64 {
	return func(a, b int) float64 {
		best := math.Inf(1)
		for j := range cost[0] {
			sum := 0.0
			for i := a - 1; i < b; i++ {
				sum += cost[i][j]
			}
			best = min(best, sum)
		}
		return best
	}
}

// DoublingTime is CompletionTime for recursive doubling (§5.1): by Observation 4 the
// topology is the ring of the smallest offset in the interval, and its time is the
// sum in the second line of Eq. 8.
func DoublingTime(offsets []int, alpha, delta units.Duration, bandwidth units.Bandwidth, size units.Bytes) func(a, b int) float64 {
	return func(a, b int) float64 {
		ring := each.Min(offsets[a-1], offsets[a-1:b], func(o int) int { return o })
		sum := 0.0
		for _, o := range offsets[a-1 : b] {
			hops := float64(o / ring)
			bytes := float64(size) / float64(2*o)
			sum += float64(alpha.Time()) + float64(delta.Time())*hops + float64(bandwidth.Transmit(bytes))*hops
		}
		return sum
	}
}

// EverySequence is the other twin: it tries every assignment of topologies to steps, which covers
// every partition of the steps with every topology for each part. delay is between two
// topologies, and first is the time to have one up at the start.
func EverySequence(cost, delay [][]float64, first []float64) float64 {
	best := math.Inf(1)
	var try func(step, up int, sum float64)
	try = func(step, up int, sum float64) {
		if step == len(cost) {
			best = min(best, sum)
			return
		}
		for j, c := range cost[step] {
			if math.IsInf(c, 1) {
				continue
			}
			if step == 0 {
				try(1, j, first[j]+c)
			} else {
				try(step+1, j, sum+delay[up][j]+c)
			}
		}
	}
	try(0, 0, 0)
	return best
}

// ScaleUp is the system of ReTri §4: 400 Gbps links, 1 us per hop, 1.7 us per phase, two
// two-way ports.
func ScaleUp(n int, reconfig units.Duration) fabric.Fabric {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex = n, 2, true
	f.Bandwidth = 400 * units.Gbps
	f.Alpha, f.Delta = 1700*units.Nanosecond, units.Microsecond
	f.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: reconfig}
	return f
}
