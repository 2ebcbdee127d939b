package cast

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// Scatters in groups. A holder has the blocks of a range of nodes, its own first. In a stage it
// deals them out to the members of a group, in one step: a member gets the blocks of its part of
// the range, and is a holder in the next stage. Parts differ by one block at most, the larger ones
// first. The root sends every block but its own once, however many stages there are, so groups
// cost nothing but a start-up and a reconfiguration each, and take far fewer hops than a single
// step. A gather is a scatter reversed in time.
//
// The circuits of a group are branches from the holder. A node of a branch has as many children as
// its ports allow. If the branches do not share out the members evenly, the last members may be at
// the ends of all branches: each of them sends its part of what they get. On two-way circuits with
// two ports that is a ring.

// dealing is the step of a stage.
type dealing struct {
	members int // of a group, with the holder; fewer if the holder has fewer blocks
	width   int // circuits of a link
	shared  bool
}

// branches are those of a group of a holder with a number of blocks.
type branches struct {
	dealing
	blocks int
	count  int // branches
	fan    int // children of a node of a branch
	length int // members that a branch has for itself; the first ones have one more if more is set
	more   int // members beyond those
}

// of returns the branches of a group, and whether the ports allow them.
func (d dealing) of(blocks int, s *digit.Search) (b branches, ok bool) {
	d.members = min(d.members, blocks)
	others := d.members - 1
	b = branches{dealing: d, blocks: blocks, count: min(s.Ports/d.width, others), fan: s.Ports / d.width}
	if s.Duplex {
		b.fan-- // a port leads back
	}
	if others == 0 {
		return b, true
	}
	if b.count == 0 || b.fan == 0 && others > b.count {
		return b, false
	}
	b.length, b.more = others/b.count, others%b.count
	return b, true
}

// part returns the number of blocks of member i, the holder being member 0.
func (b *branches) part(i int) int {
	part := b.blocks / b.members
	if i < b.blocks%b.members {
		part++
	}
	return part
}

// depth returns how far a position of a branch is from the holder; the first one is 1.
func (b *branches) depth(position int) int {
	deep := 0
	for ; position > 0; position = b.parent(position) {
		deep++
	}
	return deep
}

// parent returns the position of the parent in the same branch; 0 is the holder.
func (b *branches) parent(position int) int {
	if position == 1 {
		return 0
	}
	return (position-2)/b.fan + 1
}

// place returns the branch and the position of a member. If it is at the ends of all branches, the
// branch is -1.
func (b *branches) place(member int) (branch, position int) {
	branch, position = (member-1)%b.count, (member-1)/b.count+1
	if extra := member - 1 - b.count*b.length; b.shared && extra >= 0 {
		return -1, b.length + 1 + extra
	}
	return branch, position
}

// takes returns the cost of the step in blocks. The first branch has the most.
func (b *branches) takes() network.Tally {
	w := float64(b.width)
	first := b.length // members that the first branch has for itself
	if b.more > 0 && !b.shared {
		first++
	}
	larger := b.blocks%b.members - 1 // other members that have a block more
	load := float64(first * (b.blocks / b.members))
	load += float64(min(first, (max(0, larger)+b.count-1)/b.count))
	ends := 0.0
	for i := range b.more {
		if b.shared {
			ends += float64(b.part(b.count*b.length+1+i)) / float64(b.count)
		}
	}
	t := network.Tally{Peak: (load + ends) / w, Pair: float64(b.part(1))}
	for _, member := range [...]int{larger, b.count * b.length, b.members - 1} {
		if member < 1 {
			continue
		}
		branch, position := b.place(member)
		routes := 1
		if branch < 0 {
			routes = b.count
		}
		deep := b.depth(position)
		t.Hops = max(t.Hops, deep)
		t.Dilation = max(t.Dilation, float64(b.part(member)*deep)/float64(routes)/w)
	}
	return t
}

