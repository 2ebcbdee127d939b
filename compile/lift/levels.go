package lift

import (
	"errors"

	"github.com/lightpath-net/lightpath/topology"
)

// errOrder says that the program combines data in an order that no sequence of steps has.
var errOrder = errors.New("no steps between barriers have this order: a chunk would have to be replaced before it is read")

// levels gives every transfer a level, with as few levels as possible. A transfer that may wait
// does so if it would be in the way of others. Messages also keep the order of their
// connections, unless data in transit makes that impossible.
func (f *follower) levels(topologies []*topology.Graph) error {
	strict := len(f.constraints)
	for _, pair := range f.follows {
		if a, b := pair[0].transfer, pair[1].transfer; a >= 0 && b >= 0 && a != b {
			f.constraints = append(f.constraints, constraint{a, b, 0})
		}
	}
	kept, err := f.within(f.constraints)
	if err != nil {
		return err
	}
	early, err := longest(len(f.transfers), kept)
	if err != nil {
		if kept, err = f.within(f.constraints[:strict]); err != nil {
			return err
		}
		if early, err = longest(len(f.transfers), kept); err != nil {
			return err
		}
	}
	reversed := make([]constraint, len(kept))
	for i, c := range kept {
		reversed[i] = constraint{c.then, c.first, c.plus}
	}
	left, err := longest(len(f.transfers), reversed)
	if err != nil {
		return err
	}
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
func (f *follower) within(constraints []constraint) ([]constraint, error) {
	var kept []constraint
	for _, c := range constraints {
		switch a, b := f.transfers[c.first].stage, f.transfers[c.then].stage; {
		case a > b:
			return nil, errOrder
		case a == b:
			kept = append(kept, c)
		}
	}
	return kept, nil
}

// longest returns the length of the longest path of constraints to every transfer, by
// relaxation: O(constraints * levels) at worst.
func longest(n int, constraints []constraint) ([]int32, error) {
	first := make([]int32, n+1)
	for _, c := range constraints {
		first[c.first+1]++
	}
	for i := range n {
		first[i+1] += first[i]
	}
	sorted := make([]constraint, len(constraints))
	at := append([]int32(nil), first...)
	for _, c := range constraints {
		sorted[at[c.first]] = c
		at[c.first]++
	}
	level := make([]int32, n)
	queue := make([]int32, n)
	queued := make([]bool, n)
	for i := range queue {
		queue[i], queued[i] = int32(i), true
	}
	for len(queue) > 0 {
		t := queue[0]
		queue = queue[1:]
		queued[t] = false
		for _, c := range sorted[first[t]:first[t+1]] {
			reach := level[t] + c.plus
			if reach <= level[c.then] {
				continue
			}
			if reach > int32(n) {
				return nil, errOrder
			}
			level[c.then] = reach
			if !queued[c.then] {
				queue, queued[c.then] = append(queue, c.then), true
			}
		}
	}
	return level, nil
}
