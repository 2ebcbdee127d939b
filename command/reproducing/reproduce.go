// Package reproducing implements the command reproduce: published numbers and figures beside ours.
package reproducing

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/comparing"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/reproduce"
	"github.com/lightpath-net/lightpath/units"
)

// ReproduceRequest asks how published numbers compare with ours.
type ReproduceRequest struct {
	// ID names a claim, all claims below a prefix such as harvest/table1, or reproduce.All (also
	// "").
	ID string `json:"id,omitempty"`
	// List only lists the claims, with the recorded verdicts.
	List bool `json:"list,omitempty"`
	// Full also computes claims that take long. A claim named by its full ID is always computed.
	Full bool `json:"full,omitempty" help:"also compute claims that take minutes"`
	// Figures also draws the papers' figures that ID names, on the papers' own axes, from our
	// numbers.
	Figures bool `json:"figures,omitempty" flag:"html"`
}

// UnmarshalJSON reads the JSON form.
func (r *ReproduceRequest) UnmarshalJSON(data []byte) error {
	type plain ReproduceRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first invalid field.
func (r *ReproduceRequest) Complete() error {
	r.ID = cmp.Or(r.ID, reproduce.All)
	if _, err := reproduce.Find(r.ID); err != nil && len(reproduce.FindPanels(r.ID)) == 0 {
		return field.In("id", err)
	}
	switch {
	case r.List && r.Full:
		return field.Errorf("full", "not with list: nothing is computed")
	case r.List && r.Figures:
		return field.Errorf("figures", "not with list: nothing is drawn, and figures are listed in any case")
	}
	return nil
}

// ReproduceSchema names the JSON form of a reproduction and its version.
const ReproduceSchema = "lightpath.reproduce/v1"

// Reproduction is published claims beside our computed values.
type Reproduction struct {
	Schema string          `json:"schema"`
	Rows   []reproduce.Row `json:"rows"`
	// Counts are the verdicts of the rows, column by column.
	Counts Counts `json:"counts"`
	// Conventions are the conventions of the rows' papers.
	Conventions []Convention `json:"conventions,omitempty"`
	// Listed says that nothing was computed and the verdicts are the recorded ones.
	Listed bool `json:"listed,omitempty"`
	// Left counts the requested claims that were skipped because they take long.
	Left int `json:"left,omitempty"`
	// Figures are the requested pictures, each a self-contained SVG file; if Listed, the names
	// of all figures without pictures. FiguresLeft counts those that take long and were not
	// drawn.
	Figures     []reproduce.Picture `json:"figures,omitempty"`
	FiguresLeft int                 `json:"figures_left,omitempty"`
}

// Convention is an assumption for all claims of a paper, if the paper does not state enough or
// its statements do not give its numbers.
type Convention struct {
	Paper string `json:"paper"` // the first part of the IDs of its claims
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Counts says how many rows have each verdict.
type Counts struct {
	// Stated counts verdicts by what the papers state, Convention by the convention of each
	// paper, and Best by the best of both and of readings chosen claim by claim.
	Stated     reproduce.Tally `json:"stated"`
	Convention reproduce.Tally `json:"convention"`
	Best       reproduce.Tally `json:"best"`
	// Verdict counts the better of the verdicts as stated and under the convention.
	Verdict reproduce.Tally `json:"verdict"`
}

// finish counts the verdicts and adds the conventions.
func (r *Reproduction) finish() {
	shown := map[string]bool{}
	for i := range r.Rows {
		row := &r.Rows[i]
		paper, _, _ := strings.Cut(row.ID, "/")
		shown[paper] = true
		r.Counts.Stated.Add(row.Stated.Verdict)
		r.Counts.Convention.Add(row.Convention.Verdict)
		r.Counts.Best.Add(row.Best.Verdict)
		r.Counts.Verdict.Add(row.Verdict)
	}
	for _, p := range reproduce.Papers() {
		if shown[p.Name] && p.Convention != "" {
			r.Conventions = append(r.Conventions, Convention{p.Name, p.Title, p.Convention})
		}
	}
}

// Reproduce computes claims. A nil error does not mean that all verdicts are the recorded ones;
// see Unexpected.
func Reproduce(ctx context.Context, r ReproduceRequest, options ...command.Option) (*Reproduction, error) {
	e := command.NewRun(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	entries, unknown := reproduce.Find(r.ID)
	panels := reproduce.FindPanels(r.ID)
	if unknown != nil && (len(panels) == 0 || !r.Figures) {
		return nil, noClaims(&r, panels, unknown)
	}
	answer := &Reproduction{Schema: ReproduceSchema, Listed: r.List, Rows: []reproduce.Row{}}
	if r.List {
		for i := range entries {
			answer.Rows = append(answer.Rows, entries[i].Listed())
		}
		for i := range panels {
			answer.Figures = append(answer.Figures, panels[i].Listed())
		}
		answer.finish()
		return answer, nil
	}
	var err error
	named := len(entries) == 1 && entries[0].ID == r.ID
	answer.Rows, err = reproduce.Run(ctx, entries, r.Full || named, e.Report)
	answer.Left = len(entries) - len(answer.Rows)
	if err != nil {
		return nil, fmt.Errorf("reproduce: %w", err)
	}
	if named && entries[0].Parts != nil {
		if answer.Rows[0].Parts, err = entries[0].Parts(ctx); err != nil {
			return nil, fmt.Errorf("reproduce: %s: %w", r.ID, err)
		}
	}
	answer.finish()
	if r.Figures {
		err = answer.draw(ctx, &r, panels, e)
	}
	return answer, err
}

// noClaims returns the error for a name that no claim has.
func noClaims(r *ReproduceRequest, panels []reproduce.Panel, unknown error) error {
	if len(panels) > 0 {
		return field.Errorf("id", "%q is a figure and has no claims; ask for `figures`", r.ID)
	}
	return field.In("id", unknown)
}

// draw adds the figures.
func (r *Reproduction) draw(ctx context.Context, request *ReproduceRequest, panels []reproduce.Panel, e *command.Run) error {
	full := request.Full || len(panels) == 1
	for i := range panels {
		if panels[i].Full && !full {
			r.FiguresLeft++
		}
	}
	best := func(ctx context.Context, f fabric.Fabric, op collective.Op, size units.Bytes) (func(units.Duration) units.Time, error) {
		f.Reconfig = fabric.Reconfig{Model: fabric.Constant}
		frontier, err := comparing.FindFrontier(ctx, comparing.FrontierRequest{Operation: collective.Operation{Op: op, Size: size}, Fabric: f})
		if err != nil {
			return nil, err
		}
		return func(delay units.Duration) units.Time { return frontier.At(delay.Time()) }, nil
	}
	pictures, err := reproduce.Draw(ctx, panels, full, best, e.Report)
	if err != nil {
		return fmt.Errorf("reproduce: %w", err)
	}
	for _, p := range pictures {
		if request.ID == reproduce.All || len(panels) > 1 || p.ID == request.ID || strings.HasPrefix(p.ID, request.ID+"/") {
			r.Figures = append(r.Figures, p)
		}
	}
	return nil
}

// Unexpected lists the claims that have another verdict, in any column, than the recorded one.
func (r *Reproduction) Unexpected() []reproduce.Row {
	var list []reproduce.Row
	for i := range r.Rows {
		if !r.Rows[i].AsRecorded() {
			list = append(list, r.Rows[i])
		}
	}
	return list
}
