package parallel_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

type trained struct {
	model  string
	config parallel.Config
	layers []int // of each part; nil: all have the same number
}

func cases() []trained {
	return []trained{
		{"llama3-8b", parallel.Config{TP: 2, PP: 2, DP: 2, GlobalBatch: 8}, nil},
		{"llama3-8b", parallel.Config{TP: 2, PP: 2, DP: 2, GlobalBatch: 8, SequenceParallel: true, Zero: 1, CP: 2}, nil},
		{"llama3-8b", parallel.Config{TP: 1, PP: 1, DP: 4, GlobalBatch: 8, Zero: 3, Recompute: "full"}, nil},
		{"llama3-8b", parallel.Config{TP: 16, PP: 2, DP: 1, GlobalBatch: 8, SequenceParallel: true, Recompute: "full", GradDtype: "fp32"}, nil},
		{"llama3-70b", parallel.Config{TP: 4, PP: 4, DP: 1, GlobalBatch: 8, Schedule: "interleaved:2", Order: "pp,tp,dp", Recompute: "selective"}, nil},
		{"megatron-22b", parallel.Config{TP: 2, PP: 3, DP: 2, GlobalBatch: 24, Microbatch: 2, Schedule: "gpipe", Zero: 2, Recompute: "full"}, nil},
		{"mixtral-8x7b", parallel.Config{TP: 2, PP: 2, DP: 4, EP: 2, GlobalBatch: 16, SequenceParallel: true, Zero: 1}, nil},
		{"mixtral-8x7b", parallel.Config{TP: 2, PP: 1, DP: 4, EP: 4, GlobalBatch: 16}, nil},
		{"deepseek-v3", parallel.Config{TP: 1, PP: 4, DP: 8, EP: 4, GlobalBatch: 32, Zero: 1}, []int{15, 16, 15, 15}},
	}
}

// rank is where a rank is, by its own count.
type rank struct{ tp, cp, data, pp int }

