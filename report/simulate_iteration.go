package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/lightpath-net/lightpath/command/simulating"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

// maxCommunications is how many communications of an iteration are listed one by one.
const maxCommunications = 12

// simulatedIteration writes the result of an iteration, and how long its communications took.
func simulatedIteration(w io.Writer, s *simulating.Simulation) {
	i := s.Iteration
	name := ""
	if i.Name != "" {
		name = " of " + i.Name
	}
	fmt.Fprintf(w, "an iteration%s on %d GPUs takes %v (%s level, %d packet-hops)\n\n", name, i.Ranks, s.CompletionNs, s.Level, s.PacketHops)
	difference(w, s)
	if least, most := i.Spread(); wholePs(most-least) != 0 {
		fmt.Fprintf(w, "  %s, of %v to %v\n\n", units.Count(len(i.IterationsNs), "iteration"), least, most)
	}
	for k := range i.Stalls {
		stall(w, &i.Stalls[k])
	}
	communications(w, i.Communications)
}

// stall says what a failure holds up.
func stall(w io.Writer, s *simulating.SimulatedStall) {
	fmt.Fprintf(w, "  %s\n", s.Failure)
	if s.First == "" {
		fmt.Fprintf(w, "    nothing in the iteration needs it from then on\n\n")
		return
	}
	fmt.Fprintf(w, "    %s of GPU %d does not end, and %d of %s of all GPUs do not;\n", s.First, s.Rank, s.Unfinished, units.Count(s.Of, "operation"))
	fmt.Fprintf(w, "    the others end after %v\n", s.LastNs)
	if m := s.Replanned; m != nil {
		fmt.Fprintf(w, "    planned again with %s of every GPU, %s restarted: this iteration takes %v,\n", units.Count(m.Ports, "port"), units.Count(m.Restarted, "operation"), m.FailingNs)
		if n := len(m.AfterNs); n > 0 {
			fmt.Fprintf(w, "    the next one %v, and those after it %v (the plan says %v)\n", m.AfterNs[0], m.AfterNs[n-1], m.PredictedNs)
		}
	}
	fmt.Fprintln(w)
}

// communications lists the distinct communications, those that cost the most time first.
func communications(w io.Writer, all []simulating.SimulatedCommunication) {
	list := slices.Clone(all)
	spent := func(c *simulating.SimulatedCommunication) units.Time { return units.Time(c.Times) * c.SimulatedNs }
	slices.SortStableFunc(list, func(a, b simulating.SimulatedCommunication) int { return cmp.Compare(spent(&b), spent(&a)) })
	t := tabular.New("  ", "", "", ">", ">", ">", ">", ">", ">", "")
	t.Add("kind", "op", "size", "GPUs", "times", "model", "simulated", "differs by", "mostly by")
	for i := range list {
		c := &list[i]
		if i == maxCommunications {
			t.Add("..", fmt.Sprintf("%d in all", len(list)))
			break
		}
		why := ""
		if len(c.Explanation) > 0 {
			most := slices.MaxFunc(c.Explanation, func(a, b simulating.SimulatedCause) int { return cmp.Compare(max(a.Ns, -a.Ns), max(b.Ns, -b.Ns)) })
			if wholePs(most.Ns) != 0 {
				why = string(most.Cause)
			}
		}
		t.Add(c.Kind, c.Op, c.Size.String(), strconv.Itoa(c.Ranks), strconv.Itoa(c.Times), c.PredictedNs.String(), c.SimulatedNs.String(),
			fmt.Sprintf("%+.3f%%", 100*(c.SimulatedNs.Over(c.PredictedNs)-1)), why)
	}
	t.Write(w, 0, "")
}
