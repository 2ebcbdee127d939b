package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/command/simulating"
	"github.com/lightpath-net/lightpath/explain"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

// Iteration writes how long an iteration takes, and which part of it is communication.
func Iteration(w io.Writer, d *iteration.Document) {
	name := cmp.Or(d.Name, "the workload")
	if d.Online != nil {
		followed(w, name, d)
		return
	}
	fmt.Fprintf(w, "an iteration of %s on %d GPUs takes %v\n\n", name, d.Ranks, d.Iteration)
	tabular.List(w, "  ", []string{"compute", "exposed", "switching", "fabric", "bound"}, []string{
		fmt.Sprintf("%v, the longest chain of computations alone", d.Compute),
		fmt.Sprintf("%v of communication, %.1f%% of the iteration%s", d.Exposed, 100*d.Exposed.Share(d.Iteration), exposedBy(d)),
		fmt.Sprintf("%s, %d hidden; policy %s; verified", units.Count(d.Reconfigurations, "reconfiguration"), d.Hidden, d.Policy),
		describe(&d.Fabric),
		fmt.Sprintf("%v for any iteration in which ranks use only their own ports; this one is %.1f%% above", d.Bound, 100*d.Gap),
	})
	fmt.Fprintln(w)
	rows := tabular.New("  ", "policy", ">iteration", ">ratio")
	for _, policy := range iteration.Policies() {
		time, ok := d.Baselines[policy]
		if !ok {
			rows.Add(policy, "-", "does not fit")
			continue
		}
		rows.Add(policy, time.String(), fmt.Sprintf("%.3f", time.Over(d.Iteration)))
	}
	rows.Write(w, 0, "")
}

// mostSteps is the number of steps of a trace that are listed one by one.
const mostSteps = 20

// followed writes how a trace of changing demand was followed.
func followed(w io.Writer, name string, d *iteration.Document) {
	o := d.Online
	fmt.Fprintf(w, "%s of %s on %d GPUs take %v, %s\n\n", units.Count(len(o.Steps), "step"), name, d.Ranks, o.Total, rewired(o))
	labels := []string{"decided", "fabric", "bound"}
	texts := []string{
		"at the beginning of each step, without knowing the next; every step is verified",
		describe(&d.Fabric),
		fmt.Sprintf("%v; no plan in which ranks use only their own ports is faster; gap %.1f%%", o.Bound, 100*(o.Total.Over(o.Bound)-1)),
	}
	tabular.List(w, "  ", labels, texts)
	fmt.Fprintln(w)
	than := tabular.New("  ", "", ">all steps", ">ratio")
	row := func(name string, time units.Time) {
		if time > 0 {
			than.Add(name, time.String(), fmt.Sprintf("%.3f", time.Over(o.Total)))
		}
	}
	row("the plan for even demand all along (static)", o.Static)
	row("a plan of its own for every step", o.Newest)
	row("the best of these plans all along", o.Fixed)
	row("the best of these plans in each step, in hindsight", o.Hindsight)
	than.Write(w, 0, "")
	if o.Hindsight == 0 {
		fmt.Fprintln(w, "\n  too many plans and steps to try each plan in every step: no hindsight but the bound")
	}
	fmt.Fprintln(w)
	steps := tabular.New("  ", ">step", "plan", ">time", ">static", ">own plan", ">bound")
	for _, s := range o.Steps {
		plan := "even"
		if s.Plan > 0 {
			plan = fmt.Sprint(s.Plan)
		}
		switch {
		case s.Rewired && s.Own:
			plan += ", made for it"
		case s.Rewired:
			plan += ", again"
		}
		steps.Add(fmt.Sprint(s.Step), plan, s.Time.String(), s.Static.String(), s.Newest.String(), s.Bound.String())
	}
	steps.Write(w, mostSteps, "steps; `json` lists all")
}

// rewired says how often the plan changed.
func rewired(o *iteration.Online) string {
	if o.Rewired == 0 {
		return "with the plan for even demand all along"
	}
	return fmt.Sprintf("with another plan %s", units.Count(o.Rewired, "time"))
}

