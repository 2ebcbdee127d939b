package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/command/tuning"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

// Tuning writes a tuning table.
func Tuning(w io.Writer, t *tuning.Tuning) {
	tables := t.Tables()
	for i := range tables {
		table := &tables[i]
		if i > 0 {
			fmt.Fprintln(w)
		}
		name := ""
		if table.Name != "" {
			name = table.Name + ": "
		}
		tabular.Text(w, "", fmt.Sprintf("%s%s on %d GPUs up to %v, %s", name, table.Op, table.Fabric.Nodes, units.Bytes(table.MostBytes), describe(&table.Fabric)))
		verdict := table.Verdict()
		if t.To != "" {
			verdict = "what NCCL can choose on circuits that stay; the best static plan of any algorithm is beside it"
		}
		fmt.Fprintf(w, "\n  %s\n\n", verdict)
		rows := tabular.New("  ", ">from size", "algorithm", "planner", ">steps", ">reconfigs", ">time", ">over static", "circuits")
		for first := 0; first < len(table.Rows); {
			next := first + 1
			for next < len(table.Rows) && onSameCircuits(&table.Rows[first], &table.Rows[next]) {
				next++
			}
			r := &table.Rows[first]
			speedup := "-"
			if r.Speedup > 0 {
				speedup = fmt.Sprintf("%.2fx", r.Speedup)
			}
			steps, changes := counts{r.Steps, r.Steps}, counts{r.Reconfigurations, r.Reconfigurations}
			for k := first; k < next; k++ {
				least, most := table.Changes(k)
				changes.add(least)
				changes.add(most)
				steps.add(table.Rows[k].Steps)
			}
			rows.Add(units.Bytes(r.FromBytes).String(), r.Algorithm, r.Planner, steps.String(), changes.String(), r.TotalNs.String(), speedup, shorten(strings.Join(r.Topologies, " "), 40))
			first = next
		}
		rows.Write(w, 0, "")
	}
	fmt.Fprintln(w, "\n  Times are modelled, at the first size of each row. Where steps are a range,\n  `json` has a row for each number of steps.")
}

// TuningCSV writes the rows of a tuning table. Tables of several fabrics follow one another, and
// the first column names the fabric.
func TuningCSV(w io.Writer, t *tuning.Tuning) error {
	if len(t.Others) == 0 {
		return block[tuning.TuneRow]{rows: t.Rows}.write(w)
	}
	names, values := []string{"fabric"}, func(table *tuning.TuneTable) []string { return []string{cmp.Or(table.Name, "this fabric")} }
	if t.Name != "" { // collectives of a workload
		names, values = []string{"kind", "op", "nodes"}, func(table *tuning.TuneTable) []string {
			return []string{table.Name, string(table.Op), strconv.Itoa(table.Fabric.Nodes)}
		}
	}
	var blocks []block[tuning.TuneRow]
	for _, table := range t.Tables() {
		blocks = append(blocks, block[tuning.TuneRow]{values: values(&table), rows: table.Rows})
	}
	blocks[0].names = names
	return blocks[0].write(w, blocks[1:]...)
}

// onSameCircuits reports whether rows differ only in their steps and in how often they change
// between the same circuits, as a pipeline with more pieces does.
func onSameCircuits(a, b *tuning.TuneRow) bool {
	return a.Algorithm == b.Algorithm && a.Planner == b.Planner && slices.Equal(distinct(a.Topologies), distinct(b.Topologies))
}

// distinct returns every name once, in order.
func distinct(names []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// counts is the minimum and maximum of some numbers.
type counts struct{ least, most int }

func (s *counts) add(n int) { s.least, s.most = min(s.least, n), max(s.most, n) }

func (s *counts) String() string {
	if s.least == s.most {
		return strconv.Itoa(s.least)
	}
	return fmt.Sprintf("%d-%d", s.least, s.most)
}
