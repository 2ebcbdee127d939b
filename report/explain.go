package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"github.com/lightpath-net/lightpath/explain"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

// maxChanges is the number of changes that are listed one by one.
const maxChanges = 24

// Explain writes why a plan reconfigures when it does.
func Explain(w io.Writer, e *explain.Explanation) {
	if e.Iteration != nil {
		explainIteration(w, e.Iteration, e.Reconfigurations)
		return
	}
	fmt.Fprintf(w, "%s of %v by %s: %v with %s\n\n", e.Op, units.Bytes(e.SizeBytes), author(e.Algorithm, ", planner ", e.Planner),
		e.TotalNs, units.Count(e.Reconfigurations, "reconfiguration"))
	if len(e.Skips) > 0 {
		skips(w, e.Skips)
		return
	}
	if len(e.Planes) > 0 {
		explainPlanes(w, e)
		return
	}
	if len(e.Changes) == 0 {
		fmt.Fprintln(w, "  no reconfigurations: none would be worth its delay")
	} else {
		t := tabular.New("  ", ">stage", "from", "to", ">steps", ">saves", ">costs", ">break-even")
		shared := false
		for _, c := range e.Changes {
			steps := strconv.Itoa(c.Steps[0])
			if c.Steps[1] > c.Steps[0] {
				steps += "-" + strconv.Itoa(c.Steps[1])
			}
			saves, costs, even := "needed", "", ""
			if !c.Needed {
				saves, costs, even = c.SavedNs.String(), c.PaidNs.String(), c.BreakEvenNs.String()
				if c.Together > 1 {
					costs, shared = costs+"*", true
				}
			}
			t.Add(strconv.Itoa(c.Stage), shorten(c.From, 14), shorten(c.To, 14), steps, saves, costs, even)
		}
		t.Write(w, maxChanges, "changes; `json` lists all")
		fmt.Fprintln(w, "\n  saves: time, compared with the best plan without this reconfiguration")
		fmt.Fprintln(w, "  break-even: the delay above which this reconfiguration no longer pays")
		if shared {
			fmt.Fprintln(w, "  * without it, others are not needed either; saves and costs count them all")
		}
	}
	fmt.Fprintln(w)
	if len(e.Choices) > 0 {
		explainChoices(w, e)
	}
	var names, texts []string
	if r := e.Reconfig; r != nil {
		names, texts = append(names, "delay"), append(texts, "this is the best plan of planner "+e.Planner+" for reconfiguration delays "+fromTo(r.FromNs.String(), endTime(r.ToNs)))
	}
	if r := e.Size; r != nil {
		names, texts = append(names, "size"), append(texts, "it is the best for sizes "+fromTo(units.FormatBytes(r.FromBytes), endBytes(r.ToBytes)))
	}
	names, texts = append(names, "bound"), append(texts, fmt.Sprintf("no plan of any algorithm takes less than %v: %s", e.OperationBoundNs, boundParts(&e.OperationBound)))
	tabular.List(w, "  ", names, texts)
}

// explainPlanes describes planes that do not wait for one another.
func explainPlanes(w io.Writer, e *explain.Explanation) {
	t := tabular.New("  ", ">plane", ">turns", ">start-up", ">sends", ">dark", ">ends")
	for _, p := range e.Planes {
		t.Add(strconv.Itoa(p.Plane), strconv.Itoa(p.Turns), p.StartupNs.String(), p.SendsNs.String(), p.DarkNs.String(), p.EndsNs.String())
	}
	t.Write(w, 0, "")
	fmt.Fprintln(w, "\n  planes are independent of one another: while one is dark, the others send")
	fmt.Fprintln(w, "  start-up: all turns, including propagation")
	fmt.Fprintln(w)
	if len(e.Choices) > 0 {
		explainChoices(w, e)
	}
	tabular.List(w, "  ", []string{"bound"}, []string{fmt.Sprintf("no plan of any algorithm takes less than %v: %s", e.OperationBoundNs, boundParts(&e.OperationBound))})
}

// explainChoices writes what the planner would do without each of its choices.
func explainChoices(w io.Writer, e *explain.Explanation) {
	fmt.Fprintln(w, "  the planner's best plan without")
	names, texts := make([]string, len(e.Choices)), make([]string, len(e.Choices))
	for i, c := range e.Choices {
		names[i], texts[i] = c.What, "there is none"
		if !c.Needed {
			texts[i] = fmt.Sprintf("%v (%+.1f%%), %s; %s", c.TotalNs, 100*float64(c.SavedNs/e.TotalNs),
				units.Count(c.Reconfigurations, "reconfiguration"), c.Instead)
		}
	}
	tabular.List(w, "    ", names, texts)
	fmt.Fprintln(w)
}

// fromTo writes a range, without an end if to is empty.
func fromTo(from, to string) string {
	if to == "" {
		return "of " + from + " or more"
	}
	return "from " + from + " to " + to
}

func endTime(t *units.Time) string {
	if t == nil {
		return ""
	}
	return t.String()
}

func endBytes(b *float64) string {
	if b == nil {
		return ""
	}
	return units.FormatBytes(*b)
}

// skips writes which planes skip which steps.
func skips(w io.Writer, all []explain.Skip) {
	t := tabular.New("  ", "planes", ">skip steps", "from", "to", ">saves")
	for _, s := range all {
		steps := strconv.Itoa(s.Steps[0])
		if s.Steps[1] > s.Steps[0] {
			steps += "-" + strconv.Itoa(s.Steps[1])
		}
		t.Add(ranges(s.Planes), steps, cmp.Or(shorten(s.From, 14), "-"), cmp.Or(shorten(s.To, 14), "-"), s.SavedNs.String())
	}
	t.Write(w, maxChanges, "skips; `json` lists all")
	fmt.Fprintln(w, "\n  planes that skip steps are dark while the others send")
	fmt.Fprintln(w, "  saves: how much longer it would take if these planes served these steps too,")
	fmt.Fprintln(w, "  each over its own circuits, with the best shares")
}

// ranges writes ascending numbers as 1-3,5.
func ranges(numbers []int) string {
	text := ""
	for i := 0; i < len(numbers); i++ {
		first := numbers[i]
		for i+1 < len(numbers) && numbers[i+1] == numbers[i]+1 {
			i++
		}
		if text != "" {
			text += ","
		}
		if text += strconv.Itoa(first); numbers[i] > first {
			text += "-" + strconv.Itoa(numbers[i])
		}
	}
	return text
}
