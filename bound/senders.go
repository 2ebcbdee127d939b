package bound

import (
	"iter"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// senders lists what each node sends, node by node: on a ring of 4096 GPUs a scatter has
// millions of items, and only those of one node are needed at a time.
type senders struct {
	nodes  int
	steps  []sending
	groups []topology.Translations // the groups of the steps, each once
	own    [][]item                // by node: what it sends in steps without symmetry, in order
	shared bool                    // all steps have the same group
}

// sending is a step under a group: what the first node of an orbit sends represents what all
// others send. Consecutive steps with the same destinations are one, with the bytes of all.
type sending struct {
	step, count int // the first step, and how many
	group       int // -1: a step without symmetry
	items       []orbitItem
}

// follows reports whether a step has the same destinations as the previous one.
func (s *sending) follows(before *sending) bool {
	return s.group >= 0 && s.group == before.group && slices.EqualFunc(s.items, before.items, func(a, b orbitItem) bool {
		return a.home == b.home && a.dst == b.dst
	})
}

// orbitItem is what a node sends that represents its orbit.
type orbitItem struct {
	home, dst int // dst as if the first node of the orbit sent it
	bytes     float64
}

func newSenders(c *collective.Collective, bytes func(collective.Chunks) float64) *senders {
	s := &senders{nodes: c.Nodes, own: make([][]item, c.Nodes), shared: true}
	equal := func(a, b topology.Translations) bool {
		return slices.Equal(a.Dims, b.Dims) && slices.Equal(a.Stride, b.Stride)
	}
	for i, step := range c.Steps {
		s.shared = s.shared && equal(step.Group, c.Steps[0].Group)
		now := sending{step: i, count: 1, group: -1}
		if step.Group.Trivial() {
			s.steps = append(s.steps, now)
			for _, t := range step.Base {
				s.own[t.Src] = append(s.own[t.Src], item{step: i, last: i, steps: 1, dst: t.Dst, bytes: bytes(t.Chunks)})
			}
			continue
		}
		k := slices.IndexFunc(s.groups, func(g topology.Translations) bool { return equal(g, step.Group) })
		if k < 0 {
			k = len(s.groups)
			s.groups = append(s.groups, step.Group)
		}
		now.group = k
		for _, t := range step.Base {
			moved, home := step.Group.Locate(t.Src)
			now.items = append(now.items, orbitItem{home, step.Group.Back(moved, t.Dst), bytes(t.Chunks)})
		}
		if k := len(s.steps) - 1; k >= 0 && now.follows(&s.steps[k]) {
			s.steps[k].count++
			for j := range now.items {
				s.steps[k].items[j].bytes += now.items[j].bytes
			}
			continue
		}
		s.steps = append(s.steps, now)
	}
	return s
}

// orderly reports whether no node sends to more than one other in any step.
func (s *senders) orderly() bool {
	for _, step := range s.steps {
		seen := map[int]bool{}
		for _, it := range step.items {
			if seen[it.home] {
				return false
			}
			seen[it.home] = true
		}
	}
	for _, items := range s.own {
		for i := 1; i < len(items); i++ {
			if items[i].step == items[i-1].step {
				return false
			}
		}
	}
	return true
}

// items yields what each node sends, in the order of the steps. What it sends to one node in
// several consecutive steps, and to no other in between, is one item. If all steps share a
// group, one node per orbit represents the others. Each result is valid until the next.
func (s *senders) items() iter.Seq[[]item] {
	return func(yield func([]item) bool) {
		moved, home := make([]int, len(s.groups)), make([]int, len(s.groups))
		var list []item
		add := func(it item) {
			if k := len(list) - 1; k >= 0 && list[k].dst == it.dst && list[k].last < it.step {
				list[k].last, list[k].steps, list[k].bytes = it.last, list[k].steps+it.steps, list[k].bytes+it.bytes
				return
			}
			list = append(list, it)
		}
		for u := range s.nodes {
			for k, group := range s.groups {
				moved[k], home[k] = group.Locate(u)
			}
			if s.shared && len(s.groups) > 0 && home[0] != u {
				continue
			}
			list = list[:0]
			own := s.own[u]
			for i := range s.steps {
				step := &s.steps[i]
				if step.group < 0 {
					for len(own) > 0 && own[0].step == step.step {
						add(own[0])
						own = own[1:]
					}
					continue
				}
				for _, it := range step.items {
					if it.home == home[step.group] {
						add(item{step: step.step, last: step.step + step.count - 1, steps: step.count, dst: s.groups[step.group].Apply(moved[step.group], it.dst), bytes: it.bytes})
					}
				}
			}
			if !yield(list) {
				return
			}
		}
	}
}
