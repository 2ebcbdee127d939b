package sweep_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/lightpath-net/lightpath/sweep"
)

// BenchmarkSweep measures whole sweeps, store included: heatmap64 is three algorithms on
// 64 GPUs over 21 sizes and 19 delays with all baselines, cells100k 100 000 cells of
// recursive doubling.
func BenchmarkSweep(b *testing.B) {
	for name, specs := range map[string][]*sweep.Spec{
		"heatmap64": {
			grid(b, 64, "op=allreduce", "algorithm=recursive-doubling,swing", "planner=harvest", "size=1KiB..1GiB", "reconfig=10ns..10ms"),
			grid(b, 64, "op=alltoall", "algorithm=direct", "planner=harvest", "size=1KiB..1GiB", "reconfig=10ns..10ms"),
		},
		"cells100k": {grid(b, 64, "op=allreduce", "algorithm=recursive-doubling", "planner=harvest", "size=1KiB..1GiB/250", "reconfig=10ns..10ms/400")},
	} {
		b.Run(name, func(b *testing.B) {
			cells := 0
			for b.Loop() {
				s, err := sweep.Create(context.Background(), filepath.Join(b.TempDir(), "s.db"), false)
				if err != nil {
					b.Fatal(err)
				}
				solve := solver()
				for _, spec := range specs {
					if err := sweep.Run(context.Background(), spec, s, solve, sweep.Options{}); err != nil {
						b.Fatal(err)
					}
					cells += spec.Cells()
				}
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(cells)/b.Elapsed().Seconds(), "cells/s")
		})
	}
}
