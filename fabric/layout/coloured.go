package layout

import (
	"fmt"

	"github.com/lightpath-net/lightpath/flow/matching"
)

// coloured gives circuits of a bundle switches and ports. Every GPU has enough ports for its
// circuits.
func (p *Plugging) coloured(bundle int, pairs [][2]int, twoWay bool) ([]Circuit, error) {
	b := &p.bundles[bundle]
	local := make(map[int]int, len(b.gpus)) // index of a GPU in the bundle
	for i, u := range b.gpus {
		local[int(u)] = i
	}
	k := len(b.switches)
	var colour []int
	if !twoWay {
		colour = oneWayColours(b, local, pairs, k)
	} else {
		var err error
		if colour, err = twoWayColours(b, local, pairs, k); err != nil {
			return nil, err
		}
	}
	// A GPU's ports on a switch are taken in order: transmit and receive fibres separately, or
	// both together.
	taken := map[[3]int]int{} // by GPU, switch, and 1 for receive fibres
	next := func(u, s, side int) int {
		if twoWay {
			side = 0
		}
		key := [3]int{u, s, side}
		nth := taken[key]
		taken[key]++
		return p.portOn(u, s, nth)
	}
	made := make([]Circuit, len(pairs))
	for i, c := range pairs {
		s := b.switches[colour[i]]
		made[i] = Circuit{From: c[0], FromPort: next(c[0], s, 0), To: c[1], Switch: s}
		if twoWay && c[0] == c[1] {
			made[i].ToPort = made[i].FromPort
		} else {
			made[i].ToPort = next(c[1], s, 1)
		}
	}
	return made, nil
}

// portOn returns the n-th port of a GPU on a switch.
func (p *Plugging) portOn(u, s, nth int) int {
	for port, at := range p.at[u*p.ports : (u+1)*p.ports] {
		if int(at) == s {
			if nth == 0 {
				return port
			}
			nth--
		}
	}
	panic(fmt.Sprintf("layout: GPU %d has too few ports on switch %d", u, s))
}

// oneWayColours divides circuits among k switches. Every GPU becomes as many nodes as it has
// ports on each switch, with at most k circuits out and k in. The graph from senders to
// receivers is then bipartite (König 1916).
func oneWayColours(b *bundle, local map[int]int, pairs [][2]int, k int) []int {
	first, nodes := copies(b)
	split := make([][2]int, len(pairs))
	var used [2][]int
	used[0], used[1] = make([]int, len(b.gpus)), make([]int, len(b.gpus))
	for i, c := range pairs {
		for side, u := range c {
			at := local[u]
			split[i][side] = first[at] + used[side][at]/k
			used[side][at]++
		}
	}
	colour := make([]int, len(pairs))
	for c, group := range matching.Divide(nodes, split) {
		for _, i := range group {
			colour[i] = c
		}
	}
	return colour
}

// copies numbers the nodes into which GPUs are split: one for each port on a switch.
func copies(b *bundle) (first []int, nodes int) {
	first = make([]int, len(b.gpus))
	for i, each := range b.each {
		first[i] = nodes
		nodes += int(each)
	}
	return first, nodes
}

// twoWayColours divides two-way circuits among k switches. A single switch takes them all. With
// several, and one port per GPU on each, each switch takes a matching: a proper edge colouring.
// If all GPUs have an even number of ports on each, orienting the circuits along closed walks
// gives every GPU as many circuits out as in, and they are then divided as one-way circuits
// (Petersen 1891).
func twoWayColours(b *bundle, local map[int]int, pairs [][2]int, k int) ([]int, error) {
	if k == 1 {
		return make([]int, len(pairs)), nil
	}
	colour := make([]int, len(pairs))
	var links [][2]int // circuits between different GPUs
	var which []int
	loops := false
	for i, c := range pairs {
		if c[0] == c[1] {
			loops = true
			continue
		}
		links, which = append(links, [2]int{local[c[0]], local[c[1]]}), append(which, i)
	}
	found, err := dividedLinks(b, links, k)
	if err != nil {
		return nil, err
	}
	for j, c := range found {
		colour[which[j]] = c
	}
	if loops { // they take what is left, wherever that is
		used := map[[2]int]int{}
		for j, c := range links {
			used[[2]int{c[0], found[j]}]++
			used[[2]int{c[1], found[j]}]++
		}
		for i, c := range pairs {
			u := local[c[0]]
			for s := 0; c[0] == c[1] && s < k; s++ {
				if at := [2]int{u, s}; used[at] < int(b.each[u]) {
					used[at]++
					colour[i] = s
					break
				}
			}
		}
	}
	return colour, nil
}

func dividedLinks(b *bundle, links [][2]int, k int) ([]int, error) {
	even := true
	for _, each := range b.each {
		even = even && each%2 == 0
	}
	if even {
		half := bundle{gpus: b.gpus, each: make([]int32, len(b.each))}
		same := make(map[int]int, len(b.gpus))
		for i, each := range b.each {
			half.each[i] = each / 2
			same[i] = i
		}
		return oneWayColours(&half, same, oriented(len(b.gpus), links), k), nil
	}
	first, nodes := copies(b)
	used := make([]int, len(b.gpus))
	split := make([][2]int, len(links))
	for i, c := range links {
		for side, u := range c {
			split[i][side] = first[u] + used[u]/k
			used[u]++
		}
	}
	colours, proven := properColours(nodes, split, k)
	if colours != nil {
		return colours, nil
	}
	if proven && nodes == len(b.gpus) { // otherwise GPUs might be split in another way
		return nil, fmt.Errorf("its two-way circuits are no %d matchings, one for each switch", k)
	}
	return nil, fmt.Errorf("%w in %d choices", ErrGivenUp, effort)
}

// oriented directs links along closed walks (Euler) so that every node has as many out as in,
// up to one; nodes of odd degree are joined for that.
func oriented(nodes int, links [][2]int) [][2]int {
	degree := make([]int, nodes+1)
	for _, c := range links {
		degree[c[0]]++
		degree[c[1]]++
	}
	all := append([][2]int(nil), links...)
	for u := range nodes {
		if degree[u]%2 == 1 {
			all = append(all, [2]int{u, nodes})
		}
	}
	at := make([][]int, nodes+1)
	for i, c := range all {
		at[c[0]], at[c[1]] = append(at[c[0]], i), append(at[c[1]], i)
	}
	walked := make([]bool, len(all))
	for start := range at {
		for u := start; ; {
			for len(at[u]) > 0 && walked[at[u][len(at[u])-1]] {
				at[u] = at[u][:len(at[u])-1]
			}
			if len(at[u]) == 0 {
				if u == start {
					break
				}
				u = start // closed walks end where they began
				continue
			}
			i := at[u][len(at[u])-1]
			walked[i] = true
			v := all[i][0] + all[i][1] - u
			all[i] = [2]int{u, v}
			u = v
		}
	}
	return all[:len(links)]
}