// IterationJSON writes the summary of an iteration's plan.
func IterationJSON(w io.Writer, d *iteration.Document) error { return d.Summary().Encode(w) }

// exposedBy says which communication is exposed.
func exposedBy(d *iteration.Document) string {
	by := d.ExposedByKind
	longest := func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b)) }
	text := ""
	for _, kind := range slices.SortedFunc(maps.Keys(by), longest) {
		text += fmt.Sprintf("; %s %v", kind, by[kind])
	}
	return text
}

// IterationOps lists the operations with their times.
func IterationOps(d *iteration.Document) []iteration.DocumentOp { return d.Ops }

// maxClasses is the number of classes of ranks that are listed one by one.
const maxClasses = 24

// explainIteration writes what an iteration spends its time on.
func explainIteration(w io.Writer, x *iteration.Explanation, changes int) {
	fmt.Fprintf(w, "an iteration of %s on %d GPUs, policy %s: %v with %s\n\n", cmp.Or(x.Name, "the workload"), x.Ranks, x.Policy,
		x.Iteration, units.Count(changes, "reconfiguration"))
	kinds := map[string]units.Time{}
	maps.Copy(kinds, x.Path.Communication)
	for i := range x.Classes {
		maps.Copy(kinds, x.Classes[i].Communication)
		maps.Copy(kinds, x.Classes[i].HiddenCommunication)
	}
	names := iteration.Kinds(kinds)
	header := []string{"time of", ">compute"}
	header = append(header, each.Of(names, func(kind string) string { return ">" + kind })...)
	t := tabular.New("  ", append(header, ">reconfig", ">waits", ">sum", ">hidden: comm.", ">reconfig")...)
	row := func(name string, b *iteration.Budget, hidden ...string) {
		cells := []string{name, b.Compute.String()}
		for _, kind := range names {
			cells = append(cells, orDash(b.Communication[kind]))
		}
		t.Add(append(append(cells, orDash(b.Rewiring), orDash(b.Waits), b.Total().String()), hidden...)...)
	}
	row("critical path", &x.Path, "", "")
	for i := range x.Classes {
		c := &x.Classes[i]
		hidden := units.Time(0)
		for _, kind := range iteration.Kinds(c.HiddenCommunication) {
			hidden += c.HiddenCommunication[kind]
		}
		row(shorten(cmp.Or(c.Name, "ranks "+c.Ranks), 20), &c.Budget, orDash(hidden), orDash(c.HiddenRewiring))
	}
	t.Write(w, maxClasses+1, "rows; `json` lists all")
	fmt.Fprintln(w, "\n  communication and reconfiguration in a sum are exposed: the ranks do nothing else meanwhile")
	fmt.Fprintln(w, "  waits: for other ranks, or for ports that others use; hidden: not in the sum")
	if x.Delay == nil {
		return
	}
	fmt.Fprintln(w)
	labels, texts := []string{"delay"}, []string{fmt.Sprintf("%v now; by policy %s, reconfiguring costs %v, %s of an iteration at delay 0 (%v)",
		x.Delay.Now, x.Delay.Policy, x.Delay.Best-x.Delay.Free, percentOf(x.Delay.Best-x.Delay.Free, x.Delay.Free), x.Delay.Free)}
	for _, t := range x.Delay.Thresholds {
		labels, texts = append(labels, ""), append(texts, thresholdWords(&t))
	}
	if p := x.Port; p != nil {
		labels, texts = append(labels, "port"), append(texts, fmt.Sprintf("with %d ports of the same rate an iteration takes %v: %v less, %s",
			p.Ports, p.Iteration, p.Saved, percentOf(p.Saved, x.Delay.Best)))
	}
	labels, texts = append(labels, "bound"), append(texts, fmt.Sprintf("%v; no iteration in which ranks use only their own ports is faster", x.Bound))
	tabular.List(w, "  ", labels, texts)
}

