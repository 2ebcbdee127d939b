package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"github.com/lightpath-net/lightpath/command/advising"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

// AdviceCSV writes what changes save. With several operations, their rows follow one another;
// the last rows, with an empty size, are for all operations together.
func AdviceCSV(w io.Writer, a *advising.Advice) error {
	if len(a.More) == 0 {
		return block[advising.FabricChange]{rows: a.Changes}.write(w)
	}
	of := func(one *advising.Advice) block[advising.FabricChange] {
		size := strconv.FormatInt(one.SizeBytes, 10)
		return block[advising.FabricChange]{names: []string{"op", "size_bytes"}, values: []string{string(one.Op), size}, rows: one.Changes}
	}
	var others []block[advising.FabricChange]
	for i := range a.More {
		others = append(others, of(&a.More[i]))
	}
	others = append(others, block[advising.FabricChange]{values: []string{"all", ""}, rows: a.Together})
	return of(a).write(w, others...)
}

// Advice writes what changes save, for every operation and for all of them.
func Advice(w io.Writer, a *advising.Advice) {
	advice(w, a)
	for i := range a.More {
		fmt.Fprintln(w)
		advice(w, &a.More[i])
	}
	if len(a.More) == 0 {
		return
	}
	fmt.Fprintf(w, "\nall %d take %v: each planned on its own, times added up\n\n", 1+len(a.More), a.Now())
	tabular.Text(w, "  ", a.TogetherSentence())
	fmt.Fprintln(w)
	changes := tabular.New("  ", "change", "", ">time", ">times as fast")
	for _, c := range a.Together {
		changes.Add(c.Change, c.Setting+" "+c.Value, c.TotalNs.String(), fmt.Sprintf("%.3f", c.Speedup))
	}
	changes.Write(w, 0, "")
}

// advice writes what changes save for an operation.
func advice(w io.Writer, a *advising.Advice) {
	if i := a.Iteration; i != nil {
		name := cmp.Or(i.Name, "the workload")
		fmt.Fprintf(w, "an iteration of %s on %d GPUs takes %v: policy %s, %s; %.1f%% of it is compute\n\n", name, a.Fabric.Nodes, a.TotalNs, i.Policy,
			units.Count(a.Reconfigurations, "reconfiguration"), 100*i.ComputeNs.Share(a.TotalNs))
	} else {
		operationAdvised(w, a)
	}
	for _, s := range a.Sentences() {
		tabular.Text(w, "  ", s)
	}
	fmt.Fprintln(w)
	if a.Iteration != nil {
		changes := tabular.New("  ", "change", "", ">iteration", ">saves", "policy")
		for _, c := range a.Changes {
			if c.Reason != "" {
				changes.Add(c.Change, c.Setting+" "+c.Value, "-", "", shorten(c.Reason, 40))
				continue
			}
			changes.Add(c.Change, c.Setting+" "+c.Value, c.TotalNs.String(), fmt.Sprintf("%.2f%%", 100*(a.TotalNs-c.TotalNs).Share(a.TotalNs)), c.Algorithm)
		}
		changes.Write(w, 0, "")
		portTimes(w, a)
		return
	}
	changes := tabular.New("  ", "change", "", ">time", ">times as fast", "algorithm")
	for _, c := range a.Changes {
		if c.Reason != "" {
			changes.Add(c.Change, c.Setting+" "+c.Value, "-", "", shorten(c.Reason, 40))
			continue
		}
		changes.Add(c.Change, c.Setting+" "+c.Value, c.TotalNs.String(), fmt.Sprintf("%.3f", c.Speedup), c.Algorithm)
	}
	changes.Write(w, 0, "")
	if len(a.PaysBelow) > 0 {
		fmt.Fprintln(w)
		pays := tabular.New("  ", ">size", ">reconfiguring pays below")
		for _, p := range a.PaysBelow {
			text := "always"
			switch {
			case p.ReconfigNs != nil && *p.ReconfigNs == 0:
				text = "never"
			case p.ReconfigNs != nil:
				text = p.ReconfigNs.String()
			}
			pays.Add(units.Bytes(p.SizeBytes).String(), text)
		}
		pays.Write(w, 0, "")
	}
	portTimes(w, a)
}

// operationAdvised writes the current time of an operation.
func operationAdvised(w io.Writer, a *advising.Advice) {
	fmt.Fprintf(w, "%s of %v on %d GPUs takes %v: %s by planner %s, %s\n\n", a.Op, units.Bytes(a.SizeBytes), a.Fabric.Nodes, a.TotalNs, a.Algorithm, a.Planner,
		units.Count(a.Reconfigurations, "reconfiguration"))
}

// portTimes writes the time for each number of ports.
func portTimes(w io.Writer, a *advising.Advice) {
	if len(a.Ports) > 1 {
		fmt.Fprintln(w)
		ports := tabular.New("  ", ">ports", ">time")
		for _, p := range a.Ports {
			text := orDash(p.TotalNs)
			if p.Reason == "" {
				text = p.TotalNs.String()
			}
			ports.Add(strconv.Itoa(p.Ports), text)
		}
		ports.Write(w, 0, "")
	}
}
