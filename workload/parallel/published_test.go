package parallel_test

import (
	"context"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// network is what the machines of the published times have: the rate of a GPU within an island, and
// to the rest.
type network struct{ island, outside float64 } // bytes a second

// cost is the time of a ring at these rates: groups of tp and cp lie in an island.
func (n network) cost(t *workload.Task, ranks int) units.Time {
	rate := n.outside
	if t.Op.Kind == "tp" {
		rate = n.island
	}
	share := float64(ranks-1) / float64(ranks)
	switch {
	case t.Type == workload.Send:
		share = 1
	case t.Op.Op == collective.AllReduce:
		share *= 2
	}
	return units.Time(float64(t.Op.Size) * share / rate * 1e9)
}

// Times of whole iterations that were published, with one efficiency for each GPU: each row is
// within 10% of the longest chain in which communication takes what rings take. Megatron: TP 8 on
// A100, arXiv 2205.05198, tables 3 and 5. Llama 3 405B: NVIDIA dgxc-benchmarking.
func TestPublishedStepTimes(t *testing.T) {
	a100 := network{island: 230e9, outside: 23e9}
	h100 := network{island: 350e9, outside: 46e9}
	gb200 := network{island: 700e9, outside: 46e9}
	full := func(c parallel.Config) parallel.Config {
		c.Recompute, c.SequenceParallel = "full", false
		return c
	}
	m22 := parallel.Config{TP: 8, Microbatch: 4, GlobalBatch: 4, SequenceParallel: true, Recompute: "selective", Attention: "plain", GPU: "a100"}
	m175 := parallel.Config{TP: 8, PP: 8, GlobalBatch: 64, SequenceParallel: true, Recompute: "selective", Attention: "plain", Schedule: "interleaved:3", GPU: "a100"}
	m530 := parallel.Config{TP: 8, PP: 35, GlobalBatch: 280, SequenceParallel: true, Recompute: "selective", Attention: "plain", Schedule: "interleaved:3", GPU: "a100"}
	m1t := parallel.Config{TP: 8, PP: 64, GlobalBatch: 512, SequenceParallel: true, Recompute: "selective", Attention: "plain", GPU: "a100"}
	on := func(tp, dp, batch int, gpu string) parallel.Config {
		return parallel.Config{TP: tp, PP: 8, CP: 2, DP: dp, GlobalBatch: batch, SequenceParallel: true, Zero: 1, Schedule: "interleaved:8", GPU: gpu}
	}
	for _, c := range []struct {
		name    string
		config  parallel.Config
		seconds float64
		network network
	}{
		{"megatron-22b", m22, 1.10, a100}, {"megatron-22b", full(m22), 1.42, a100},
		{"megatron-175b", m175, 13.75, a100}, {"megatron-175b", full(m175), 18.13, a100},
		{"megatron-530b", m530, 37.83, a100}, {"megatron-530b", full(m530), 49.05, a100},
		{"megatron-1t", m1t, 71.49, a100}, {"megatron-1t", full(m1t), 94.42, a100},
		{"llama3-405b", on(8, 4, 256, "h100"), 19.81, h100},
		{"llama3-405b", on(4, 2, 64, "gb200"), 9.347, gb200},
		{"llama3-405b", on(4, 4, 128, "gb200"), 9.484, gb200},
		{"llama3-405b", on(4, 8, 256, "gb200"), 9.508, gb200},
	} {
		w, err := parallel.Make(named(t, c.name), c.config)
		if err != nil {
			t.Fatal(err)
		}
		g, err := w.Graph(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		_, compute := g.Ends(workload.Free)
		_, last := g.Ends(c.network.cost)
		off := float64(last)/1e9/c.seconds - 1
		t.Logf("%s %s: %.2f s (compute %.2f), published %.2f: %+.1f%%", c.name, c.config.Recompute, float64(last)/1e9, float64(compute)/1e9, c.seconds, 100*off)
		if math.Abs(off) > 0.1 {
			t.Errorf("%s, %+v: %.2f s, published %.2f", c.name, c.config, float64(last)/1e9, c.seconds)
		}
	}
}
