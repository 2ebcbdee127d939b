package rotated

import "math/bits"

// MostPorts is the largest number of circuits that may lead to a node: a table has an entry for
// every set of them.
const MostPorts = 8

// chosen says, for every node below the width and every shard, which of the node's circuits
// brings the shard.
type chosen struct {
	*distances
	by [][]uint8 // by[b][v]: the number of a circuit in from[b]
}

// choose divides the shards that arrive in a step among the circuits over which they may arrive,
// as evenly as possible: O(w n d).
func choose(d *distances) *chosen {
	c := &chosen{distances: d, by: make([][]uint8, d.Width)}
	allowed := make([]uint8, d.Nodes) // the set of circuits that may bring each shard
	for b := range c.by {
		far := d.to[b]
		levels := make([]split, d.steps+1)
		for v, t := range far {
			set := uint8(0)
			for j, p := range d.from[b] {
				if int(t) > 0 && d.between(int32(v), p) == t-1 {
					set |= 1 << j
				}
			}
			allowed[v] = set
			levels[t].has[set]++
		}
		for t := 1; t <= d.steps; t++ {
			levels[t].even(len(d.from[b]))
		}
		by := make([]uint8, d.Nodes)
		for v, t := range far {
			if t > 0 {
				by[v] = levels[t].take(allowed[v])
			}
		}
		c.by[b] = by
	}
	return c
}

// split divides the shards of one step among circuits, by the sets of circuits that may bring
// them.
type split struct {
	has  [1 << MostPorts]int32
	part [1 << MostPorts][MostPorts]int32 // of the shards of a set, by circuit
	load [MostPorts]int32
}

// even makes the largest load as small as possible. It begins with shares of each set and moves
// shards along paths from a circuit with a larger load to one with a smaller load, as long as
// loads differ by two or more. If no such path is left, the circuits that can be reached from the
// busiest one carry only shards that no other circuit may bring, and their loads differ by at
// most one, so the largest load is the least possible.
func (s *split) even(ports int) {
	for set := 1; set < 1<<ports; set++ {
		left := s.has[set]
		count := int32(bits.OnesCount(uint(set)))
		for rest := uint(set); rest != 0; rest &= rest - 1 {
			j := bits.TrailingZeros(rest)
			share := left / count
			s.part[set][j] = share
			s.load[j] += share
			left -= share
			count--
		}
	}
	for s.improve(ports) {
	}
}

// improve moves shards along one path; it reports whether there was one.
func (s *split) improve(ports int) bool {
	for from := range ports {
		// via[j] is the circuit and the set through which j is reached.
		var via [MostPorts]struct{ circuit, set int }
		reached := 1 << from
		queue := []int{from}
		for i := 0; i < len(queue); i++ {
			at := queue[i]
			for set := 1; set < 1<<ports; set++ {
				if s.part[set][at] == 0 {
					continue
				}
				for rest := uint(set) &^ uint(reached); rest != 0; rest &= rest - 1 {
					j := bits.TrailingZeros(rest)
					reached |= 1 << j
					via[j].circuit, via[j].set = at, set
					queue = append(queue, j)
				}
			}
		}
		for _, end := range queue {
			amount := (s.load[from] - s.load[end]) / 2
			if amount < 1 {
				continue
			}
			for j := end; j != from; j = via[j].circuit {
				amount = min(amount, s.part[via[j].set][via[j].circuit])
			}
			for j := end; j != from; j = via[j].circuit {
				s.part[via[j].set][via[j].circuit] -= amount
				s.part[via[j].set][j] += amount
			}
			s.load[from] -= amount
			s.load[end] += amount
			return true
		}
	}
	return false
}

// take returns the circuit of the next shard of a set.
func (s *split) take(set uint8) uint8 {
	for j := range s.part[set] {
		if s.part[set][j] > 0 {
			s.part[set][j]--
			return uint8(j)
		}
	}
	panic("rotated: a shard without a circuit")
}
