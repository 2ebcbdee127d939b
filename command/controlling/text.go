package controlling

import (
	"fmt"
	"io"
	"strings"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

// WriteText writes the result of applying a timetable.
func (a *Applied) WriteText(w io.Writer) {
	if a.Resumed {
		fmt.Fprintln(w, "the last run was interrupted in the middle of a change")
	}
	for _, s := range a.Surprises {
		fmt.Fprintln(w, "surprise:", s)
	}
	rows := tabular.New("  ", ">stage", "topology", "switch", ">disconnect", ">connect", "outcome")
	for _, s := range a.Stages {
		number, outcome := fmt.Sprint(s.Stage), string(s.Outcome)
		if a.DryRun {
			outcome = "dry run"
		}
		if s.Stage == 0 {
			number = "-"
		}
		for _, one := range s.Switches {
			said := outcome
			if one.Error != "" {
				said = shorten(one.Error, 60)
			}
			rows.Add(number, shorten(s.Topology, 30), one.Switch, fmt.Sprint(len(one.Disconnect)), fmt.Sprint(len(one.Connect)), said)
		}
	}
	rows.Write(w, 0, "")
}

// WriteText writes the circuits that are up beside those that should be.
func (a *Watched) WriteText(w io.Writer) {
	if a.Interrupted {
		fmt.Fprintln(w, "a change began and has not ended")
	}
	fmt.Fprintf(w, "stage %d of %d, %s:\n\n", a.Stage, a.Of, shorten(a.Topology, 50))
	rows := tabular.New("  ", "switch", ">up", ">missing", ">extra", "")
	for _, s := range a.Switches {
		if s.Error != "" {
			rows.Add(s.Switch, "?", "?", "?", shorten("cannot be read: "+s.Error, 76))
			continue
		}
		said := "as planned"
		switch {
		case len(s.Missing) > 0:
			said = "missing " + control.List(s.Missing)
		case len(s.Extra) > 0:
			said = "extra " + control.List(s.Extra)
		}
		rows.Add(s.Switch, fmt.Sprint(len(s.Up)), fmt.Sprint(len(s.Missing)), fmt.Sprint(len(s.Extra)), said)
	}
	rows.Write(w, 0, "")
}

// shorten puts a text on one line and cuts it if it is too long for a table.
func shorten(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-2]) + ".."
	}
	return text
}

// WriteText writes the state of a run.
func (s *Status) WriteText(w io.Writer) {
	if s.Steps == 0 {
		fmt.Fprintln(w, "no step yet; the circuits of the plan for even demand are up")
		return
	}
	fmt.Fprintf(w, "%s on %d GPUs: %v, with another plan %s\n", units.Count(s.Steps, "step"), s.Ranks, s.Total, units.Count(s.Rewired, "time"))
	fmt.Fprintf(w, "  with the plan for even demand all along (static): %v\n", s.Static)
	for _, note := range []struct{ what, why string }{{"the last change failed", s.Reason}, {"not written down", s.Unsaved}} {
		if note.why != "" {
			fmt.Fprintf(w, "  %s: %s\n", note.what, note.why)
		}
	}
}

// String says in one line what was decided and done.
func (s *RanStep) String() string {
	plan := fmt.Sprintf("plan %d", s.Plan)
	switch {
	case s.Plan == 0:
		plan = "the plan for even demand"
	case s.Own:
		plan += ", made for it"
	}
	text := fmt.Sprintf("step %d: %s, %v (static %v), %d disconnects, %d connects", s.Step, plan, s.Time, s.Static, s.Disconnects, s.Connects)
	if s.Stages > 0 {
		text += ", " + units.Count(s.Stages, "stage")
	}
	if s.Refused != "" {
		text += "; another plan was refused: " + s.Refused
	}
	return text
}
