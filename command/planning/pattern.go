package planning

import (
	"context"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
)

// KnowPattern returns a run in which the steps of a pattern are one more algorithm of the
// operation that they perform, so that searches try them beside all others. It first proves that
// they perform the operation, because an incomplete pattern would be faster than every complete
// one.
func KnowPattern(ctx context.Context, e *command.Run, p *collective.PatternFile) (*command.Run, error) {
	known, err := e.Known.Algorithms.WithPattern(p)
	if err != nil {
		return nil, field.In("pattern", err)
	}
	if err := provePattern(ctx, e, p); err != nil {
		return nil, err
	}
	return e.Knowing(known), nil
}

// provePattern follows the data of a pattern on a ring. The effect of steps does not depend on
// circuits, and on a ring routes are found at once.
func provePattern(ctx context.Context, e *command.Run, p *collective.PatternFile) error {
	static := command.Planners().Baseline(plan.Static)
	ring := fabric.Default()
	ring.Nodes = p.Nodes
	made, err := static.Plan(ctx, planner.Request{Fabric: ring, Collective: p.Collective, Size: p.Size, Bare: true})
	if err != nil {
		return field.In("pattern", err)
	}
	return BlamePattern(p, command.Prove(ctx, e.Know(made)))
}

// CompletePattern fills in the operation that a pattern performs, and the pattern's fabric.
func CompletePattern(p *collective.PatternFile, op *collective.Op, f *fabric.Fabric) error {
	o, carries := p.Operation()
	switch {
	case !carries:
		return field.Errorf("pattern", "it names no operation, so there is nothing to compare it with; want a %s file with \"op\"", collective.PatternSchema)
	case o.Demand != nil:
		return field.Errorf("pattern", "its pairs have bytes of their own, so it has no other size")
	case *op != "" && *op != o.Op:
		return field.Errorf("pattern", "it carries out %s, not %s", o.Op, *op)
	}
	*op = o.Op
	return command.CompletePattern(p, f)
}
