package workload

import (
	"context"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
)

// Graph is a workload as tasks of classes of ranks. All ranks of a class do the same, with
// ranks of the same classes: classes are those of the programs, split until that holds. So one
// rank of each class represents all, and a time computed for it is theirs.
type Graph struct {
	Workload *Workload
	Classes  []Class
	// Of is the class of each rank.
	Of []int

	groupOf map[string][]int32 // by kind: the group of each rank
	order   []int              // of tasks that represent others
	at      []int              // by class: the number of its first task; then the total
	stands  []int              // by task: the one that represents the same collective
	sends   []int              // by task: the send of a receive, else -1
}

// Class is a set of ranks that do the same.
type Class struct {
	Ranks   RankSet
	Program int
	Tasks   []Task
	// Groups is, by kind, the size of the group of each rank of the class.
	Groups map[string]int

	sent    map[string]int32 // sends by ID
	earlier []int32          // by task: for a computation the one listed before it, or -1
}

// Graph expands the workload and proves that it can be carried out. Errors are field.Errors,
// unless ctx is done.
func (w *Workload) Graph(ctx context.Context) (*Graph, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	counts, err := w.count()
	if err != nil {
		return nil, err
	}
	g := &Graph{Workload: w, Of: make([]int, w.Ranks), groupOf: map[string][]int32{}}
	programs := make([]Class, len(w.Programs))
	for i := range w.Programs {
		p := &programs[i]
		p.Program = i
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p.Tasks, err = w.expand(i, counts); err != nil {
			return nil, err
		}
		p.number()
		for r := range w.Programs[i].Ranks.All() {
			g.Of[r] = i
		}
	}
	g.locate()
	if err := g.matchSends(ctx, programs); err != nil {
		return nil, err
	}
	if err := g.refine(ctx, programs); err != nil {
		return nil, err
	}
	if err := g.matchCollectives(ctx); err != nil {
		return nil, err
	}
	return g, g.sort(ctx)
}

// number records the sends and the order of computations.
func (c *Class) number() {
	c.sent, c.earlier = map[string]int32{}, make([]int32, len(c.Tasks))
	last := int32(-1)
	for k := range c.Tasks {
		c.earlier[k] = -1
		switch t := &c.Tasks[k]; t.Type {
		case Send:
			c.sent[t.ID] = int32(k)
		case Computation:
			c.earlier[k], last = last, int32(k)
		case Collective, Receive, Call:
		}
	}
}

// Sent returns the task of the send with that ID, or -1.
func (c *Class) Sent(id string) int {
	if k, known := c.sent[id]; known {
		return int(k)
	}
	return -1
}

// locate finds the group of every rank.
func (g *Graph) locate() {
	for name, groups := range g.Workload.Kinds {
		of := make([]int32, g.Workload.Ranks)
		for i, ranks := range groups {
			for _, r := range ranks {
				of[r] = int32(i)
			}
		}
		g.groupOf[name] = of
	}
}

// place says where a task is, for errors.
func place(c *Class, task int) string {
	return field.Join(field.Index("programs", c.Program), c.Tasks[task].ID)
}

// maxMessages limits the sends and receives of all ranks together.
const maxMessages = 1 << 28