// thresholdWords says up to which delay reconfiguring costs at most a given share.
func thresholdWords(t *iteration.Threshold) string {
	what := fmt.Sprintf("costs at most %g%%", 100*t.Overhead)
	if t.Overhead == 0 {
		what = "is free"
	}
	switch {
	case t.From == nil:
		return fmt.Sprintf("reconfiguring %s at every delay up to %v", what, t.UpTo)
	case t.UpTo == 0:
		return fmt.Sprintf("reconfiguring %s at no delay: at %v it costs more", what, *t.From)
	}
	return fmt.Sprintf("reconfiguring %s up to %v; at %v it costs more", what, t.UpTo, *t.From)
}

// percentOf writes a share in words.
func percentOf(part, whole units.Time) string {
	share := 100 * part.Share(whole)
	switch {
	case share > 0 && share < 0.01:
		return "less than 0.01%"
	case share < 10:
		return fmt.Sprintf("%.2f%%", share)
	}
	return fmt.Sprintf("%.1f%%", share)
}

// communicationRow is a distinct communication of a simulated iteration as a row of CSV.
type communicationRow struct {
	Kind        string      `json:"kind"`
	Op          string      `json:"op"`
	Size        units.Bytes `json:"size_bytes"`
	Ranks       int         `json:"ranks"`
	Times       int         `json:"times"`
	PredictedNs units.Time  `json:"predicted_ns"`
	SimulatedNs units.Time  `json:"simulated_ns"`
}

// SimulationCSV writes the circuits of a simulated plan, or the communications of an iteration, as
// rows.
func SimulationCSV(w io.Writer, s *simulating.Simulation) error {
	if s.Iteration == nil {
		return Rows(func(s *simulating.Simulation) []simulating.SimulatedLink { return s.Links })(w, s)
	}
	rows := make([]communicationRow, len(s.Iteration.Communications))
	for i, c := range s.Iteration.Communications {
		rows[i] = communicationRow{c.Kind, c.Op, c.Size, c.Ranks, c.Times, c.PredictedNs, c.SimulatedNs}
	}
	return block[communicationRow]{rows: rows}.write(w)
}

// budgetRow is a part of the budget of a class of ranks as a row of CSV: its exposed time and,
// for a class, its hidden time.
type budgetRow struct {
	Class   string     `json:"class"`
	Ranks   string     `json:"ranks"`
	Part    string     `json:"part"`
	Kind    string     `json:"kind"` // of the groups that communicate
	Exposed units.Time `json:"exposed_ns"`
	Hidden  units.Time `json:"hidden_ns"`
}

// ExplainCSV writes the reconfigurations of a plan, or the budget of an iteration, as rows.
func ExplainCSV(w io.Writer, e *explain.Explanation) error {
	if e.Iteration == nil {
		return Rows(func(e *explain.Explanation) []explain.Reconfiguration { return e.Changes })(w, e)
	}
	var rows []budgetRow
	enter := func(c *iteration.ClassBudget) {
		add := func(part, kind string, exposed, hidden units.Time) {
			rows = append(rows, budgetRow{c.Name, c.Ranks, part, kind, exposed, hidden})
		}
		kinds := maps.Clone(c.Communication)
		if kinds == nil {
			kinds = map[string]units.Time{}
		}
		maps.Copy(kinds, c.HiddenCommunication)
		add("compute", "", c.Compute, 0)
		for _, kind := range iteration.Kinds(kinds) {
			add("communication", kind, c.Communication[kind], c.HiddenCommunication[kind])
		}
		add("reconfiguration", "", c.Rewiring, c.HiddenRewiring)
		add("waits", "", c.Waits, 0)
	}
	enter(&iteration.ClassBudget{Name: "critical path", Budget: e.Iteration.Path})
	for i := range e.Iteration.Classes {
		enter(&e.Iteration.Classes[i])
	}
	return block[budgetRow]{rows: rows}.write(w)
}
