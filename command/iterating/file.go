package iterating

import (
	"bufio"
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/iteration"
)

// Load reads the plan of an iteration from a file, for a page, and proves it.
func Load(ctx context.Context, file string) (*iteration.Document, error) {
	f, err := files.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, err := iteration.Decode(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	_, err = Agenda(ctx, d)
	return d, err
}

// One checks that the plan of an iteration is complete and that no other plan is given.
func One(d *iteration.Document, beside bool) error {
	switch {
	case beside:
		return field.Errorf("iteration", "there is a plan, too; want one of them")
	case d.Schema != iteration.Schema:
		return field.In("iteration", field.Errorf("schema", "%.40q; want %q", d.Schema, iteration.Schema))
	case d.Online != nil:
		return field.In("iteration", field.Errorf("online", "steps of a trace are not part of a plan; want the plan alone"))
	case d.Workload == nil:
		return field.In("iteration", field.Errorf("workload", "missing; a summary is not the whole plan"))
	}
	return nil
}

// Agenda proves the plan of an iteration and returns what it does, in order.
func Agenda(ctx context.Context, d *iteration.Document) (*iteration.Agenda, error) {
	a, report, err := iteration.NewAgenda(ctx, d)
	if err != nil {
		return nil, err
	}
	if bad := report.First(); bad != nil {
		return nil, &command.IncorrectPlanError{Check: *bad}
	}
	return a, nil
}
