package compile

import (
	"context"

	"github.com/lightpath-net/lightpath/compile/astra"
	"github.com/lightpath-net/lightpath/plan"
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
	r := &Result{
		Notes: folder.Notes, Carried: folder.Time,
		How: "in ASTRA-sim's network: every hop is a message with its own start-up, and there are no barriers",
	}
	for _, f := range folder.Files {
		r.Files = append(r.Files, File{f.Name, f.Write})
	}
	return r, nil
}
