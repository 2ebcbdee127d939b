package evaluation

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/units"
)

// The links of section 5.1.
const (
	linkRate    = 800 * units.Gbps
	linkLatency = 500          // ns
	chunkSize   = 4 * units.MB // section 5.1
)

// mainFlow is the flow size of Figure 11, mainNodes the number of nodes of Figure 12.
const (
	mainFlow  = 32 * units.MB
	mainNodes = 16
)

// uniform is the workload with the same flow for all pairs.
const uniform = "uniform"

// workloads are the workloads of section 5.1, in the spelling of collective.GenerateDemand.
var workloads = []string{uniform, "random", "zipf:0.4"}

// slotTime is the time of a chunk over a hop, in nanoseconds.
func slotTime() float64 { return linkLatency + float64(linkRate.Transmit(float64(chunkSize))) }

// inTime turns slots into a time.
func inTime(slots float64) units.Time { return units.Time(slots * slotTime()) }

// setting is one of the settings of the evaluation.
type setting struct {
	nodes, ports int
	workload     string
	flow         units.Bytes // of a pair, on average
}

// settings lists the settings of Figures 11 and 12, or every flow size with every number of
// nodes.
func settings(full bool) []setting {
	var list []setting
	for _, n := range []int{8, 16, 32, 64} {
		for _, k := range []int{1, 2} {
			for _, w := range workloads {
				for _, flow := range []units.Bytes{8 * units.MB, 16 * units.MB, 32 * units.MB, 64 * units.MB} {
					if s := (setting{n, k, w, flow}); full || s.inFigure11() || s.inFigure12() {
						list = append(list, s)
					}
				}
			}
		}
	}
	return list
}

func (s setting) inFigure11() bool { return s.flow == mainFlow }

func (s setting) inFigure12() bool { return s.nodes == mainNodes }

// String names the setting.
func (s setting) String() string {
	return fmt.Sprintf("n=%d k=%d %s %dMB", s.nodes, s.ports, s.workload, s.flow/units.MB)
}

// demand returns the chunks of all pairs. A flow has the smallest number of chunks that holds
// it.
func (s setting) demand(seed uint64) (model.Demand, error) {
	if s.workload == uniform {
		return model.Uniform(s.nodes, chunksOf(int64(s.flow)))
	}
	bytes, err := collective.GenerateDemand(s.workload, s.nodes, s.flow*units.Bytes(s.nodes), seed)
	if err != nil {
		return model.Demand{}, err
	}
	counts := make([][]int, s.nodes)
	for u, row := range bytes {
		counts[u] = make([]int, s.nodes)
		for v, b := range row {
			counts[u][v] = chunksOf(b)
		}
	}
	return model.Counts(counts)
}

// chunksOf returns the chunks of a flow.
func chunksOf(bytes int64) int { return int(arithmetic.CeilDiv(bytes, int64(chunkSize))) }

// sweep returns ratios of R and T from 1 to n^2/k, evenly spaced on a logarithmic scale.
func (s setting) sweep(points int) []float64 {
	return logarithmic(float64(s.nodes*s.nodes)/float64(s.ports), points)
}
