package figure

import (
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/command/workloads"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// These limit what is drawn of a pipeline.
const (
	mostStages = 16
	mostPasses = 1500
)

// Workload draws what ranks send, and what classes of ranks compute when, as if communication
// took no time.
func Workload(i *workloads.Summary) (*chart.Scene, error) {
	d := i.Workload
	source := "From the workload's own sizes and times. Not a measurement."
	b := &chart.Bars{
		Caption: chart.Caption{Title: fmt.Sprintf("What a rank of %s sends in an iteration", d.Name), Subtitle: fmt.Sprintf("%d ranks, the one that sends most", d.Ranks), Source: source},
		Label:   "bytes", Unit: chart.Bytes, Parts: []string{"bytes"},
	}
	for _, t := range i.Totals {
		b.Names = append(b.Names, strings.TrimSpace(fmt.Sprintf("%s %s x %d", t.Kind, t.Op, t.Most)))
		b.Values = append(b.Values, []float64{float64(t.MostBytes)})
	}
	g := passes(i)
	g.Source = source
	when, err := g.Scene()
	if err != nil || len(b.Names) == 0 {
		return when, err
	}
	sent, err := b.Scene()
	if err != nil {
		return nil, err
	}
	return chart.Panels("", 1, sent, when), nil
}

// passes draws when classes compute: everything in one call of a block is one span.
func passes(i *workloads.Summary) *chart.Gantt {
	g := &chart.Gantt{
		Caption: chart.Caption{Title: fmt.Sprintf("What classes of ranks compute when: %v", i.Compute), Subtitle: "as if communication took no time"},
		Label:   "time", Kinds: []string{"forward", "backward"},
	}
	ends, _ := i.Graph.Ends(workload.Free)
	for c := range i.Graph.Classes {
		class := &i.Graph.Classes[c]
		if c == mostStages {
			g.Subtitle += fmt.Sprintf("; the first %d of %d classes", mostStages, len(i.Graph.Classes))
			break
		}
		g.Rows = append(g.Rows, "ranks "+short(class.Ranks.String()))
		open := "" // the call of the last span
		for k := range class.Tasks {
			t := &class.Tasks[k]
			if t.Type != workload.Computation {
				continue
			}
			call, _, _ := strings.Cut(t.ID, "/")
			from, to := float64(ends[c][k]-t.Op.Compute.Time()), float64(ends[c][k])
			if last := len(g.Spans) - 1; call == open && last >= 0 && g.Spans[last].Row == c {
				g.Spans[last].To = to
				g.Spans[last].Tip = tip(call, g.Spans[last].From, to)
				continue
			}
			if len(g.Spans) == mostPasses {
				g.Subtitle += fmt.Sprintf("; the first %d passes", mostPasses)
				return g
			}
			if open = call; passKind(call) == len(g.Kinds) {
				g.Kinds = append(g.Kinds, "other")
			}
			g.Spans = append(g.Spans, chart.Span{Row: c, From: from, To: to, Kind: passKind(call), Text: call, Tip: tip(call, from, to)})
		}
	}
	return g
}

func tip(call string, from, to float64) string {
	return fmt.Sprintf("%s: %v", call, units.Time(to-from))
}

// passKind returns the colour of a pass, by the first letter of its name.
func passKind(call string) int {
	switch call[0] {
	case 'f':
		return 0
	case 'b', 'w', 'i':
		return 1
	}
	return 2
}

// short shortens a name to fit a row.
func short(name string) string {
	if len(name) > 16 {
		return name[:14] + ".."
	}
	return name
}
