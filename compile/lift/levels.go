package lift

import "errors"

// errOrder: data that meets in the program in a way that steps do not have.
var errOrder = errors.New("no steps between barriers have this order: a chunk would have to be replaced before it is read")

// levels gives every transfer the smallest level that the constraints allow: the longest
// path to it, by relaxation. Constraints of other stages hold by themselves, or never.
// The time is O(constraints * levels) at worst.
func (f *follower) levels() error {
	n := len(f.transfers)
	first := make([]int32, n+1)
	kept := f.constraints[:0]
	for _, c := range f.constraints {
		switch a, b := f.transfers[c.first].stage, f.transfers[c.then].stage; {
		case a > b:
			return errOrder
		case a == b:
			kept = append(kept, c)
			first[c.first+1]++
		}
	}
	for i := range n {
		first[i+1] += first[i]
	}
	sorted := make([]constraint, len(kept))
	at := append([]int32(nil), first...)
	for _, c := range kept {
		sorted[at[c.first]] = c
		at[c.first]++
	}
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
			level := f.transfers[t].level + c.plus
			if level <= f.transfers[c.then].level {
				continue
			}
			if level > int32(n) {
				return errOrder
			}
			f.transfers[c.then].level = level
			if !queued[c.then] {
				queue, queued[c.then] = append(queue, c.then), true
			}
		}
	}
	return nil
}
