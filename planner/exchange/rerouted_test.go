package exchange

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/units"
)

// TestUniformIsNotSlowerThanAByteMore: a plan for a demand with one byte more between two GPUs
// carries the uniform demand as well, so the uniform demand must not take longer.
func TestUniformIsNotSlowerThanAByteMore(t *testing.T) {
	nodes := []int{5, 8, 12, 20}
	for i, n := range nodes[:samples.Of(len(nodes))] {
		for ports := 1; ports <= 3; ports++ {
			for k, delay := range []string{"1us", "10us", "1ms"} {
				if (i+ports+k)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				s := setting{nodes: n, ports: ports, size: units.Bytes(n) << 15, set: map[string]string{"reconfig": delay}}
				even := s.planned(t, Options{})
				r := s.request(t)
				sizes := make(collective.Demand, n)
				for u := range sizes {
					sizes[u] = make([]int64, n)
					for v := range sizes[u] {
						if u != v {
							sizes[u][v] = 1 << 15
						}
					}
				}
				sizes[0][1]++
				r.Collective.Space.Sizes, r.Size = sizes, sizes.Size()
				more, err := New(Options{}).Plan(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				if report, err := verify.Plan(t.Context(), more); err != nil || report.First() != nil {
					t.Fatalf("%v: %v %v", s, report.First(), err)
				}
				if !notSlower(even, more) {
					t.Errorf("%v: %v by %s, with a byte more %v by %s", s,
						even.Cost.Total(), even.Strategy, more.Cost.Total(), more.Strategy)
				}
			}
		}
	}
}
