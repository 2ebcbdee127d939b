package strategy

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
)

// Topologies returns the topologies from which a single-topology strategy chooses: Static, Rings
// or MixNet, which has none for equal demands.
func Topologies(ctx context.Context, name string, demand model.Demand, ports int) ([][][]int, error) {
	p := &Problem{Demand: demand, Ports: ports, T: 1, Strategy: name}
	list, err := p.solvers()
	if err != nil || len(list) == 0 {
		return nil, err
	}
	s, ok := list[0].(*static)
	if !ok {
		return nil, fmt.Errorf("exchange: strategy %s has more than one topology", name)
	}
	return s.topologies(ctx, s)
}