// naive counts what a rank sends as a program for one rank would: it goes through every
// microbatch and every layer, and has its own model of a layer. It shares no code with what it
// checks except the shape of the model.
func naive(m *model.Model, c parallel.Config, count []int, at rank) map[string]units.Bytes {
	sent := map[string]units.Bytes{}
	add := func(what string, bytes int) {
		if bytes > 0 {
			sent[what] += units.Bytes(bytes)
		}
	}
	one := func(n int) int { return max(n, 1) }
	tp, pp, dp, cp, ep, mb := one(c.TP), one(c.PP), one(c.DP), one(c.CP), one(c.EP), one(c.Microbatch)
	sp, stages := c.SequenceParallel && tp > 1, pp
	if c.Schedule == "interleaved:2" {
		stages = 2 * pp
	}
	tokens := mb * m.Length / cp
	here := tokens
	if sp {
		here /= tp
	}
	gradient := 2
	if c.GradDtype == "fp32" {
		gradient = 4
	}
	if count == nil {
		count = slices.Repeat([]int{m.Layers / stages}, stages)
	}
	before := make([]int, stages) // layers of the parts before
	for i := 1; i < stages; i++ {
		before[i] = before[i-1] + count[i-1]
	}
	numbers := func(in, out int) int {
		n := in * out
		if m.Bias {
			n += out
		}
		return n
	}
	biased := 1
	if m.Norm == "layer" {
		biased = 2
	}
	held := func(l int) (dense, experts int) {
		dense = 2 * biased * m.Hidden
		if m.Latent != nil {
			a := m.Latent
			dense += m.Hidden*a.Query + a.Query + m.Hidden*(a.KV+a.Rope) + a.KV
			dense += (a.Query*m.Heads*(a.Key+a.Rope) + a.KV*m.Heads*(a.Key+a.Value) + m.Heads*a.Value*m.Hidden) / tp
		} else {
			kv := min(m.KVHeads, tp)
			width := m.Heads * m.Head
			dense += numbers(m.Hidden, width)/tp + numbers(width, m.Hidden)/tp + 2*numbers(m.Hidden, m.KVHeads*m.Head)/kv
		}
		matrices := numbers(m.Hidden, m.FFN) + numbers(m.FFN, m.Hidden)
		if m.Gated {
			matrices += numbers(m.Hidden, m.FFN)
		}
		if m.Experts == 0 || l < m.Dense {
			return dense + matrices/tp, 0
		}
		expert := 3 * m.Hidden * m.ExpertFFN / tp
		dense += m.Hidden*m.Experts + m.Shared*expert
		if m.RouterBias {
			dense += m.Experts
		}
		return dense, m.Experts / ep * expert
	}
	tensor := func(gathers, sums int) { // collectives of 2 bytes for every number of every token
		switch {
		case sp:
			add("tp allgather", gathers*2*tokens*m.Hidden)
			add("tp reducescatter", sums*2*tokens*m.Hidden)
		case tp > 1:
			add("tp allreduce", sums*2*tokens*m.Hidden)
		}
	}
	passes := 1
	if c.Recompute == "full" {
		passes = 2
	}
	micro := c.GlobalBatch / dp / mb
	for part := range stages {
		if part%pp != at.pp {
			continue
		}
		first, last := part == 0, part == stages-1
		for range micro {
			for k := range count[part] {
				l := before[part] + k
				for range passes + 1 { // forward, again, backward
					tensor(1, 1) // attention
					if m.Experts == 0 || l < m.Dense || ep == 1 {
						tensor(1, 1)
						continue
					}
					add("ep alltoall", 2*2*here*m.TopK*m.Hidden)
					if sp {
						add("tp allgather", 2*tokens*m.TopK*m.Hidden)
						add("tp reducescatter", 2*tokens*m.TopK*m.Hidden)
					} else {
						tensor(1, 1)
					}
				}
				if cp > 1 {
					width := 2 * max(1, m.KVHeads/tp) * m.Head
					add("cp allgather", passes*2*mb*m.Length*width)
					add("cp reducescatter", 2*mb*m.Length*width)
				}
				if c.Zero == 3 {
					dense, _ := held(l)
					add("dp allgather", 2*2*dense)
					add("dp reducescatter", gradient*dense)
				}
			}
			if first {
				tensor(0, 1)
				if sp {
					tensor(1, 0)
				}
			} else {
				add("pp send", 2*here*m.Hidden) // gradients back
			}
			if last {
				tensor(0, 1) // the backward pass of the output
				if sp {
					tensor(1, 0)
				}
			} else {
				add("pp send", 2*here*m.Hidden)
			}
		}
		// Gradients, once.
		dense, experts := 0, 0
		for k := range count[part] {
			if c.Zero == 3 {
				break
			}
			d, e := held(before[part] + k)
			if ep == 1 {
				d, e = d+e, 0
			}
			dense, experts = dense+d, experts+e
		}
		table := (m.Words + tp - 1) / tp * m.Hidden
		if first {
			dense += table + m.Places*m.Hidden
		}
		if last {
			dense += biased * m.Hidden
			if !first || !m.Tied {
				dense += table
			}
		}
		if m.Tied && pp > 1 && (first || last) {
			add("ends allreduce", gradient*table)
		}
		for _, kind := range []struct {
			name         string
			params, size int
		}{{"dp ", dense, dp * cp}, {"edp ", experts, dp / ep * cp}} {
			switch {
			case kind.size == 1 || kind.params == 0:
			case c.Zero == 0:
				add(kind.name+"allreduce", gradient*kind.params)
			default:
				add(kind.name+"reducescatter", gradient*kind.params)
				add(kind.name+"allgather", 2*kind.params)
			}
		}
	}
	return sent
}

// A naive count, rank by rank, gives what each rank sends, by kind and operation.
func TestBytesAreThoseOfANaiveCount(t *testing.T) {
	for _, c := range cases() {
		m := named(t, c.model)
		g := graph(t, m, c.config)
		for i := range g.Classes {
			class := &g.Classes[i]
			got := map[string]units.Bytes{}
			for k := range class.Tasks {
				task := &class.Tasks[k]
				switch task.Type {
				case workload.Send:
					got[task.Op.Kind+" send"] += task.Op.Size
				case workload.Collective:
					got[task.Op.Kind+" "+string(task.Op.Op)] += task.Op.Size
				case workload.Computation, workload.Receive, workload.Call:
				}
			}
			for r := range class.Ranks.All() {
				want := naive(m, c.config, c.layers, locate(c.config, r))
				if !maps.Equal(got, want) {
					t.Errorf("%s %+v, rank %d sends\n%v; counted\n%v", c.model, c.config, r, got, want)
					break
				}
			}
		}
	}
}

// locate finds a rank by counting through the grid.
func locate(c parallel.Config, number int) rank {
	next := 0
	tp, pp, data, cp := max(c.TP, 1), max(c.PP, 1), max(c.DP, 1), max(c.CP, 1)
	if c.Order == "pp,tp,dp" {
		return rank{pp: number % pp, tp: number / pp % tp, data: number / pp / tp}
	}
	for p := range pp {
		for d := range data {
			for x := range cp {
				for y := range tp {
					if next == number {
						return rank{y, x, d, p}
					}
					next++
				}
			}
		}
	}
	panic("no such rank")
}
