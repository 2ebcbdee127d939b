package page

import (
	"fmt"
	"strconv"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/command/workloads"
	"github.com/lightpath-net/lightpath/figure"
)

// Workload makes the page of a workload.
func Workload(i *workloads.Summary) (*chart.Page, error) {
	d := i.Workload
	page := &chart.Page{Title: fmt.Sprintf("An iteration of %s on %d ranks", d.Name, d.Ranks)}
	for _, line := range d.About {
		page.Text(line)
	}
	rows := [][]string{{"longest chain of computation", i.Compute.String()}, {"longest computation of a rank", i.Busiest.String()}}
	if m := d.Model; m != nil {
		rows = append(rows,
			[]string{"parameters", strconv.FormatInt(m.Parameters, 10)}, []string{"that a token meets", strconv.FormatInt(m.ActiveParameters, 10)},
			[]string{"tokens of an iteration", strconv.FormatInt(m.Tokens, 10)}, []string{"operations of the model", fmt.Sprintf("%.4g", m.Flops)},
			[]string{"operations with what is computed again", fmt.Sprintf("%.4g", m.HardwareFlops)},
			[]string{"GPU", fmt.Sprintf("%s, %.0f%% of %.4g Tflop/s", m.GPU, 100*m.Efficiency, m.PeakFlops/1e12)})
	}
	page.Table([]string{"", ">"}, rows)
	page.Heading("What ranks send")
	rows = nil
	for _, t := range i.Totals {
		rows = append(rows, []string{t.Kind, string(t.Op), strconv.Itoa(t.Groups), strconv.Itoa(t.Size), strconv.Itoa(t.Most), t.Largest.String(), t.MostBytes.String()})
	}
	page.Table([]string{"kind", "operation", ">groups", ">of ranks", ">of a rank", ">largest", ">bytes of a rank"}, rows)
	scene, err := figure.Workload(i)
	if err != nil {
		return nil, err
	}
	page.Picture(scene)
	page.Heading("Programs")
	rows = nil
	for k := range d.Programs {
		if k == maxRows {
			rows = append(rows, []string{"..", fmt.Sprintf("%d programs in all", len(d.Programs))})
			break
		}
		p := &d.Programs[k]
		rows = append(rows, []string{p.Name, p.Ranks.String(), strconv.Itoa(p.Ranks.Len()), strconv.Itoa(len(p.Ops))})
	}
	page.Table([]string{"program", "ranks", ">", ">operations listed"}, rows)
	page.Note(clocks)
	return page, nil
}
