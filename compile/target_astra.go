package compile

import (
	"context"

	"github.com/lightpath-net/lightpath/compile/astra"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

type astraTarget struct{}

func (astraTarget) Format() Format { return ASTRA }
func (astraTarget) About() string {
	return "ASTRA-sim: Chakra traces, system and network (a folder)"
}
func (astraTarget) Options() Options { return &NoOptions{} }

func (astraTarget) Compile(ctx context.Context, p *plan.Plan, _ Options) (*Result, error) {
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
	r := &Result{Notes: folder.Notes}
	r.carries(p, carried, "in ASTRA-sim's network: every hop is a message with its own start-up, and there are no barriers")
	for _, f := range folder.Files {
		r.Files = append(r.Files, File{f.Name, f.Write})
	}
	return r, nil
}
