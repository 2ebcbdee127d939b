package sets

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/lp"
)

// flows is the linear program of given circuits: how many circuits messages pass at least if, for
// every input and output, the messages carry a flow of 1 from one to the other. A set of messages
// with which every input gets to every output is a solution, so no plan has less.
type flows struct {
	nodes int
	hops  []int   // by step
	next  [][]int // by step and GPU: the GPU to which its circuit leads
}

// message goes from a GPU over some circuits in a step.
type message struct{ step, from, length int }

func (f *flows) to(m message) int {
	at := m.from
	for range m.length {
		at = f.next[m.step][at]
	}
	return at
}

// load returns the least number of circuits over the number of GPUs. Constraints are cuts between
// an input and an output, added as long as some flow is less than 1.
func (f *flows) load() float64 {
	var messages []message
	var cost []float64
	for t, hops := range f.hops {
		for from := range f.nodes {
			for length := 1; length <= hops; length++ {
				messages = append(messages, message{t, from, length})
				cost = append(cost, float64(length))
			}
		}
	}
	x, least := make([]float64, len(messages)), 0.0
	var rows [][]lp.Term
	for {
		met := true
		for u := range f.nodes {
			for v := range f.nodes {
				inside := f.cut(messages, x, u, v)
				if u == v || inside == nil {
					continue
				}
				var row []lp.Term
				for i, m := range messages {
					if inside[m.step][m.from] && !inside[m.step+1][f.to(m)] {
						row = append(row, lp.Term{Column: i, Value: 1})
					}
				}
				if len(row) == 0 {
					return math.Inf(1)
				}
				rows, met = append(rows, row), false
			}
		}
		if met {
			return least / float64(f.nodes)
		}
		program := lp.NewCovering(cost)
		for _, row := range rows {
			program.Add(1, row...)
		}
		var ok bool
		if x, ok = program.Solve(); !ok {
			panic("no solution")
		}
		least = 0
		for i, v := range x {
			least += cost[i] * v
		}
	}
}

// cut returns the GPUs, by steps done, on the near side of a smallest cut between an input and an
// output; nil if a flow of 1 gets through.
func (f *flows) cut(messages []message, x []float64, u, v int) [][]bool {
	capacity := map[[2]int]float64{}
	near := make([][]int, (len(f.hops)+1)*f.nodes)
	connect := func(a, b int, by float64) {
		if _, known := capacity[[2]int{a, b}]; !known {
			near[a], near[b] = append(near[a], b), append(near[b], a)
			capacity[[2]int{b, a}] += 0
		}
		capacity[[2]int{a, b}] += by
	}
	for t := range f.hops {
		for w := range f.nodes {
			connect(t*f.nodes+w, (t+1)*f.nodes+w, 2)
		}
	}
	for i, m := range messages {
		if x[i] > 0 {
			connect(m.step*f.nodes+m.from, (m.step+1)*f.nodes+f.to(m), x[i])
		}
	}
	from, to := u, len(f.hops)*f.nodes+v
	for flow := 0.0; ; {
		came := map[int]int{from: from}
		for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
			for _, b := range near[queue[0]] {
				if _, seen := came[b]; !seen && capacity[[2]int{queue[0], b}] > 1e-9 {
					came[b] = queue[0]
					queue = append(queue, b)
				}
			}
		}
		if _, through := came[to]; !through {
			inside := make([][]bool, len(f.hops)+1)
			for t := range inside {
				inside[t] = make([]bool, f.nodes)
				for w := range f.nodes {
					_, inside[t][w] = came[t*f.nodes+w]
				}
			}
			return inside
		}
		most := 1.0
		for at := to; at != from; at = came[at] {
			most = min(most, capacity[[2]int{came[at], at}])
		}
		for at := to; at != from; at = came[at] {
			capacity[[2]int{came[at], at}] -= most
			capacity[[2]int{at, came[at]}] += most
		}
		if flow += most; flow > 1-1e-7 {
			return nil
		}
	}
}

// randomShape returns a shape of a few steps and their hops by stage.
func randomShape(r *rand.Rand, most int) (s Shape, hops [][]int) {
	s.Count = 1 + r.IntN(3)
	for i := range s.Count {
		steps := 1 + r.IntN(most/s.Count)
		of := make([]int, steps)
		for t := range of {
			of[t] = 1
		}
		spare := r.IntN(3)
		for range spare {
			of[r.IntN(steps)]++
		}
		s.Stages[i] = Stage{steps, spare}
		hops = append(hops, of)
	}
	return s, hops
}

// No messages load less, for any circuits: rings and random permutations that change from stage to
// stage. Often they load as little.
func TestNoFlowsLoadLess(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 11))
	cases, near := 0, 0
	for cases < samples.Draws(60, 400) {
		nodes := 3 + r.IntN(4)
		shape, hops := randomShape(r, 9-nodes/2)
		f := flows{nodes: nodes}
		for _, of := range hops {
			next := r.Perm(nodes)
			if r.IntN(2) == 0 {
				ring := r.Perm(nodes)
				for i, u := range ring {
					next[u] = ring[(i+1)%nodes]
				}
			}
			for _, h := range of {
				f.hops, f.next = append(f.hops, h), append(f.next, next)
			}
		}
		least := f.load()
		if math.IsInf(least, 1) {
			continue
		}
		cases++
		least = max(least, 2-2/float64(nodes)) // for whole messages
		load := NewLoads(nodes).Of(shape)
		if load > least*(1+1e-6) {
			t.Errorf("%d GPUs, steps %v, circuits %v: %v, the load is %v", nodes, hops, f.next, load, least)
		}
		if load > least*(1-1e-3) {
			near++
		}
	}
	t.Logf("%d of %d are as the bound says", near, cases)
	if near < cases/8 {
		t.Errorf("the bound is reached in %d of %d cases only", near, cases)
	}
}

// On a ring, in steps of one hop, e spare hops need H/(e+1) buffers, and that is enough.
func TestRingsInStepsOfOneHop(t *testing.T) {
	for nodes := 3; nodes <= 6; nodes++ {
		for hops := nodes - 1; hops <= 2*nodes-2; hops++ {
			f := flows{nodes: nodes}
			for range hops {
				next := make([]int, nodes)
				for u := range next {
					next[u] = (u + 1) % nodes
				}
				f.hops, f.next = append(f.hops, 1), append(f.next, next)
			}
			want := float64(hops) / float64(hops-nodes+2)
			if got := f.load(); math.Abs(got-want) > 1e-6 {
				t.Errorf("%d GPUs, %d hops: flows need %v, want %v", nodes, hops, got, want)
			}
			if got := NewLoads(nodes).Of(Shape{Stages: [MaxStages]Stage{{hops, 0}}, Count: 1}); math.Abs(got-want) > 1e-6 {
				t.Errorf("%d GPUs, %d hops: the load is %v, want %v", nodes, hops, got, want)
			}
		}
	}
}
