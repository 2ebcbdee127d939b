package controlling

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/field"
)

// Rewiring sets the circuits of a timetable's stages, in any order and any number of times.
type Rewiring struct {
	controller *control.Controller
	program    *control.Program
}

// Open connects to the switches and opens the journal; it changes nothing.
func (s *Setup) Open() (*Rewiring, error) {
	if err := s.Complete(); err != nil {
		return nil, err
	}
	p, err := s.program()
	if err != nil {
		return nil, err
	}
	j, err := control.OpenJournal(s.JournalFile)
	if err != nil {
		return nil, field.In("journal", err)
	}
	c, err := s.controller(p.Own, j)
	if err != nil {
		j.Close()
		return nil, err
	}
	return &Rewiring{c, p}, nil
}

// Set brings all switches to a stage, from 1, and returns when reading them back confirms it.
func (r *Rewiring) Set(ctx context.Context, stage int) error {
	goal, err := r.program.Stage(stage)
	if err != nil {
		return err
	}
	if _, err := r.controller.Reach(ctx, goal); err != nil {
		return fmt.Errorf("stage %d: %w", stage, err)
	}
	return nil
}

// Close ends the connections and closes the journal.
func (r *Rewiring) Close() {
	closeAll(r.controller)
	r.controller.Journal.Close()
}
