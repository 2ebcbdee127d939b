package chakra

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/workload"
)

// Group is a communicator of a trace: ranks that carry out collectives together.
type Group struct {
	Name  string // as collectives refer to it
	About string // its purpose, if the trace says
	Ranks []int  // in ascending order; nil: all ranks
}

// ReadGroups reads the file comm_group.json: lists of ranks by name. An empty list means all
// ranks.
func ReadGroups(data []byte) ([]Group, error) {
	var lists map[string][]int
	if err := strict.Unmarshal(data, &lists); err != nil {
		return nil, fmt.Errorf(`want groups such as {"1": [0, 1]}: %w`, err)
	}
	groups := make([]Group, 0, len(lists))
	for name, ranks := range lists {
		g, err := newGroup(name, "", ranks)
		if err != nil {
			return nil, err
		}
		groups = append(groups, g)
	}
	slices.SortFunc(groups, byName)
	return groups, nil
}

// byName sorts numeric names by their numbers.
func byName(a, b Group) int {
	if d := len(a.Name) - len(b.Name); d != 0 {
		return d
	}
	return strings.Compare(a.Name, b.Name)
}

func newGroup(name, about string, ranks []int) (Group, error) {
	g := Group{Name: name, About: about, Ranks: slices.Clone(ranks)}
	slices.Sort(g.Ranks)
	for i, r := range g.Ranks {
		if r < 0 || r >= workload.MaxRanks || i > 0 && r == g.Ranks[i-1] {
			return g, fmt.Errorf("group %.40q: rank %d, or twice", name, r)
		}
	}
	if len(g.Ranks) == 0 {
		g.Ranks = nil
	}
	return g, nil
}

// isGroups reports whether a node lists the groups.
func (n *Node) isGroups() bool { return strings.Contains(n.Name, "process_group:init") }

// groups reads the groups that a node lists: a JSON list of objects with pg_name and ranks, in
// whatever brackets and quotes a tool has put around it.
func (n *Node) groups() ([]Group, error) {
	text := n.Values
	if strings.Contains(text, `\"`) {
		text = strings.ReplaceAll(text, `\"`, `"`)
	}
	from, to := strings.Index(text, "{"), strings.LastIndex(text, "}")
	if from < 0 || to < from {
		return nil, nil
	}
	var list []struct {
		Name  any    `json:"pg_name"`
		About string `json:"pg_desc"`
		Ranks []int  `json:"ranks"`
	}
	if err := json.Unmarshal([]byte("["+text[from:to+1]+"]"), &list); err != nil {
		return nil, errors.New("process_group:init: not a list of groups in JSON")
	}
	var groups []Group
	for _, l := range list {
		name := fmt.Sprint(l.Name)
		if number, ok := l.Name.(float64); ok {
			name = strconv.FormatFloat(number, 'f', -1, 64)
		}
		g, err := newGroup(name, l.About, l.Ranks)
		if err != nil {
			return nil, fmt.Errorf("process_group:init: %w", err)
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// kinds assigns the groups to kinds. With SPMD, the only trace names the kinds of only its own
// rank's groups. All groups then join the kinds that they would join without names, and those
// get the trace's names.
func (l *loader) kinds() (map[string][][]int, []string) {
	if !l.SPMD {
		return kinds(l.ranks, l.groups, l.kindOf)
	}
	made, of := kinds(l.ranks, l.groups, make([]string, len(l.groups)))
	for i, name := range l.kindOf {
		if _, taken := made[name]; name == "" || taken {
			continue
		}
		old := of[i]
		made[name] = made[old]
		delete(made, old)
		for k := range of {
			if of[k] == old {
				of[k] = name
			}
		}
	}
	return made, of
}

// kinds assigns groups to kinds, which are partitions: groups that share a description or,
// without one, a size are of one kind, as long as they are disjoint. It returns the kind of
// each group. Ranks that a kind leaves out become groups by themselves.
func kinds(ranks int, groups []Group, names []string) (map[string][][]int, []string) {
	type kind struct {
		name   string
		taken  []bool
		groups [][]int
	}
	var all []*kind
	of := make([]string, len(groups))
	for i, g := range groups {
		base := cmp.Or(names[i], g.About)
		if base == "" {
			base = fmt.Sprintf("groups-of-%d", len(g.Ranks))
			if len(g.Ranks) == ranks {
				base = "all"
			}
		}
		name := base
		for k := 2; ; k++ {
			at := slices.IndexFunc(all, func(x *kind) bool { return x.name == name })
			if at < 0 {
				all = append(all, &kind{name: name, taken: make([]bool, ranks)})
				at = len(all) - 1
			}
			x := all[at]
			// A kind that traces name may have several groups of the same ranks, because some tools
			// write them.
			if names[i] != "" && slices.ContainsFunc(x.groups, func(ranks []int) bool { return slices.Equal(ranks, g.Ranks) }) {
				of[i] = name
				break
			}
			if !slices.ContainsFunc(g.Ranks, func(r int) bool { return x.taken[r] }) {
				for _, r := range g.Ranks {
					x.taken[r] = true
				}
				x.groups = append(x.groups, g.Ranks)
				of[i] = name
				break
			}
			name = fmt.Sprintf("%s-%d", base, k)
		}
	}
	made := map[string][][]int{}
	for _, x := range all {
		for r, taken := range x.taken {
			if !taken {
				x.groups = append(x.groups, []int{r})
			}
		}
		slices.SortFunc(x.groups, func(a, b []int) int { return a[0] - b[0] })
		made[x.name] = x.groups
	}
	return made, of
}
