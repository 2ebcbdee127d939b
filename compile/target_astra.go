package compile

import (
	"context"

	"github.com/lightpath-net/lightpath/compile/astra"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// The forms of an iteration's traces.
const (
	// CollectivesForm has a custom collective for each distinct collective, which traces call.
	CollectivesForm = "collectives"
	// MessagesForm has all computations and messages in one custom collective of all ranks.
	MessagesForm = "messages"
)

// ASTRAOptions are the options of traces.
type ASTRAOptions struct {
	// Form is the form of an iteration's traces; "": collectives if no rank has two
	// communications at once, else messages.
	Form string `json:"form,omitempty" help:"an iteration's traces as ${FORM}: collectives | messages" default:"collectives where a GPU has one at a time"`
}

// Complete reports the first invalid field.
func (o *ASTRAOptions) Complete() error {
	switch o.Form {
	case "", CollectivesForm, MessagesForm:
		return nil
	}
	return field.Errorf("form", "%q is not %s or %s", o.Form, CollectivesForm, MessagesForm)
}

var astraTarget = target[ASTRAOptions, *ASTRAOptions]{
	ASTRA, "ASTRA-sim: Chakra traces, system and network (a folder)", Transfers, compileASTRA,
}

func compileASTRA(ctx context.Context, p *plan.Plan, o *ASTRAOptions) (*Result, error) {
	if o.Form != "" {
		return nil, field.Errorf("form", "is for iterations; a plan is one collective")
	}
	if err := together(ASTRA, p); err != nil {
		return nil, err
	}
	folder, err := astra.Make(ctx, p)
	if err != nil {
		return nil, err
	}
	carried, err := timed(func(c costing) (units.Time, error) { return folder.Predict(c.alpha, c.delta, c.change == 0) })
	if err != nil {
		return nil, err
	}
	r := &Result{Format: ASTRA, Notes: folder.Notes}
	r.carries(p, carried, "predicted for ASTRA-sim's network: every hop is a message with its own start-up, and there are no barriers")
	for _, f := range folder.Files {
		r.Files = append(r.Files, File{f.Name, f.Write})
	}
	r.List()
	return r, nil
}
