package iterating_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// BenchmarkIterate plans, bounds and proves iterations: Llama-3 405B on 16 384 GPUs in islands,
// DeepSeek-V3 on 2 048 and a 70B model on 2 048 GPUs, the size of published simulations.
func BenchmarkIterate(b *testing.B) {
	for _, c := range []struct {
		name, model string
		config      parallel.Config
		island      units.Bandwidth
		ports       int
	}{
		{"llama405b", "llama3-405b", parallel.Config{TP: 8, PP: 16, DP: 128, GlobalBatch: 2048, SequenceParallel: true}, 3600 * units.Gbps, 1},
		{"deepseek", "deepseek-v3", parallel.Config{PP: 16, EP: 64, DP: 128, GlobalBatch: 3840, GPU: "h800", Skew: "moe:8"}, 1600 * units.Gbps, 2},
		{"opus2048", "llama3-70b", parallel.Config{TP: 8, PP: 4, DP: 64, GlobalBatch: 1024, SequenceParallel: true}, 3600 * units.Gbps, 1},
	} {
		b.Run(c.name, func(b *testing.B) {
			f := fabric.Default()
			f.Nodes, f.Ports = c.config.PP*c.config.DP*max(1, c.config.TP), c.ports
			f.Island = fabric.Island{Size: 8, Bandwidth: c.island}
			b.ReportAllocs()
			for range b.N {
				d, err := iterating.Iterate(b.Context(), iterating.IterateRequest{Model: named(b, c.model), Config: c.config, Fabric: f})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(100*d.Gap, "gap%")
				b.ReportMetric(float64(d.Iteration)/1e9, "iteration_s")
			}
		})
	}
}