// Scatters returns the best scatters from node 0 with each number of reconfigurations, the fastest
// first.
func Scatters(s *digit.Search, nodes int, bytes float64) []cast {
	block := bytes / float64(nodes)
	type key struct{ blocks, changes int }
	type choice struct {
		time float64 // of this stage and the next ones
		step dealing
	}
	known := map[key]choice{}
	var best func(blocks, changes int) choice
	best = func(blocks, changes int) choice {
		if blocks == 1 {
			return choice{}
		}
		k := key{blocks, changes}
		if c, ok := known[k]; ok {
			return c
		}
		least := choice{time: math.Inf(1)}
		for members := 2; members <= blocks && !s.Stopped(); members++ {
			rest := (blocks + members - 1) / members
			after := 0.0
			if rest > 1 {
				if changes == 0 {
					continue
				}
				after = s.Wait + best(rest, changes-1).time
			}
			if after >= least.time {
				continue
			}
			for width := 1; width <= s.Ports; width++ {
				for _, shared := range [...]bool{false, true} {
					step := dealing{members, width, shared}
					b, ok := step.of(blocks, s)
					if !ok || shared && b.more == 0 {
						continue
					}
					t := b.takes()
					time := after + s.Time(digit.Shape{Steps: 1, Hops: t.Hops, Load: s.Machine.Load(t)}, block)
					if time < least.time {
						least = choice{time, step}
					}
				}
			}
		}
		known[k] = least
		return least
	}
	var all []cast
	for changes := 0; 1<<changes <= nodes && changes <= s.Changes; changes++ {
		found := best(nodes, changes)
		if s.Stopped() || math.IsInf(found.time, 1) {
			continue
		}
		var steps []dealing
		for blocks, left := nodes, changes; blocks > 1; left-- {
			step := best(blocks, left).step
			steps = append(steps, step)
			blocks = (blocks + step.members - 1) / step.members
		}
		if len(steps) < changes+1 {
			continue // as with fewer reconfigurations
		}
		all = append(all, cast{Time: found.time, Changes: changes, About: aboutGroups(steps), Build: func() Laid {
			return layGroups(s, nodes, steps)
		}})
	}
	slices.SortStableFunc(all, func(a, b cast) int { return cmp.Compare(a.Time, b.Time) })
	return all[:min(len(all), s.Keep)]
}

func aboutGroups(steps []dealing) string {
	var sizes []string
	for _, step := range steps {
		sizes = append(sizes, fmt.Sprint(step.members))
	}
	return "groups of up to " + strings.Join(sizes, ", then ")
}

// layGroups lays out a scatter.
func layGroups(s *digit.Search, nodes int, steps []dealing) Laid {
	laid := Laid{Space: collective.SpaceOf(collective.Scatter, nodes, 1)}
	holders := map[int]int{0: nodes} // the blocks of each
	for i, d := range steps {
		var edges []topology.Edge
		var step plan.Step
		next := map[int]int{}
		for holder := range nodes {
			blocks, holds := holders[holder]
			if !holds {
				continue
			}
			b, _ := d.of(blocks, s)
			next[holder] = b.part(0)
			made, links := b.lay(holder)
			for k := range made {
				next[made[k].Dst] = made[k].Chunks.Len()
			}
			step.Base, edges = append(step.Base, made...), append(edges, links...)
		}
		laid.deals = append(laid.deals, true)
		name := fmt.Sprintf("stage %d: groups of up to %d", i+1, d.members)
		laid.Stages = append(laid.Stages, plan.Stage{Topology: topology.New(nodes, name, tieUp(edges, s.Duplex)), Steps: []plan.Step{step}})
		holders = next
	}
	return laid
}

// lay returns the transfers from a holder to the members of its group, and the circuits.
func (b *branches) lay(holder int) (made []plan.Transfer, edges []topology.Edge) {
	at := map[[2]int]int{} // nodes by branch and position
	first := holder + b.part(0)
	for member := 1; member < b.members; member++ {
		branch, position := b.place(member)
		ways := []int{branch}
		if branch < 0 {
			ways = ways[:0]
			for k := range b.count {
				ways = append(ways, k)
			}
		}
		t := plan.Transfer{Transfer: collective.Transfer{Src: holder, Dst: first, Action: collective.Copy, Chunks: collective.Every(first, 1, b.part(member))}}
		for _, branch := range ways {
			at[[2]int{branch, position}] = first
			var path []int32
			for p := position; p > 0; p = b.parent(p) {
				path = append(path, int32(at[[2]int{branch, p}]))
			}
			path = append(path, int32(holder))
			slices.Reverse(path)
			edges = append(edges, topology.Edge{From: int(path[len(path)-2]), To: first, Count: b.width})
			t.Routes = append(t.Routes, flow.Route{Path: path, Share: 1 / float64(len(ways))})
		}
		made = append(made, t)
		first += b.part(member)
	}
	return made, edges
}
