package sim

import "math/bits"

// keyed is something with a key to be sorted by.
type keyed struct {
	key uint64
	of  int32
}

// digit is how many bits of a key are sorted by at a time: a table of counts that fits the
// fastest cache.
const digit = 11

// sortKeyed sorts by key, none of which is above largest; what has the same key stays in its
// order. It is a radix sort from the least digit on (Knuth, The Art of Computer Programming, vol.
// 3, 5.2.5): O(n d) for n keys of d digits, where comparing takes O(n log n).
func sortKeyed(list []keyed, largest uint64) []keyed {
	other := make([]keyed, len(list))
	for shift := 0; shift < bits.Len64(largest); shift += digit {
		var count [1<<digit + 1]int32
		for i := range list {
			count[list[i].key>>shift&(1<<digit-1)+1]++
		}
		for d := range 1 << digit {
			count[d+1] += count[d]
		}
		for i := range list {
			at := &count[list[i].key>>shift&(1<<digit-1)]
			other[*at] = list[i]
			*at++
		}
		list, other = other, list
	}
	return list
}
