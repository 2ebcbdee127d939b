package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// maxStages is the number of stages that are listed one by one.
const maxStages = 24

// inPacketsOf says how long the packets of a plan take, if they were simulated.
func inPacketsOf(p *plan.Plan) string {
	if p.Simulated > 0 {
		text := fmt.Sprintf("%v packet by packet (%+.2f%%)", p.Simulated, 100*(float64(p.Simulated/p.Cost.Total())-1))
		if cost := p.BarriersCost; cost != nil {
			text += fmt.Sprintf(" without barriers, which cost %v", *cost)
		}
		return text + lateBecause(p.Late) + earlyBecause(p)
	}
	if p.Unsimulated != "" {
		return "not: " + p.Unsimulated
	}
	return ""
}

// author names an algorithm and, if it has another name, its planner.
func author(algorithm, by, planner string) string {
	if planner == "" || planner == algorithm {
		return algorithm
	}
	return algorithm + by + planner
}

// rivalInWords says which plan is faster packet by packet, and how to get it.
func rivalInWords(r *plan.Rival) string {
	return fmt.Sprintf("packet by packet, %s takes only %v (model: %v); see `choose_by` simulated", author(r.Algorithm, " with ", r.Planner), r.SimulatedNs, r.TotalNs)
}

// lateBecause says why packets are late, if they are.
func lateBecause(late []plan.Lateness) string {
	var parts []string
	for _, l := range late {
		parts = append(parts, fmt.Sprintf("%v because %s", l.Ns, l.Why))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// earlyFrom is the fraction of the time from which early packets are explained.
const earlyFrom = 0.1

// earlyBecause says why packets are early, if they are much earlier than the model. In the
// model, a step takes the longest route and then the busiest circuit's bytes. Packets of the
// longest route need not be the last on the busiest circuit, so at most the hops are hidden.
func earlyBecause(p *plan.Plan) string {
	early := p.Cost.Total() - p.Simulated
	if p.BarriersCost != nil || early < earlyFrom*p.Cost.Total() || early > p.Cost.Propagation {
		return ""
	}
	return fmt.Sprintf(": up to %v of propagation is hidden: the model adds the longest route to the busiest circuit, packets are on both at once", p.Cost.Propagation)
}

// strategyOf says how a planner found its steps. An exchange in one step sends every chunk
// straight to its target, whatever its strategy.
func strategyOf(p *plan.Plan) string {
	text := p.Strategy
	if p.Slots == 0 {
		return text
	}
	if p.CountSteps() == 1 && !strategy.Single(text) {
		text = fmt.Sprintf("direct, on the topology of %s with one stage", text)
	}
	return fmt.Sprintf("%s, %s of one chunk", text, units.Count(p.Slots, "slot"))
}

// PlanJSON writes the summary of a plan, without circuits and transfers.
func PlanJSON(w io.Writer, p *plan.Plan) error { return p.EncodeSummary(w) }

// Plan writes what a plan does, how long each part takes, and how good it is.
func Plan(w io.Writer, p *plan.Plan) {
	c, f := p.Collective, &p.Fabric
	tabular.Text(w, "", fmt.Sprintf("%s takes %v", what(&c), p.Cost.Total()))
	fmt.Fprintln(w)
	names := []string{"algorithm", "planner", "fabric", "verified"}
	texts := []string{
		fmt.Sprintf("%s, %s", c.Algorithm, units.Count(p.CountSteps(), "step")),
		fmt.Sprintf("%s, %s", cmp.Or(p.Planner, "not named"), units.Count(p.Reconfigurations, "reconfiguration")),
		described(p),
		"ports, routes, timing, data, reductions, result and cost",
	}
	if p.Strategy != "" {
		names, texts = append(names, "strategy"), append(texts, strategyOf(p))
	}
	if p.Synthesis != nil {
		names, texts = append(names, "topologies"), append(texts, synthesised(p.Synthesis))
	}
	switch {
	case p.Independent:
		names, texts = append(names, "planes"), append(texts, turnsOf(p))
	case p.Staggered():
		names, texts = append(names, "planes"), append(texts, planesOf(p))
	}
	if p.Among != "" {
		names, texts = append(names, "chosen from"), append(texts, p.Among)
	}
	if text := inPacketsOf(p); text != "" {
		names, texts = append(names, "simulated"), append(texts, text)
	}
	if r := p.Rival; r != nil {
		names, texts = append(names, "but"), append(texts, rivalInWords(r))
	}
	tabular.List(w, "  ", names, texts)
	fmt.Fprintln(w)
	stageTable(p).Write(w, maxStages, "stages; `json` lists all")
	fmt.Fprintln(w)
	total := p.Cost.Total()
	shares := tabular.New("  ", "", ">", ">")
	for _, part := range []struct {
		name string
		time units.Time
	}{
		{"start-up", p.Cost.Startup}, {"propagation", p.Cost.Propagation},
		{"transmission", p.Cost.Transmission}, {"reduction", p.Cost.Reduction}, {"reconfiguration", p.Cost.Reconfiguration},
	} {
		if part.name == "reduction" && f.Gamma == (fabric.Gamma{}) {
			continue
		}
		shares.Add(part.name, part.time.String(), fmt.Sprintf("%.1f%%", 100*float64(part.time/total)))
	}
	shares.Add("total", total.String(), "")
	shares.Write(w, 0, "")
	fmt.Fprintln(w)
	against := tabular.New("  ", "", ">", "")
	best := p.Baselines
	if best.Static > 0 || best.EveryStep > 0 { // otherwise there are no baselines
		packets := p.SimulatedBaselines
		against.Add("best static", orDash(best.Static), versus(best.Static, total, packets.Static, p.Simulated))
		if p.Reconfigurations == 0 && float64(best.Static/total) > 1.0005 {
			against.Add("", "", "it does not reconfigure either: its circuits are not")
			against.Add("", "", "those of the base, or its steps are its own")
		}
		if p.StaticAmong != "" {
			for _, line := range tabular.Wrap("of "+p.StaticAmong, tabular.TerminalWidth-30) {
				against.Add("", "", line)
			}
		}
		against.Add("best every-step", orDash(best.EveryStep), versus(best.EveryStep, total, packets.EveryStep, p.Simulated))
	}
	same := p.SameAlgorithm
	if (same.Static > 0 || same.EveryStep > 0) && (same.Static != best.Static || same.EveryStep != best.EveryStep) {
		against.Add("same algorithm", "", fmt.Sprintf("static %s, every-step %s", orDash(same.Static), orDash(same.EveryStep)))
	}
	if p.Baselines.Direct > 0 {
		against.Add("static direct", p.Baselines.Direct.String(), versus(p.Baselines.Direct, total, 0, 0))
	}
	parts := bound.OfOperation(f, p.Collective.Section())
	any := parts.Total()
	if p.Bound > any {
		against.Add("these steps", p.Bound.String(), bounded(p))
	}
	against.Add("lower bound", any.String(), above(total, any))
	against.Write(w, 0, "")
	indent := strings.Repeat(" ", against.Start(2))
	tabular.Text(w, indent, boundParts(&parts))
}

// boundParts writes the parts of a bound for any algorithm.
func boundParts(b *bound.Breakdown) string {
	var texts []string
	add := func(t units.Time, what string) {
		if t > 0 {
			texts = append(texts, fmt.Sprintf("%v %s", t, what))
		}
	}
	add(b.Initial, "for the first circuits")
	add(b.Startup, "for "+units.Count(b.Steps, "start-up"))
	add(b.Propagation, "for "+units.Count(b.Hops, "hop"))
	add(b.Reconfiguration, "for reconfiguring")
	add(b.Transmission, "for the bytes")
	add(b.Extra, "because no plan minimises all of these at once")
	return strings.Join(texts, " + ")
}

// turnsOf describes planes that do not wait for one another.
func turnsOf(p *plan.Plan) string {
	turns, ends := make([]int, p.Fabric.Ports), make([]units.Time, p.Fabric.Ports)
	for stage, step := range p.Steps() {
		k := stage.Turn()
		turns[k]++
		ends[k] = step.Start + step.Cost.Total()
	}
	texts := make([]string, len(turns))
	for k := range turns {
		texts[k] = fmt.Sprintf("%d has %s", k+1, units.Count(turns[k], "turn"))
		if turns[k] > 0 {
			texts[k] += fmt.Sprintf(" and ends at %v", ends[k])
		}
	}
	return "independent of one another: " + strings.Join(texts, ", ")
}

// planesOf says which planes skip which steps.
func planesOf(p *plan.Plan) string {
	var skips [][]int // by plane
	for k := range p.Fabric.Ports {
		var steps []int
		for i := range p.Stages {
			if p.Stages[i].Lanes[k].Circuits == nil {
				steps = append(steps, p.Stages[i].Steps[0].Index)
			}
		}
		skips = append(skips, steps)
	}
	var texts []string
	said := make([]bool, len(skips))
	for k, steps := range skips {
		if said[k] {
			continue
		}
		var same []int
		for other := k; other < len(skips); other++ {
			if slices.Equal(skips[other], steps) {
				same = append(same, other+1)
				said[other] = true
			}
		}
		text := ranges(same) + " serve all steps"
		if len(same) == 1 {
			text = ranges(same) + " serves all steps"
		}
		if steps != nil {
			text = strings.Replace(text, "all steps", "all but "+ranges(steps), 1)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ") + " (explain shows what that saves)"
}

// synthesised says how topologies were found.
func synthesised(s *plan.Synthesis) string {
	text := fmt.Sprintf("%s synthesis, %d evaluated beyond the pool", s.Mode, s.Evaluations)
	if s.Spent {
		text += " until the budget was spent"
	}
	switch {
	case s.Proven:
		return text + "; no other topologies make these steps faster"
	case s.Bound > 0:
		return text + fmt.Sprintf("; with no topologies can they take less than %v", s.Bound)
	}
	return text
}

// what names the operations of a collective with their sizes and the GPUs that take part.
func what(c *plan.Collective) string {
	sections := c.Space.Sections
	if sections == nil {
		return fmt.Sprintf("%s of %v on %s", c.Op, c.Size, members(&c.Space))
	}
	some := slices.ContainsFunc(sections, func(s collective.Section) bool { return s.Space.Members != nil })
	texts := make([]string, len(sections))
	for i, s := range sections {
		texts[i] = fmt.Sprintf("%s of %v", s.Op, s.Size)
		if some || i == len(sections)-1 { // otherwise all of them have the same GPUs
			texts[i] += " on " + members(&s.Space)
		}
	}
	return strings.Join(texts, ", then ")
}

// members says how many GPUs take part.
func members(s *collective.Space) string {
	if s.Members != nil {
		return fmt.Sprintf("%d of %d GPUs", len(s.Members), s.Nodes)
	}
	return units.Count(s.Nodes, "GPU")
}

// described is describe for the fabric of a plan.
func described(p *plan.Plan) string {
	if p.Approximate {
		return describeRouted(&p.Fabric, "approximated")
	}
	return describe(&p.Fabric)
}

func describe(f *fabric.Fabric) string { return describeRouted(f, string(f.Routing)) }

// describeRouted is describe with a word for the routes.
func describeRouted(f *fabric.Fabric, routes string) string {
	said := f.Phrases("alpha", "delta", "reconfig")
	said[0] = fmt.Sprintf("%s at %v, %s", units.Count(f.Ports, "port"), f.Bandwidth, said[0])
	said = append(said, routes+" routes per step")
	said = append(said, f.Phrases("gamma", "island", "fixed", "links", "duplex", "switches")...)
	for _, failed := range f.Phrases("avoid") {
		said = append(said, shorten(failed, 60))
	}
	for _, r := range f.InPlace() {
		said = append(said, r.String())
	}
	said = append(said, f.Phrases("forwarding", "initial", "charge", "sync", "overlap", "theta")...)
	return strings.Join(said, ", ")
}

func addStage(t *tabular.Table, i int, p *plan.Plan, name string) {
	s, f := &p.Stages[i], &p.Fabric
	first, last := &s.Steps[0], &s.Steps[len(s.Steps)-1]
	hops, congestion := span{}, span{}
	var sending units.Time
	for j := range s.Steps {
		cost := &s.Steps[j].Cost
		hops.add(float64(cost.Hops))
		congestion.add(cost.Congestion)
		sending += cost.Total()
	}
	rewire := s.Wait().String()
	if s.Wait() == 0 {
		switch {
		case i > 0 && !p.Independent:
			rewire = "0ns"
		case f.Initial == fabric.InitialFree:
			rewire = "free"
		default:
			rewire = "-"
		}
	}
	numbers := strconv.Itoa(first.Index)
	if last.Index > first.Index {
		numbers += "-" + strconv.Itoa(last.Index)
	}
	if p.Independent {
		numbers = strconv.Itoa(s.Turn() + 1)
	}
	t.Add(strconv.Itoa(i+1), name, numbers, hops.String(), congestion.String(), rewire, sending.String())
}

// circuits names the topologies of a plan, each with a short hint where its circuits lead if
// there is one; hints are aligned.
func circuits(p *plan.Plan) []string {
	names, hints := make([]string, len(p.Stages)), make([]string, len(p.Stages))
	width := 0
	for i := range p.Stages {
		g := p.Stages[i].Topology
		names[i], hints[i] = shorten(g.Name(), 24), hint(g)
		if hints[i] != "" {
			width = max(width, len(names[i]))
		}
	}
	const room = 30 // left by the other columns
	for i, h := range hints {
		if h != "" && width+2+len(h) <= room {
			names[i] += strings.Repeat(" ", width-len(names[i])+2) + h
		}
	}
	return names
}

// hint says where circuits lead: from every GPU u or, for a matching, by example.
func hint(g *topology.Graph) string {
	if jumps, ok := g.Jumps(); ok && len(jumps) == 1 {
		return fmt.Sprintf("u -> u+%d", jumps[0])
	}
	if g.Degree() != 1 || !g.Bidirectional() {
		return ""
	}
	text, shown := "", 0
	for e := range g.Edges() {
		if e.From > e.To {
			continue
		}
		if shown == 2 {
			return text + " .."
		}
		if shown > 0 {
			text += " "
		}
		text += fmt.Sprintf("%d-%d", e.From, e.To)
		shown++
	}
	return text
}

func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return s[:most-2] + ".."
}

// span is the range of some numbers.
type span struct {
	least, most float64
	any         bool
}

func (s *span) add(v float64) {
	if !s.any || v < s.least {
		s.least = v
	}
	if !s.any || v > s.most {
		s.most = v
	}
	s.any = true
}

func (s span) String() string {
	low, high := figure(s.least), figure(s.most)
	if low == high {
		return low
	}
	return low + "-" + high
}

// figure writes a number with four digits, or with all of them if it has more.
func figure(v float64) string {
	if v >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// orDash writes a time, or a dash for none.
func orDash(t units.Time) string {
	if t == 0 {
		return "-"
	}
	return t.String()
}

// same is what versus says if two plans take the same time.
const same = "as fast as this plan"

// versus compares a plan with another, in the cost model and, if both have been simulated, also
// in packets.
func versus(other, total, otherPackets, packets units.Time) string {
	if other == 0 {
		return "no such plan is known"
	}
	text, inPackets := same, " (%s times as fast simulated)"
	ratio, simulated := float64(other/total), float64(otherPackets/packets)
	switch {
	case ratio > 1.0005:
		text, inPackets = fmt.Sprintf("this plan is %s times as fast", factor(ratio)), " (simulated %s)"
	case ratio < 0.9995:
		text, inPackets = fmt.Sprintf("this plan takes %s times as long", factor(1/ratio)), " (simulated %s)"
		simulated = 1 / simulated
	}
	switch {
	case otherPackets == 0 || packets == 0:
		return text
	case text == same && factor(simulated) == factor(1):
		return text + ", simulated too"
	}
	return text + fmt.Sprintf(inPackets, factor(simulated))
}

func bounded(p *plan.Plan) string { return "at least, on any circuits; " + over(p.Gap()) }

// above says how far a plan is above the bound of its operation.
func above(total, bound units.Time) string {
	return "for any plan in this model; " + over(float64(total/bound)-1)
}

// over says how much longer than a bound a plan takes.
func over(gap float64) string {
	switch {
	case gap < 1e-9:
		return "reached"
	case gap < 0.0005:
		return "less than 0.05% above"
	}
	return fmt.Sprintf("this one is %.1f%% above", 100*gap)
}
