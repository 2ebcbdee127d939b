package claim

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// Verdict says how our value compares with a published one.
type Verdict string

// The verdicts.
const (
	Matched      Verdict = "matched"       // within the tolerance, or within the claimed bound
	Better       Verdict = "better"        // outside the tolerance, on the good side
	Differs      Verdict = "differs"       // outside the tolerance
	NotCheckable Verdict = "not-checkable" // not a matter of computation
)

// Tally counts verdicts.
type Tally struct {
	Matched      int `json:"matched"`
	Better       int `json:"better"`
	Differs      int `json:"differs"`
	NotCheckable int `json:"not_checkable"`
}

// Add counts a verdict.
func (t *Tally) Add(v Verdict) {
	switch v {
	case Matched:
		t.Matched++
	case Better:
		t.Better++
	case Differs:
		t.Differs++
	default:
		t.NotCheckable++
	}
}

// Sense is what a claim says about a value.
type Sense int

// The senses.
const (
	Equal   Sense = iota // the value itself
	Lower                // the value; less is better
	Higher               // the value; more is better
	AtMost               // an upper bound: matched by anything up to it
	AtLeast              // a lower bound: matched by anything from it on
)

// Entry is a claim: one published number.
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
	Recorded  Verdict // expected for the value as stated
	Why       string  // if not plainly matched: what is known about it
	// Rerun is a command or a test that shows the cause of a difference; IDs need no command,
	// because reproduce recomputes them.
	Rerun string
	// Parts computes the numbers behind the value that show why it differs. It is called only if
	// a claim is named by its ID.
	Parts func(ctx context.Context) ([]Part, error)
	Full  bool // takes long: computed only with full, or by its ID
	// Ours computes the value from what the paper states; nil if that is not enough.
	Ours func(ctx context.Context) (float64, error)
	// Convention computes the value under the convention of its paper, which is the same for all
	// its claims; nil if the convention changes nothing.
	Convention *Reading
	// Best is another reading that was chosen for this claim, after its number was seen.
	Best *Reading
}

// Part is a number behind the value of a claim.
type Part struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"`
}

// Reading is a way to compute a number that a paper does not state.
type Reading struct {
	Name     string // what it takes in place of what is stated
	Recorded Verdict
	Ours     func(ctx context.Context) (float64, error)
}

// Count returns the number of items for which something holds.
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

// Column is a claim's value by one of three readings. Ours is in the unit of the claim;
// Difference is Ours less the published value, relative to that where it is not zero.
type Column struct {
	Ours       *float64 `json:"ours"`
	Difference *float64 `json:"difference"`
	Verdict    Verdict  `json:"verdict"`
	Recorded   Verdict  `json:"recorded"`
	Reading    string   `json:"reading,omitempty"` // what it takes in place of what is stated
}

// Row is a claim beside what was computed. Its verdict is that of the value as stated or, if
// that differs or cannot be computed, under the convention of the paper. It is never that of a
// reading chosen only for this claim. Ours and Difference belong to the verdict.
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
	// Rerun is a command or a test that shows the cause of a difference.
	Rerun string `json:"rerun,omitempty"`
	// Parts are numbers behind the value that show why it differs, if the claim is named by its ID.
	Parts []Part `json:"parts,omitempty"`
	// Stated is the value by what the paper states.
	Stated Column `json:"stated"`
	// Convention takes the convention of the paper, which is the same for all its claims.
	Convention Column `json:"convention"`
	// Best is the nearest to the published value among both and a reading chosen only for this
	// claim; for a bound, one that is within it.
	Best Column `json:"best"`
}

// Listed returns the row of an entry without computing anything: its verdicts are the recorded
// ones.
func (e *Entry) Listed() Row {
	r := Row{ID: e.ID, Source: e.Source, Quantity: e.Quantity, Unit: e.Unit, Published: e.Published, Full: e.Full, Why: e.Why, Rerun: e.Rerun}
	if r.Rerun == "" && e.computed() {
		r.Rerun = "lightpath reproduce " + e.ID
	}
	r.Stated.Verdict = e.Recorded
	r.Convention, r.Best = r.Stated, r.Stated
	if e.Convention != nil {
		r.Convention = Column{Verdict: e.Convention.Recorded, Reading: e.Convention.Name}
	}
	if e.Best != nil {
		r.Best = Column{Verdict: e.Best.Recorded, Reading: e.Best.Name}
	}
	r.decide()
	r.Best = better(better(r.Stated, r.Convention), r.Best)
	for _, c := range []*Column{&r.Stated, &r.Convention, &r.Best} {
		c.Recorded = c.Verdict
	}
	r.Recorded = r.Verdict
	margin := ""
	if e.Tolerance > 0 {
		margin = fmt.Sprintf(" within %.3g", e.Tolerance)
	}
	switch e.Sense {
	case AtMost:
		r.Bound, r.Tolerance = "at most", "claimed as an upper bound"+margin
	case AtLeast:
		r.Bound, r.Tolerance = "at least", "claimed as a lower bound"+margin
	default:
		if e.computed() {
			r.Tolerance = fmt.Sprintf("%.3g", e.Tolerance)
		}
	}
	if e.Reason != "" && r.Tolerance != "" {
		r.Tolerance += ": " + e.Reason
	}
	return r
}

