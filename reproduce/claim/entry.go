package claim

import (
	"context"
	"fmt"
	"math"
)

// Verdict is how a value of ours compares with a published one.
type Verdict string

// The verdicts.
const (
	Matched      Verdict = "matched"       // within the tolerance, or within the bound that is claimed
	Better       Verdict = "better"        // outside the tolerance, on the good side
	Differs      Verdict = "differs"       // outside the tolerance
	NotCheckable Verdict = "not-checkable" // not a matter of computation
)

// Sense is what is claimed of a value.
type Sense int

// The senses.
const (
	Equal   Sense = iota // the value itself
	Lower                // the value, of which less is better
	Higher               // the value, of which more is better
	AtMost               // a bound from above: matched by anything up to it
	AtLeast              // a bound from below: matched by anything from it on
)

// Entry is a claim.
type Entry struct {
	ID        string
	Source    string // paper and where in it
	Quantity  string // with its setting
	Unit      string // "" for a plain number
	Published float64
	Sense     Sense
	// Tolerance is absolute, in the unit of the value, and Reason says where it comes from.
	Tolerance float64
	Reason    string
	Recorded  Verdict // that is expected
	Why       string  // of what is not plainly matched: what is known about it
	Full      bool    // takes long: only with all claims that do, or by its ID
	// Ours computes the value; nil if the claim is not checkable.
	Ours func(ctx context.Context) (float64, error)
}

// Count is how many items something holds for.
func Count[T any](ctx context.Context, items []T, holds func(T) (bool, error)) (float64, error) {
	count := 0.0
	for _, item := range items {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		ok, err := holds(item)
		if err != nil {
			return 0, err
		}
		if ok {
			count++
		}
	}
	return count, nil
}

// Row is a claim beside what was computed. Published and Ours are in Unit; Difference is
// Ours less Published, relative to Published where that is not zero.
type Row struct {
	ID         string   `json:"id"`
	Source     string   `json:"source"`
	Quantity   string   `json:"quantity"`
	Unit       string   `json:"unit,omitempty"`
	Published  float64  `json:"published"`
	Bound      string   `json:"bound,omitempty"` // "at least" or "at most", if Published is a bound
	Ours       *float64 `json:"ours"`
	Difference *float64 `json:"difference"`
	Tolerance  string   `json:"tolerance,omitempty"`
	Verdict    Verdict  `json:"verdict"`
	Recorded   Verdict  `json:"recorded"`
	Full       bool     `json:"full,omitempty"`
	Why        string   `json:"why,omitempty"`
}

// Listed is the row of an entry without computing anything: its verdict is the recorded one.
func (e *Entry) Listed() Row {
	r := Row{ID: e.ID, Source: e.Source, Quantity: e.Quantity, Unit: e.Unit, Published: e.Published,
		Verdict: e.Recorded, Recorded: e.Recorded, Full: e.Full, Why: e.Why}
	switch e.Sense {
	case AtMost:
		r.Bound, r.Tolerance = "at most", "claimed as an upper bound"
	case AtLeast:
		r.Bound, r.Tolerance = "at least", "claimed as a lower bound"
	default:
		if e.Ours != nil {
			r.Tolerance = fmt.Sprintf("%.3g", e.Tolerance)
		}
	}
	if e.Reason != "" && r.Tolerance != "" {
		r.Tolerance += ": " + e.Reason
	}
	return r
}

// Run computes a claim.
func (e *Entry) Run(ctx context.Context) (Row, error) {
	r := e.Listed()
	if e.Ours == nil {
		r.Verdict = NotCheckable
		return r, ctx.Err()
	}
	ours, err := e.Ours(ctx)
	if err != nil {
		return r, fmt.Errorf("%s: %w", e.ID, err)
	}
	if math.IsNaN(ours) || math.IsInf(ours, 0) {
		return r, fmt.Errorf("%s: computed %v, which is no value", e.ID, ours)
	}
	difference := ours - e.Published
	if e.Published != 0 {
		difference /= math.Abs(e.Published)
	}
	r.Ours, r.Difference, r.Verdict = &ours, &difference, e.judge(ours)
	return r, nil
}

// Beyond says where our value is of a published bound, of which a difference would say
// nothing: "" if there is no bound, or no value.
func (r *Row) Beyond() string {
	switch {
	case r.Bound == "" || r.Ours == nil:
		return ""
	case r.Verdict == Matched:
		return "within"
	case *r.Ours < r.Published:
		return "below"
	default:
		return "above"
	}
}

// judge compares a value with the published one.
func (e *Entry) judge(ours float64) Verdict {
	above := ours - e.Published
	switch {
	case math.Abs(above) <= e.Tolerance,
		e.Sense == AtMost && above < 0,
		e.Sense == AtLeast && above > 0:
		return Matched
	case e.Sense == Lower && above < 0, e.Sense == Higher && above > 0:
		return Better
	}
	return Differs
}

// Paper is a paper with its claims and the figures that are drawn.
type Paper struct {
	Name    string // the first part of the IDs of its claims
	Title   string
	Entries []Entry
	Panels  []Panel
}
