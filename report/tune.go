package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/units"
)

// Tuning writes a tuning table.
func Tuning(w io.Writer, t *lightpath.Tuning) {
	tables := append([]lightpath.TuneTable{{Fabric: t.Fabric, Rows: t.Rows, Curve: t.Curve}}, t.Others...)
	for i := range tables {
		table := &tables[i]
		if i > 0 {
			fmt.Fprintln(w)
		}
		name := ""
		if table.Name != "" {
			name = table.Name + ": "
		}
		for _, line := range wrap(fmt.Sprintf("%s%s on %d GPUs up to %v, %s", name, t.Op, table.Fabric.Nodes, units.Bytes(t.MostBytes), describe(&table.Fabric)), terminalWidth) {
			fmt.Fprintln(w, line)
		}
		fmt.Fprintf(w, "\n  %s\n\n", table.Verdict())
		rows := newTable("  ", ">from size", "algorithm", "planner", ">steps", ">changes", ">time", ">over static", "circuits")
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
			rows.add(units.Bytes(r.FromBytes).String(), r.Algorithm, r.Planner, steps.String(), changes.String(), r.TotalNs.String(), speedup, shorten(strings.Join(r.Topologies, " "), 40))
			first = next
		}
		rows.write(w, 0, "")
	}
	fmt.Fprintln(w, "\n  times are the model's, at each row's first size; where steps are a range,\n  --json has a row for each number")
}

// onSameCircuits reports whether rows differ only in their steps and in how often they change
// between the same circuits, as a pipeline with more pieces does.
func onSameCircuits(a, b *lightpath.TuneRow) bool {
	return a.Algorithm == b.Algorithm && a.Planner == b.Planner && slices.Equal(distinct(a.Topologies), distinct(b.Topologies))
}

// distinct returns every name once, in order.
func distinct(names []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// counts is the least and the most of some numbers.
type counts struct{ least, most int }

func (s *counts) add(n int) { s.least, s.most = min(s.least, n), max(s.most, n) }

func (s *counts) String() string {
	if s.least == s.most {
		return strconv.Itoa(s.least)
	}
	return fmt.Sprintf("%d-%d", s.least, s.most)
}

// Advice writes what changes buy, for every operation and for all of them.
func Advice(w io.Writer, a *lightpath.Advice) {
	advice(w, a)
	for i := range a.More {
		fmt.Fprintln(w)
		advice(w, &a.More[i])
	}
	if len(a.More) == 0 {
		return
	}
	fmt.Fprintf(w, "\nall %d take %v: each planned on its own, times added up\n\n", 1+len(a.More), a.Now())
	for _, line := range wrap(a.TogetherSentence(), terminalWidth-2) {
		fmt.Fprintf(w, "  %s\n", line)
	}
	fmt.Fprintln(w)
	changes := newTable("  ", "change", "", ">time", ">times as fast")
	for _, c := range a.Together {
		changes.add(c.Change, c.Setting+" "+c.Value, c.TotalNs.String(), fmt.Sprintf("%.3f", c.Speedup))
	}
	changes.write(w, 0, "")
}

// advice writes what changes buy for an operation.
func advice(w io.Writer, a *lightpath.Advice) {
	fmt.Fprintf(w, "%s of %v on %d GPUs takes %v: %s by %s, %s\n\n", a.Op, units.Bytes(a.SizeBytes), a.Fabric.Nodes, a.TotalNs, a.Algorithm, a.Planner, count(a.Reconfigurations, "reconfiguration"))
	for _, s := range a.Sentences() {
		for _, line := range wrap(s, terminalWidth-2) {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	fmt.Fprintln(w)
	changes := newTable("  ", "change", "", ">time", ">times as fast", "algorithm")
	for _, c := range a.Changes {
		if c.Reason != "" {
			changes.add(c.Change, c.Setting+" "+c.Value, "-", "", shorten(c.Reason, 40))
			continue
		}
		changes.add(c.Change, c.Setting+" "+c.Value, c.TotalNs.String(), fmt.Sprintf("%.3f", c.Speedup), c.Algorithm)
	}
	changes.write(w, 0, "")
	if len(a.PaysBelow) > 0 {
		fmt.Fprintln(w)
		pays := newTable("  ", ">size", ">rewiring pays below")
		for _, p := range a.PaysBelow {
			text := "always"
			switch {
			case p.ReconfigNs != nil && *p.ReconfigNs == 0:
				text = "never"
			case p.ReconfigNs != nil:
				text = p.ReconfigNs.String()
			}
			pays.add(units.Bytes(p.SizeBytes).String(), text)
		}
		pays.write(w, 0, "")
	}
	if len(a.Ports) > 1 {
		fmt.Fprintln(w)
		ports := newTable("  ", ">ports", ">time")
		for _, p := range a.Ports {
			ports.add(strconv.Itoa(p.Ports), timeOr(p.TotalNs))
		}
		ports.write(w, 0, "")
	}
}
