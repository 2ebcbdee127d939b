package traffic

import "math/bits"

// digit is the number of bits sorted at a time: a table of counts fits the fastest cache.
const digit = 11

// sortKeys sorts by the bits of a key from bit low on, and is stable. It is a
// least-significant-digit radix sort (Knuth, The Art of Computer Programming, vol. 3, 5.2.5):
// O(n d) for n keys of d digits, where a comparison sort takes O(n log n).
func sortKeys(list []uint64, low int) []uint64 {
	largest := uint64(0)
	for _, key := range list {
		largest |= key
	}
	if bits.Len64(largest) <= low {
		return list
	}
	other := make([]uint64, len(list))
	for shift := low; shift < bits.Len64(largest); shift += digit {
		var count [1<<digit + 1]int32
		for _, key := range list {
			count[key>>shift&(1<<digit-1)+1]++
		}
		for d := range 1 << digit {
			count[d+1] += count[d]
		}
		for _, key := range list {
			at := &count[key>>shift&(1<<digit-1)]
			other[*at] = key
			*at++
		}
		list, other = other, list
	}
	return list
}
