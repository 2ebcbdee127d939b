package iteration

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// NewProgram returns the program of a workload.
func NewProgram(g *workload.Graph) *Program {
	x := &expander{graph: g, program: &Program{}, works: map[string]int{}, places: map[string][]int{}}
	for c := range g.Classes {
		x.program.Classes = append(x.program.Classes, Class{Name: g.Workload.Programs[g.Classes[c].Program].Name, Ranks: g.Classes[c].Ranks.List()})
	}
	for kind := range g.Workload.Kinds {
		x.places[kind] = x.placesOf(kind)
	}
	x.like = alike(g.Workload.Kinds)
	for _, n := range g.Nodes() {
		x.add(&n)
	}
	x.program.Places, x.program.Groups = x.places, map[string][][]int{}
	for kind, groups := range g.Workload.Kinds {
		x.program.Groups[kind] = slices.DeleteFunc(slices.Clone(groups), func(group []int) bool { return len(group) == 1 })
	}
	x.program.followers() // computed now, because several goroutines ask for them
	return x.program
}

// expander makes a program.
type expander struct {
	graph   *workload.Graph
	program *Program
	works   map[string]int
	places  map[string][]int // by kind: the class of each place of its groups, nil if groups differ
	like    map[string]string
}

// alike returns, by kind, the first kind with the same groups.
func alike(kinds map[string][][]int) map[string]string {
	first, like := map[string]string{}, map[string]string{"": ""}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		groups := slices.DeleteFunc(slices.Clone(kinds[kind]), func(group []int) bool { return len(group) == 1 })
		slices.SortFunc(groups, slices.Compare)
		key := fmt.Sprint(groups)
		if _, ok := first[key]; !ok {
			first[key] = kind
		}
		like[kind] = first[key]
	}
	return like
}

// placesOf lists the classes of the places of a kind's groups.
func (x *expander) placesOf(kind string) []int {
	var places []int
	for _, group := range x.graph.Workload.Kinds[kind] {
		if len(group) == 1 {
			continue
		}
		of := make([]int, len(group))
		for i, r := range group {
			of[i] = x.graph.Of[r]
		}
		if places != nil && !slices.Equal(places, of) {
			return nil
		}
		places = of
	}
	return places
}

func (x *expander) add(n *workload.Node) {
	t := &x.graph.Classes[n.Class].Tasks[n.Task]
	job := Job{ID: t.ID, Class: n.Class, Work: Computes, After: n.After}
	switch {
	case t.Type == workload.Computation:
		job.Compute = t.Op.Compute.Time()
	case t.Type == workload.Collective && n.Ranks > 1:
		job.Work = x.work(Work{Kind: t.Op.Kind, Op: t.Op.Op, Size: t.Op.Size, Skew: t.Op.Skew, Classes: n.Classes}, func() [][]int { return x.groups(t.Op.Kind, n.Classes) })
	case t.Type == workload.Send:
		job.Work = x.send(t, n)
	}
	x.program.Jobs = append(x.program.Jobs, job)
}

// work returns the number of a work, adding it if it is new.
func (x *expander) work(w Work, groups func() [][]int) int {
	key := fmt.Sprint(w.Kind, w.Op, int64(w.Size), w.Skew, w.Classes)
	at, ok := x.works[key]
	if !ok {
		at = len(x.program.Works)
		x.works[key] = at
		w.Groups, w.Like = groups(), x.like[w.Kind]
		x.program.Works = append(x.program.Works, w)
	}
	return at
}

// groups lists the groups of a kind whose ranks are in the given classes.
func (x *expander) groups(kind string, classes []int) [][]int {
	return each.Where(x.graph.Workload.Kinds[kind], func(group []int) bool {
		return slices.Contains(classes, x.graph.Of[group[0]])
	})
}

// send returns the work of a send.
func (x *expander) send(t *workload.Task, n *workload.Node) int {
	w := Work{Kind: t.Op.Kind, Size: t.Op.Size, Classes: n.Classes}
	return x.work(w, func() [][]int {
		var pairs [][]int
		for r := range x.graph.Classes[n.Class].Ranks.All() {
			pairs = append(pairs, []int{r, t.Op.SendTo.Of(r)})
		}
		return pairs
	})
}

// ring lists the classes on the path from the first class of a send to the second around the
// groups of its kind, and all classes of that ring; nil if there is no such ring.
func (p *Program) ring(w *Work, places []int, backwards bool) (way, all []int) {
	if places == nil || len(w.Classes) != 2 {
		return nil, nil
	}
	from, to := slices.Index(places, w.Classes[0]), slices.Index(places, w.Classes[1])
	all = slices.Clone(places)
	slices.Sort(all)
	if len(slices.Compact(slices.Clone(all))) != len(places) || from < 0 || to < 0 {
		return nil, nil
	}
	step := 1
	if backwards {
		step = len(places) - 1
	}
	for at := from; ; at = (at + step) % len(places) {
		way = append(way, places[at])
		if at == to {
			return way, all
		}
	}
}

// bytes returns the least that one rank has to send, on average over its group.
func (w *Work) bytes() units.Bytes {
	n := units.Bytes(len(w.Groups[0]))
	switch w.Op {
	case "":
		return w.Size
	case collective.AllReduce:
		return 2 * w.Size / n * (n - 1)
	case collective.AllGather, collective.ReduceScatter, collective.AllToAll:
		return w.Size / n * (n - 1)
	default:
		return w.Size / n // to or from the root
	}
}
