package lightpath

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/reproduce"
)

// ReproduceRequest asks how numbers of the papers compare with what is computed here.
type ReproduceRequest struct {
	// ID of a claim, the beginning of some up to a slash such as harvest/table1, or
	// reproduce.All, which "" stands for.
	ID string `json:"id,omitempty"`
	// List only says which claims there are, with the verdicts that are recorded.
	List bool `json:"list,omitempty"`
	// Full computes also what takes long. A claim that is named by its whole ID is computed
	// in any case.
	Full bool `json:"full,omitempty"`
}

// UnmarshalJSON reads the JSON form.
func (r *ReproduceRequest) UnmarshalJSON(data []byte) error {
	type plain ReproduceRequest
	return readRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first field that makes no sense.
func (r *ReproduceRequest) Complete() error {
	if r.ID == "" {
		r.ID = reproduce.All
	}
	if _, err := reproduce.Find(r.ID); err != nil {
		return field.In("id", err)
	}
	if r.List && r.Full {
		return field.Errorf("full", "not with list: nothing is computed")
	}
	return nil
}

// ReproduceSchema names the JSON form of a reproduction and its version.
const ReproduceSchema = "lightpath.reproduce/v1"

// Reproduction is claims beside what was computed.
type Reproduction struct {
	Schema string          `json:"schema"`
	Rows   []reproduce.Row `json:"rows"`
	// Listed says that nothing was computed and verdicts are those that are recorded.
	Listed bool `json:"listed,omitempty"`
	// Left counts the claims that were asked for but take long.
	Left int `json:"left,omitempty"`
}

// Reproduce computes claims. Nil error does not mean that all verdicts are the recorded ones;
// see Unexpected.
func Reproduce(ctx context.Context, r ReproduceRequest, options ...Option) (*Reproduction, error) {
	e := newEnvironment(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	entries, err := reproduce.Find(r.ID)
	if err != nil {
		return nil, field.In("id", err)
	}
	answer := &Reproduction{Schema: ReproduceSchema, Listed: r.List, Rows: []reproduce.Row{}}
	if r.List {
		for i := range entries {
			answer.Rows = append(answer.Rows, entries[i].Listed())
		}
		return answer, nil
	}
	full := r.Full || len(entries) == 1 && entries[0].ID == r.ID
	answer.Rows, err = reproduce.Run(ctx, entries, full, e.report)
	answer.Left = len(entries) - len(answer.Rows)
	if err != nil {
		return nil, fmt.Errorf("reproduce: %w", err)
	}
	return answer, nil
}

// Unexpected lists the claims whose verdicts are not the recorded ones.
func (r *Reproduction) Unexpected() []reproduce.Row {
	var list []reproduce.Row
	for _, row := range r.Rows {
		if row.Verdict != row.Recorded {
			list = append(list, row)
		}
	}
	return list
}
