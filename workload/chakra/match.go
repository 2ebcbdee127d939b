package chakra

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/workload"
)

// spread makes all ranks do what one does, each in its own groups and with ranks at the same
// distance.
func (l *loader) spread(from int) {
	for r := range l.ranks {
		if r == from {
			continue
		}
		l.steps[r] = slices.Clone(l.steps[from])
		for i := range l.steps[r] {
			o := &l.steps[r][i].op
			turn := func(p *workload.Peer) *workload.Peer {
				if p == nil {
					return nil
				}
				other := ((r+p.Rank)%l.ranks + l.ranks) % l.ranks
				return &workload.Peer{Rank: other - r, Relative: true}
			}
			o.SendTo, o.From = turn(o.SendTo), turn(o.From)
		}
	}
}

// matchCollectives gives collectives their kinds, and names that all members of a group share:
// the collectives of a group are matched in order, and keep their name if all members use the
// same.
func (l *loader) matchCollectives(kinds map[string][][]int, of []string) error {
	l.unique()
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		groups := kinds[kind]
		lists := make([][]int, l.ranks) // by rank: steps of the kind
		for r := range l.steps {
			for i := range l.steps[r] {
				s := &l.steps[r][i]
				if s.group < 0 || of[s.group] != kind {
					continue
				}
				s.op.Kind = kind
				if s.op.Op != "" {
					lists[r] = append(lists[r], i)
				}
			}
		}
		for _, ranks := range groups {
			if err := l.matchGroup(kind, ranks, lists); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *loader) matchGroup(kind string, ranks []int, lists [][]int) error {
	first := ranks[0]
	alike := true
	for _, r := range ranks[1:] {
		if len(lists[r]) != len(lists[first]) {
			return fmt.Errorf("ranks %d and %d of one group (%s) have %d and %d collectives", first, r, kind, len(lists[first]), len(lists[r]))
		}
		for k, i := range lists[r] {
			a, b := &l.steps[first][lists[first][k]], &l.steps[r][i]
			if a.op.Op != b.op.Op || a.op.Size != b.op.Size {
				return fmt.Errorf("collective %d of the group (%s) of ranks %d and %d is %s of %v there, %.60q, and %s of %v here, %.60q",
					k+1, kind, first, r, a.op.Op, a.op.Size, a.node.Name, b.op.Op, b.op.Size, b.node.Name)
			}
			alike = alike && a.op.ID == b.op.ID
		}
	}
	if alike {
		return nil
	}
	for _, r := range ranks {
		for k, i := range lists[r] {
			l.steps[r][i].op.ID = fmt.Sprintf("%s**%d", kind, k+1)
		}
	}
	return nil
}

// unique renames operations of a rank that have the same name.
func (l *loader) unique() {
	for r := range l.steps {
		seen := make(map[string]int, len(l.steps[r]))
		for i := range l.steps[r] {
			o := &l.steps[r][i].op
			name := o.ID
			if seen[name]++; seen[name] > 1 {
				o.ID = fmt.Sprintf("%s*%d", name, seen[name])
			}
		}
	}
}

// matchSends matches sends with receives: by ranks, tag and size, in order.
func (l *loader) matchSends() error {
	type message struct {
		from, to  int
		tag, size int64
	}
	tag := func(n *Node) int64 {
		if a := n.Attr("comm_tag"); a != nil && a.IsInt() {
			return a.Int
		}
		return 0
	}
	sent := map[message][]string{}
	for r := range l.steps {
		for i := range l.steps[r] {
			if s := &l.steps[r][i]; s.op.SendTo != nil {
				m := message{r, s.op.SendTo.Of(r), tag(s.node), s.node.size()}
				sent[m] = append(sent[m], s.op.ID)
			}
		}
	}
	for r := range l.steps {
		for i := range l.steps[r] {
			s := &l.steps[r][i]
			if s.op.From == nil {
				continue
			}
			m := message{s.op.From.Of(r), r, tag(s.node), s.node.size()}
			if len(sent[m]) == 0 {
				return fmt.Errorf("rank %d: node %d, %.60q: rank %d sends it nothing of %d bytes with tag %d, or not as often", r, s.node.ID, s.node.Name, m.from, m.size, m.tag)
			}
			s.op.Receive = sent[m][0]
			sent[m] = sent[m][1:]
		}
	}
	for r := range l.steps {
		for i := range l.steps[r] {
			s := &l.steps[r][i]
			if s.op.SendTo == nil {
				continue
			}
			m := message{r, s.op.SendTo.Of(r), tag(s.node), s.node.size()}
			if slices.Contains(sent[m], s.op.ID) {
				return fmt.Errorf("rank %d: node %d, %.60q, is sent to rank %d, which does not receive it", r, s.node.ID, s.node.Name, m.to)
			}
		}
	}
	return nil
}

// program groups ranks that do the same into classes.
func (l *loader) program(w *workload.Workload) {
	members := map[string][]int{}
	var order []string
	for r := range l.steps {
		ops := make([]workload.Op, len(l.steps[r]))
		for i := range ops {
			s := &l.steps[r][i]
			ops[i] = s.op
			ops[i].After = nil
			for _, a := range s.after {
				// Computations of a rank run in order anyway.
				if before := &l.steps[r][a]; s.op.Compute == nil || before.op.Compute == nil {
					ops[i].After = append(ops[i].After, before.op.ID)
				}
			}
		}
		key := fingerprint(ops)
		if members[key] == nil {
			order = append(order, key)
			w.Programs = append(w.Programs, workload.Program{Ops: ops})
		}
		members[key] = append(members[key], r)
	}
	for i, key := range order {
		w.Programs[i].Ranks = workload.NewRankSet(members[key])
	}
}

// fingerprint is equal for equal programs.
func fingerprint(ops []workload.Op) string {
	var b strings.Builder
	for i := range ops {
		o := &ops[i]
		fmt.Fprintf(&b, "%q %q %q %v %v %d %q %q", o.ID, o.Op, o.Kind, o.SendTo, o.From, o.Size, o.Receive, o.After)
		if o.Compute != nil {
			fmt.Fprintf(&b, " %d", int64(*o.Compute))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
