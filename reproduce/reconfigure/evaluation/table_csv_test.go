package evaluation

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
)

// columns are the strategies whose times are written.
var columns = []string{
	strategy.Auto, strategy.Paper, strategy.Birkhoff, blind, strategy.MixNet, strategy.Static, strategy.Rings, strategy.Direct,
}

// writeCSV writes a row for every setting and every R. Times are in nanoseconds; a strategy
// without a schedule has none.
func writeCSV(w io.Writer, list []measured) error {
	out := csv.NewWriter(w)
	head := []string{"nodes", "ports", "workload", "flow_bytes", "r_over_t", "r_ns"}
	for _, name := range columns {
		head = append(head, name+"_ns", name+"_topologies")
	}
	rows := [][]string{append(head, "reduction", "paper_reduction")}
	for _, m := range list {
		for _, ratio := range m.sweep {
			rows = append(rows, m.row(ratio))
		}
	}
	return out.WriteAll(rows)
}

// row returns the row of one R.
func (m measured) row(ratio float64) []string {
	row := []string{
		strconv.Itoa(m.nodes), strconv.Itoa(m.ports), m.workload, strconv.FormatInt(int64(m.flow), 10),
		fmt.Sprintf("%.4f", ratio), fmt.Sprintf("%.1f", ratio*slotTime()),
	}
	for _, name := range columns {
		o := m.least(ratio, name)
		if math.IsInf(o.time, 1) {
			row = append(row, "", "")
			continue
		}
		row = append(row, fmt.Sprintf("%.1f", o.time*slotTime()), strconv.Itoa(o.Stages))
	}
	return append(row,
		fmt.Sprintf("%.6f", contests[0].reduction(m.curves, ratio)), fmt.Sprintf("%.6f", contests[2].reduction(m.curves, ratio)))
}
