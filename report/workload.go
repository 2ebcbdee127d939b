package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/command/workloads"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// Workload writes a summary of a workload.
func Workload(w io.Writer, i *workloads.Summary) {
	d := i.Workload
	name := cmp.Or(d.Name, "a workload")
	fmt.Fprintf(w, "%s on %s\n\n", shorten(name, 50), units.Count(d.Ranks, "rank"))
	tabular.List(w, "  ", []string{"model", "compute", "programs"}[modelFrom(d):], workloadFacts(i))
	fmt.Fprintln(w)
	writeTotals(w, i.Totals)
}

// modelFrom returns 1 if there is no line about the model.
func modelFrom(d *workload.Workload) int {
	if d.Model == nil {
		return 1
	}
	return 0
}

// workloadFacts describes the model, the computation time and the programs.
func workloadFacts(i *workloads.Summary) []string {
	d := i.Workload
	var lines []string
	compute := fmt.Sprintf("%v on the longest chain of computations", i.Compute)
	if wait := i.Compute - i.Busiest; wait > 0 && i.Compute > 0 {
		compute += fmt.Sprintf(" (%.1f%% bubble)", 100*float64(wait/i.Compute))
	}
	if m := d.Model; m != nil {
		active := ""
		if m.ActiveParameters != m.Parameters {
			active = fmt.Sprintf(", %s active", thousandMillions(m.ActiveParameters))
		}
		lines = append(lines, fmt.Sprintf("%s parameters%s; %d tokens and %s an iteration", thousandMillions(m.Parameters), active, m.Tokens, flopCount(m.Flops)))
		if m.HardwareFlops != m.Flops {
			lines[0] += fmt.Sprintf(" (%s with recomputation)", flopCount(m.HardwareFlops))
		}
		compute += fmt.Sprintf(", %s at %.0f%% of %.0f TFLOP/s", m.GPU, 100*m.Efficiency, m.PeakFlops/1e12)
	}
	programs := fmt.Sprintf("%s, %s", units.Count(len(d.Programs), "class of ranks", "classes of ranks"), units.Count(i.Graph.Tasks(), "operation"))
	if m := d.Model; m != nil {
		programs += fmt.Sprintf("; %s, %s", units.Count(m.Microbatches, "microbatch", "microbatches"), m.Schedule)
	}
	return append(lines, compute, programs)
}

// thousandMillions writes a count of parameters.
func thousandMillions(n int64) string {
	if n < 1e9 {
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1fB", float64(n)/1e9)
}

// flopCount writes a count of floating-point operations.
func flopCount(n float64) string {
	const prefixes = " kMGTPEZY"
	k := 0
	for n >= 1000 && k < len(prefixes)-1 {
		n, k = n/1000, k+1
	}
	return fmt.Sprintf("%.4g %sFLOP", n, strings.TrimSpace(prefixes[k:k+1]))
}

// mostTotals is the largest number of rows about what ranks send.
const mostTotals = 6

// writeTotals writes what ranks send.
func writeTotals(w io.Writer, totals []workload.Total) {
	if len(totals) == 0 {
		fmt.Fprintln(w, "  nothing is sent")
		return
	}
	t := tabular.New("  ", "kind", ">groups", ">ranks", "operation", ">count", ">bytes each", ">per rank")
	// The largest totals come first.
	totals = slices.SortedStableFunc(slices.Values(totals), func(a, b workload.Total) int { return cmp.Compare(b.MostBytes, a.MostBytes) })
	for _, s := range totals {
		kind, groups, of := s.Kind, strconv.Itoa(s.Groups), strconv.Itoa(s.Size)
		if kind == "" {
			kind, groups, of = "-", "", ""
		}
		times := strconv.Itoa(s.Most)
		if s.Least < s.Most {
			times = fmt.Sprintf("%d..%d", s.Least, s.Most)
		}
		each := units.FormatBytes(float64(s.Largest))
		if s.Smallest < s.Largest {
			each = fmt.Sprintf("%s..%s", units.FormatBytes(float64(s.Smallest)), each)
		}
		t.Add(shorten(kind, 16), groups, of, string(s.Op), times, each, units.FormatBytes(float64(s.MostBytes)))
	}
	most := 0
	if len(totals) > mostTotals {
		most = mostTotals - 1
	}
	t.Write(w, most, "rows; `format` csv lists all")
}

// WorkloadVerbose also writes where the workload comes from, and its programs.
func WorkloadVerbose(w io.Writer, i *workloads.Summary) {
	Workload(w, i)
	d := i.Workload
	if len(d.About) > 0 {
		fmt.Fprintln(w)
		for _, line := range d.About {
			tabular.Text(w, "  ", line)
		}
	}
	fmt.Fprintln(w)
	t := tabular.New("  ", "program", "ranks", ">", ">operations", ">computes")
	for k := range d.Programs {
		p := &d.Programs[k]
		tasks, compute := programTotals(i, k)
		t.Add(shorten(p.Name, 20), shorten(p.Ranks.String(), 28), strconv.Itoa(p.Ranks.Len()), strconv.Itoa(tasks), compute.String())
	}
	t.Write(w, 64, "programs; `json` lists all")
	if len(d.Blocks) == 0 {
		return
	}
	fmt.Fprintln(w)
	names, texts := []string{}, []string{}
	for _, name := range slices.Sorted(maps.Keys(d.Blocks)) {
		ids := each.Of(d.Blocks[name], func(o workload.Op) string { return o.ID })
		names, texts = append(names, shorten(name, 24)), append(texts, strings.Join(ids, ", "))
	}
	tabular.List(w, "  ", names, texts)
}

// programTotals counts the operations of a program and the time that it computes.
func programTotals(i *workloads.Summary, program int) (tasks int, compute units.Time) {
	for c := range i.Graph.Classes {
		class := &i.Graph.Classes[c]
		if class.Program != program {
			continue
		}
		for k := range class.Tasks {
			if d := class.Tasks[k].Op.Compute; d != nil {
				compute += d.Time()
			}
		}
		return len(class.Tasks), compute
	}
	return 0, 0
}

// Models writes the models and GPUs that are known by name.
func Models(w io.Writer, l *workloads.ModelList) {
	t := tabular.New("", "model", ">parameters", ">active", ">layers", ">hidden", ">experts", ">tokens")
	for _, m := range l.Models {
		experts := "-"
		if m.Experts > 0 {
			experts = strconv.Itoa(m.Experts)
		}
		t.Add(m.Name, thousandMillions(m.Parameters), thousandMillions(m.ActiveParameters), strconv.Itoa(m.Layers), strconv.Itoa(m.Hidden), experts, strconv.Itoa(m.Sequence))
	}
	t.Write(w, 0, "")
	fmt.Fprintln(w)
	g := tabular.New("", "GPU", ">bf16", ">fp8", ">memory", ">efficiency")
	for _, x := range l.GPUs {
		fp8 := "-"
		if x.PeakFP8 > 0 {
			fp8 = fmt.Sprintf("%.4g Tflop/s", x.PeakFP8/1e12)
		}
		g.Add(x.Name, fmt.Sprintf("%.4g Tflop/s", x.Peak/1e12), fp8, fmt.Sprintf("%.4g GB/s", x.Memory/1e9), fmt.Sprintf("%.0f%%", 100*x.Efficiency))
	}
	g.Write(w, 0, "")
	fmt.Fprintln(w, "\nsources: `json`")
}
