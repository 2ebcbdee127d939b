package rehearsal

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
)

// RunByModel is Run, but every communication takes as long as the plan says.
func RunByModel(ctx context.Context, a *iteration.Agenda, o Options) (*Result, error) {
	o.Iterations = DefaultIterations
	if a.Fabric.Initial != fabric.InitialFree {
		o.Iterations = 1
	}
	l := &lengths{of: make([]int, len(a.Items))}
	for i := range a.Items {
		l.of[i] = i
		l.distinct = append(l.distinct, Communication{Took: a.Items[i].End - a.Items[i].Start})
	}
	return play(ctx, a, &o, l)
}

// Check verifies everything that was done after a failure, together with what was done before
// it, only from the log.
func (r *Recovery) Check(old *iteration.Agenda) error {
	a := r.Agenda
	type doing struct{ start, end units.Time }
	did := map[[3]int]doing{}      // by round, node and rank: of members
	got := map[[3]int]units.Time{} // by round, send and receiver
	busy := map[[4]int][]doing{}   // by rank, side and port, or rank and island
	note := func(round int, x *iteration.Item, group []int, d doing, fresh bool) error {
		members := group
		if a.Sends(x.Node) {
			got[[3]int{round, x.Node, group[len(group)-1]}] = d.end
			members = group[:1]
		}
		for _, rank := range members {
			key := [3]int{round, x.Node, rank}
			if _, twice := did[key]; twice && fresh {
				return fmt.Errorf("%s of rank %d is done twice", x.Op.ID, rank)
			}
			did[key] = d
		}
		return nil
	}
	for _, h := range r.kept {
		if err := note(0, &old.Items[h.item], h.group, doing{h.start, h.end}, true); err != nil {
			return err
		}
		if !(h.end < never) {
			return fmt.Errorf("%s never ends", old.Items[h.item].Op.ID)
		}
	}
	up := map[[3]int]int{} // circuits, by rank, side and port
	for _, h := range r.log {
		x := &r.items[h.item]
		d := doing{h.start, h.end}
		for _, rank := range h.group {
			for _, l := range x.Lanes {
				lane := [3]int{rank, l[1], l[2]}
				switch {
				case l[0] != a.Graph.Of[rank]:
				case x.Change != nil:
					up[lane] = x.Change.Circuits
				case up[lane] != x.Op.Circuits:
					return fmt.Errorf("iteration %d: %s of rank %d uses circuits %d; port %v has %d", h.round, x.Op.ID, rank, x.Op.Circuits, l, up[lane])
				case x.Op.Leaves > 0:
					up[lane] = x.Op.Leaves
				}
			}
		}
		if x.Change == nil && !h.skipped {
			if a.Shared(x) {
				return nil // all groups together, of whom some may go again
			}
			if err := note(h.round, x, h.group, d, true); err != nil {
				return err
			}
		}
		if (x.Change != nil || x.Communicates) && h.start < r.ready {
			return fmt.Errorf("something begins at %v, before the new plan is there", h.start)
		}
		for _, rank := range h.group {
			class := a.Graph.Of[rank]
			for _, l := range x.Lanes {
				if l[0] == class {
					busy[[4]int{rank, l[1], l[2], 0}] = append(busy[[4]int{rank, l[1], l[2], 0}], d)
				}
			}
			if slices.Contains(x.Islands, class) {
				busy[[4]int{rank, 0, 0, 1}] = append(busy[[4]int{rank, 0, 0, 1}], d)
			}
		}
	}
	for _, h := range r.kept { // ports of the old plan are not used while what they carried goes on
		if x := &old.Items[h.item]; x.Communicates && len(x.Lanes) > 0 {
			for _, rank := range h.group {
				for key, list := range busy {
					if key[0] == rank && key[3] == 0 && len(list) > 0 && list[0].start < h.end-slackOfTest {
						return fmt.Errorf("rank %d is rewired at %v; %s ends at %v", rank, list[0].start, x.Op.ID, h.end)
					}
				}
			}
		}
	}
	for key, list := range busy {
		slices.SortStableFunc(list, func(x, y doing) int { return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.end, y.end)) })
		for i := 1; i < len(list); i++ {
			if list[i].start < list[i-1].end-slackOfTest {
				return fmt.Errorf("%v does two things at once, from %v and from %v", key, list[i-1].start, list[i].start)
			}
		}
	}
	waits, tasks := a.Graph.Waits(), a.Graph.TasksOf()
	for round := 0; round < 1+len(r.After); round++ {
		for node := range a.Nodes {
			for class, task := range tasks(node) {
				own, sent := waits(class, task)
				for rank := range a.Graph.Classes[class].Ranks.All() {
					d, done := did[[3]int{round, node, rank}]
					if !done {
						return fmt.Errorf("iteration %d: node %d of rank %d is not done", round, node, rank)
					}
					for _, before := range own {
						if did[[3]int{round, before, rank}].end > d.start+slackOfTest {
							return fmt.Errorf("iteration %d: node %d of rank %d begins before %d ends", round, node, rank, before)
						}
					}
					if sent >= 0 && got[[3]int{round, sent, rank}] > d.start+slackOfTest {
						return fmt.Errorf("iteration %d: rank %d goes on before it has received", round, rank)
					}
				}
			}
		}
	}
	return nil
}

// slackOfTest is rounding: a femtosecond.
const slackOfTest = 1e-6
