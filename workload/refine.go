package workload

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
)

// maxRefinement limits the work of refine, in ranks visited.
const maxRefinement = 1 << 28

// refine splits the classes of ranks until all ranks of a class have partners in the same
// classes: the members of their groups, and the other ends of their sends and receives. This is
// the coarsest equitable partition, computed by colour refinement: in every round, ranks keep a
// common colour if they had the same colour and see the same colours.
//
// If a task T of a class waits for a task U of another class, each rank of the first waits for
// some rank of the second. So from a cycle of classes one can walk back along ranks forever,
// and there is a cycle of ranks, too: searching for cycles of classes is exact.
func (g *Graph) refine(ctx context.Context, programs []Class) error {
	n := g.Workload.Ranks
	sees := each.Below(len(programs), func(i int) seen { return sight(programs[i].Tasks) })
	program := slices.Clone(g.Of)
	count, work := len(programs), 0
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if work += n; work > maxRefinement {
			return field.Errorf("programs", "ranks of one program differ too much in whom they talk to; give them programs of their own")
		}
		groups := map[string][]int32{} // by kind: a number for the colours of each group
		for _, s := range sees {
			for _, kind := range s.kinds {
				if groups[kind] == nil {
					groups[kind] = g.colours(kind)
				}
			}
		}
		known := map[string]int{}
		next := make([]int, n)
		var key []byte
		for r := range n {
			s := &sees[program[r]]
			key = binary.AppendUvarint(key[:0], uint64(g.Of[r]))
			for _, kind := range s.kinds {
				key = binary.AppendUvarint(key, uint64(groups[kind][g.groupOf[kind][r]]))
			}
			for _, p := range s.peers {
				key = binary.AppendUvarint(key, uint64(g.Of[p.Of(r)]))
			}
			colour, ok := known[string(key)]
			if !ok {
				colour = len(known)
				known[string(key)] = colour
			}
			next[r] = colour
		}
		g.Of = next
		if len(known) == count {
			break
		}
		count = len(known)
	}
	members := make([][]int, count)
	for r, c := range g.Of {
		members[c] = append(members[c], r)
	}
	g.Classes = make([]Class, count)
	for c := range g.Classes {
		r := members[c][0]
		class := programs[program[r]]
		class.Ranks, class.Groups = NewRankSet(members[c]), map[string]int{}
		for kind, groups := range g.Workload.Kinds {
			class.Groups[kind] = len(groups[g.groupOf[kind][r]])
		}
		g.Classes[c] = class
	}
	return nil
}

// seen has the partners of a program's ranks.
type seen struct {
	kinds []string
	peers []Peer
}

func sight(tasks []Task) (s seen) {
	kinds, peers := map[string]bool{}, map[Peer]bool{}
	for i := range tasks {
		o := tasks[i].Op
		if tasks[i].Type == Collective && !kinds[o.Kind] {
			kinds[o.Kind] = true
			s.kinds = append(s.kinds, o.Kind)
		}
		for _, p := range []*Peer{o.SendTo, o.From} {
			if p != nil && !peers[*p] {
				peers[*p] = true
				s.peers = append(s.peers, *p)
			}
		}
	}
	return s
}

// colours numbers the groups of a kind so that groups with the same colours have the same
// number.
func (g *Graph) colours(kind string) []int32 {
	known := map[string]int32{}
	groups := g.Workload.Kinds[kind]
	numbers := make([]int32, len(groups))
	var list []int
	var key []byte
	for i, ranks := range groups {
		list, key = list[:0], key[:0]
		list = append(list, each.Of(ranks, func(r int) int { return g.Of[r] })...)
		slices.Sort(list)
		for _, c := range list {
			key = binary.AppendUvarint(key, uint64(c))
		}
		number, ok := known[string(key)]
		if !ok {
			number = int32(len(known))
			known[string(key)] = number
		}
		numbers[i] = number
	}
	return numbers
}
