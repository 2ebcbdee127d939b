package iterating_test

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/sweep"
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

// BenchmarkColumns answers the cells of sweeps: small is 5 delays and 3 numbers of ports of an 8B
// model on 64 GPUs, llama70b 21 delays and 6 numbers of ports of a 70B model on 512.
func BenchmarkColumns(b *testing.B) {
	for _, c := range []struct {
		name, model string
		config      parallel.Config
		delays      int
		ports       []int
	}{
		{"small", "llama3-8b", parallel.Config{TP: 8, DP: 8, GlobalBatch: 8, GPU: "h100"}, 5, []int{1, 2, 4}},
		{"llama70b", "llama3-70b", parallel.Config{TP: 8, DP: 64, GlobalBatch: 512, Sequence: 8192, GPU: "h100"}, 21, []int{1, 2, 4, 6, 8, 12}},
	} {
		b.Run(c.name, func(b *testing.B) {
			w, err := parallel.Make(named(b, c.model), c.config)
			if err != nil {
				b.Fatal(err)
			}
			cells := 0
			for range b.N {
				solver := &iterating.Columns{Workload: w}
				for _, ports := range c.ports {
					column := make([]sweep.Request, c.delays)
					for i := range column { // from 1us to 100ms
						f := fabric.Default()
						f.Nodes, f.Ports = w.Ranks, ports
						f.Island = fabric.Island{Size: 8, Bandwidth: 3600 * units.Gbps}
						f.Reconfig.Base = units.Duration(math.Pow(10, 5*float64(i)/float64(c.delays-1)) * float64(units.Microsecond))
						column[i] = sweep.Request{Fabric: f, Algorithm: iteration.Best}
					}
					if _, err := solver.Solve(b.Context(), column); err != nil {
						b.Fatal(err)
					}
					cells += len(column)
				}
			}
			b.ReportMetric(float64(cells)/b.Elapsed().Seconds(), "cells/s")
		})
	}
}
