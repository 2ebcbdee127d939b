package lift

import (
	"fmt"

	"github.com/lightpath-net/lightpath/compile/lift/order"
	"github.com/lightpath-net/lightpath/topology"
)

// errOrder says that the program combines data in an order that no sequence of steps has.
var errOrder = fmt.Errorf("%w: in its order a chunk would have to be replaced before it is read", ErrInexpressible)

// levels gives every transfer a level, with as few levels as possible. A transfer that may wait
// does so if it would be in the way of others. Messages also keep the order of their
// connections, unless data in transit makes that impossible.
func (f *follower) levels(topologies []*topology.Graph) error {
	strict := len(f.constraints)
	for _, pair := range f.follows {
		if a, b := pair[0].transfer, pair[1].transfer; a >= 0 && b >= 0 && a != b {
			f.constraints = append(f.constraints, order.Constraint{First: a, Then: b})
		}
	}
	kept, err := f.within(f.constraints)
	if err != nil {
		return err
	}
	early, ok := order.Levels(len(f.transfers), kept)
	if !ok {
		if kept, err = f.within(f.constraints[:strict]); err != nil {
			return err
		}
		if early, ok = order.Levels(len(f.transfers), kept); !ok {
			return errOrder
		}
	}
	reversed := make([]order.Constraint, len(kept))
	for i, c := range kept {
		reversed[i] = order.Constraint{First: c.Then, Then: c.First, Plus: c.Plus}
	}
	left, _ := order.Levels(len(f.transfers), reversed) // its cycles are those of kept
	last := make([]int32, len(topologies))
	for i := range f.transfers {
		last[f.transfers[i].stage] = max(last[f.transfers[i].stage], early[i])
	}
	late := left
	for i := range late {
		late[i] = last[f.transfers[i].stage] - late[i]
	}
	s := &settler{follower: f, early: early, late: late, before: byThen(len(f.transfers), kept)}
	for stage, g := range topologies {
		s.settle(int32(stage), last[stage], g)
	}
	return nil
}

// within returns the constraints of transfers in the same stage. Constraints between stages
// always hold or never do.
func (f *follower) within(constraints []order.Constraint) ([]order.Constraint, error) {
	var kept []order.Constraint
	for _, c := range constraints {
		switch a, b := f.transfers[c.First].stage, f.transfers[c.Then].stage; {
		case a > b:
			return nil, errOrder
		case a == b:
			kept = append(kept, c)
		}
	}
	return kept, nil
}
