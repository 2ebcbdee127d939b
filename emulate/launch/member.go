package launch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/plan"
)

// Member is one of the processes that a launcher such as mpirun or srun has started, each with
// some ranks of the plan. The first process is also the coordinator and the switch.
type Member struct {
	Plan    *plan.Plan
	Place   Place
	Address string // of the coordinator: the first process's host, and a port
	Secret  string
	Options emulate.Options // as for Run; all but the first process ignore them
}

// Run runs the process's ranks to their end. Only the first process returns a report.
func (m Member) Run(ctx context.Context) (*emulate.Report, error) {
	ranks, err := m.ranks()
	if err != nil {
		return nil, err
	}
	patience := cmp.Or(m.Options.Rendezvous, emulate.DefaultRendezvous)
	w := Worker{Plan: m.Plan, Ranks: ranks, Coordinator: m.Address, Secret: []byte(m.Secret), Patience: patience}
	if m.Place.Rank > 0 {
		return nil, w.Run(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	var own sync.WaitGroup
	defer own.Wait()
	defer cancel()
	own.Go(func() { w.Run(ctx) }) // the coordinator sees how it ends
	return emulate.Lead(ctx, m.Plan, m.Options, m.Address, m.Secret, m.Place.Size)
}

// ranks returns the ranks of this process: the plan's ranks are divided evenly, in order.
func (m *Member) ranks() ([]int, error) {
	all := m.Plan.Fabric.Present()
	if m.Place.Size > len(all) {
		return nil, fmt.Errorf("%s has started %d processes, but the plan has only %d ranks", m.Place.Launcher, m.Place.Size, len(all))
	}
	first, end := m.Place.Rank*len(all)/m.Place.Size, (m.Place.Rank+1)*len(all)/m.Place.Size
	return slices.Clone(all[first:end]), nil
}