// matchSends checks, rank by rank, that every send has one receive and every receive a send.
func (g *Graph) matchSends(ctx context.Context, programs []Class) error {
	receives := make([]map[string][]int, len(programs)) // by program and the send's ID: tasks
	for i := range programs {
		receives[i] = map[string][]int{}
		for k := range programs[i].Tasks {
			if t := &programs[i].Tasks[k]; t.Type == Receive {
				receives[i][t.Op.Receive] = append(receives[i][t.Op.Receive], k)
			}
		}
	}
	work := 0
	for i := range programs {
		p := &programs[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		for k := range p.Tasks {
			t := &p.Tasks[k]
			if t.Type != Send && t.Type != Receive {
				continue
			}
			if work += g.Workload.Programs[i].Ranks.Len(); work > maxMessages {
				return field.Errorf("programs", "more than %d sends and receives of all ranks", maxMessages)
			}
			for r := range g.Workload.Programs[i].Ranks.All() {
				other, err := g.partner(t, r)
				if err != nil {
					return field.In(place(p, k), err)
				}
				q := &programs[g.Of[other]]
				if t.Type == Receive {
					if s, known := q.sent[t.Op.Receive]; !known || q.Tasks[s].Op.SendTo.Of(other) != r {
						return field.Errorf(place(p, k), "rank %d waits for send %q of rank %d, which sends it no such thing", r, t.Op.Receive, other)
					}
					continue
				}
				found := each.Count(receives[g.Of[other]][t.ID], func(m int) bool {
					return q.Tasks[m].Op.From.Of(other) == r
				})
				if found != 1 {
					return field.Errorf(place(p, k), "rank %d sends it to rank %d, which has %d receives for it; want 1", r, other, found)
				}
			}
		}
	}
	return nil
}

// partner returns the rank at the other end of a rank's send or receive.
func (g *Graph) partner(t *Task, rank int) (int, error) {
	peer, name := t.Op.SendTo, "send_to"
	if t.Type == Receive {
		peer, name = t.Op.From, "from"
	}
	other := peer.Of(rank)
	if other < 0 || other >= g.Workload.Ranks || other == rank {
		return 0, field.Errorf(name, "%v of rank %d is rank %d; want another one of 0..%d", peer, rank, other, g.Workload.Ranks-1)
	}
	if groups := g.groupOf[t.Op.Kind]; groups != nil && groups[rank] != groups[other] {
		return 0, field.Errorf(name, "rank %d is not in the %s group of rank %d", other, t.Op.Kind, rank)
	}
	return other, nil
}

// matchCollectives checks that the members of every group list the same collectives in the same
// order, and determines the task that represents each: that of the group's first class.
func (g *Graph) matchCollectives(ctx context.Context) error {
	g.at = make([]int, len(g.Classes)+1)
	for c := range g.Classes {
		g.at[c+1] = g.at[c] + len(g.Classes[c].Tasks)
	}
	g.stands = make([]int, g.at[len(g.Classes)])
	g.sends = make([]int, len(g.stands))
	for i := range g.stands {
		g.stands[i], g.sends[i] = i, -1
	}
	for c := range g.Classes {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := map[string]int{} // by kind: the class that represents the group
		lists := map[string][]int32{}
		class := &g.Classes[c]
		for k := range class.Tasks {
			t := &class.Tasks[k]
			switch t.Type {
			case Receive:
				from, err := g.partner(t, class.Ranks.First())
				if err != nil {
					return field.In(place(class, k), err)
				}
				sender := g.Of[from]
				g.sends[g.at[c]+k] = g.at[sender] + int(g.Classes[sender].sent[t.Op.Receive])
			case Collective:
				lists[t.Op.Kind] = append(lists[t.Op.Kind], int32(k))
				if _, known := first[t.Op.Kind]; !known {
					first[t.Op.Kind] = g.firstClass(t.Op.Kind, class.Ranks.First())
				}
			case Computation, Send, Call:
			}
		}
		for _, kind := range sorted(lists) {
			if err := g.matchKind(c, first[kind], kind, lists[kind]); err != nil {
				return err
			}
		}
		// A class that lists no collectives of a kind waits for none, but the others of its group do.
		for _, kind := range sorted(g.Workload.Kinds) {
			if other := g.firstClass(kind, class.Ranks.First()); lists[kind] == nil && other < c {
				if err := g.matchKind(c, other, kind, nil); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// firstClass returns the lowest class in the group of a rank.
func (g *Graph) firstClass(kind string, rank int) int {
	return each.Min(len(g.Classes), g.Workload.Kinds[kind][g.groupOf[kind][rank]], func(r int) int {
		return g.Of[r]
	})
}

// matchKind compares a class's collectives of a kind with those of the first class of the
// group.
func (g *Graph) matchKind(c, first int, kind string, list []int32) error {
	class, other := &g.Classes[c], &g.Classes[first]
	var theirs []int32
	for k := range other.Tasks {
		if t := &other.Tasks[k]; t.Type == Collective && t.Op.Kind == kind {
			theirs = append(theirs, int32(k))
		}
	}
	for i, k := range list {
		t := &class.Tasks[k]
		if i >= len(theirs) {
			return field.Errorf(place(class, int(k)), "rank %d, a member of its %s group, has no such collective", other.Ranks.First(), kind)
		}
		u := &other.Tasks[theirs[i]]
		if t.ID != u.ID || t.Op.Op != u.Op.Op || t.Op.Size != u.Op.Size || t.Op.Skew != u.Op.Skew {
			return field.Errorf(place(class, int(k)), "the collective %d of the %s group of rank %d is %s of %v here and %s, %s of %v, on rank %d; want the same everywhere, in the same order",
				i+1, kind, class.Ranks.First(), t.Op.Op, t.Op.Size, u.ID, u.Op.Op, u.Op.Size, other.Ranks.First())
		}
		g.stands[g.at[c]+int(k)] = g.at[first] + int(theirs[i])
	}
	if len(list) < len(theirs) {
		k := int(theirs[len(list)])
		return field.Errorf(place(other, k), "rank %d, a member of its %s group, has no such collective", class.Ranks.First(), kind)
	}
	return nil
}

// name returns the name of a task for errors.
func (g *Graph) name(task int) string {
	c := g.classOf(task)
	return fmt.Sprintf("%s of rank %d", g.Classes[c].Tasks[task-g.at[c]].ID, g.Classes[c].Ranks.First())
}

// classOf returns the class of a task.
func (g *Graph) classOf(task int) int {
	low, high := 0, len(g.Classes)
	for high-low > 1 {
		if middle := (low + high) / 2; g.at[middle] <= task {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// cycle reports which tasks wait for each other, among those that are left when all others are
// done.
func (g *Graph) cycle(before func(task int, visit func(int)), left []bool) error {
	at := 0
	for !left[at] {
		at++
	}
	seen := map[int]int{}
	var path []int
	for {
		if from, again := seen[at]; again {
			path = path[from:]
			break
		}
		seen[at] = len(path)
		path = append(path, at)
		next := -1
		before(at, func(p int) {
			if left[p] && next < 0 {
				next = g.stands[p]
			}
		})
		at = next
	}
	const most = 6
	names := each.Of(path[:min(len(path), most)], g.name)
	if len(path) > most {
		names = append(names, fmt.Sprintf("%d more", len(path)-most))
	}
	return field.Errorf("programs", "nobody can go on: %s, which waits for the first", strings.Join(names, " waits for "))
}