// computed reports whether there is anything to compute.
func (e *Entry) computed() bool { return e.Ours != nil || e.Convention != nil || e.Best != nil }

// rank orders verdicts, the best first.
func rank(v Verdict) int {
	for i, of := range []Verdict{Matched, Better, Differs} {
		if v == of {
			return i
		}
	}
	return 3
}

// better returns the column with the better verdict, the first of equals.
func better(a, b Column) Column {
	if rank(b.Verdict) < rank(a.Verdict) {
		return b
	}
	return a
}

// decide sets the verdict of the row.
func (r *Row) decide() {
	c := better(r.Stated, r.Convention)
	r.Ours, r.Difference, r.Verdict = c.Ours, c.Difference, c.Verdict
}

// nearest returns the column whose value is nearest to the published one, the first of equals.
func (r *Row) nearest(columns ...Column) Column {
	best := columns[0]
	for _, c := range columns[1:] {
		if r.Distance(c) < r.Distance(best) {
			best = c
		}
	}
	return best
}

// Distance is how far the value of a column is from the published one: 0 within a bound,
// infinite without a value.
func (r *Row) Distance(c Column) float64 {
	switch {
	case c.Ours == nil:
		return math.Inf(1)
	case r.Bound != "" && c.Verdict == Matched:
		return 0
	}
	return math.Abs(*c.Ours - r.Published)
}

// Run computes a claim.
func (e *Entry) Run(ctx context.Context) (Row, error) {
	r := e.Listed()
	recorded := [3]Verdict{r.Stated.Recorded, r.Convention.Recorded, r.Best.Recorded}
	var err error
	if r.Stated, err = e.column(ctx, "", e.Ours); err != nil {
		return r, err
	}
	r.Convention, r.Best = r.Stated, r.Stated
	if c := e.Convention; c != nil {
		if r.Convention, err = e.column(ctx, c.Name, c.Ours); err != nil {
			return r, err
		}
	}
	if c := e.Best; c != nil {
		if r.Best, err = e.column(ctx, c.Name, c.Ours); err != nil {
			return r, err
		}
	}
	r.decide()
	r.Best = r.nearest(r.Convention, r.Stated, r.Best)
	r.Stated.Recorded, r.Convention.Recorded, r.Best.Recorded = recorded[0], recorded[1], recorded[2]
	return r, ctx.Err()
}

// column computes one of the columns.
func (e *Entry) column(ctx context.Context, name string, value func(context.Context) (float64, error)) (Column, error) {
	c := Column{Verdict: NotCheckable, Reading: name}
	if value == nil {
		return c, nil
	}
	ours, err := value(ctx)
	if err != nil {
		return c, fmt.Errorf("%s: %w", e.ID, err)
	}
	if math.IsNaN(ours) || math.IsInf(ours, 0) {
		return c, fmt.Errorf("%s: computed %v, which is no value", e.ID, ours)
	}
	difference := ours - e.Published
	if e.Published != 0 {
		difference /= math.Abs(e.Published)
	}
	c.Ours, c.Difference, c.Verdict = &ours, &difference, e.judge(ours)
	return c, nil
}

// AsRecorded reports whether all columns have their recorded verdicts.
func (r *Row) AsRecorded() bool {
	return r.Stated.Verdict == r.Stated.Recorded && r.Convention.Verdict == r.Convention.Recorded && r.Best.Verdict == r.Best.Recorded
}

// With returns the row as if one of its columns decided, for texts about that column.
func (r *Row) With(c Column) *Row {
	one := *r
	one.Ours, one.Difference, one.Verdict = c.Ours, c.Difference, c.Verdict
	return &one
}

// Margin returns the tolerance without its reason, in the unit of the value; "" if there is
// none.
func (r *Row) Margin() string {
	text, _, _ := strings.Cut(r.Tolerance, ":")
	if r.Bound != "" {
		_, text, _ = strings.Cut(text, " within ")
	}
	if text == "0" {
		return ""
	}
	return text
}

// Beyond says on which side of a published bound our value is, because a difference would mean
// nothing; "" if there is no bound or no value.
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

// Paper is a paper with its claims and the figures drawn for it.
type Paper struct {
	Name  string // the first part of the IDs of its claims
	Title string
	// Convention is an assumption for all claims, if the paper does not state enough or its
	// statements do not give its numbers; "" if there is none.
	Convention string
	Entries    []Entry
	Panels     []Panel
}
