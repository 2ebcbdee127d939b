package classic

import (
	"math/bits"

	"github.com/lightpath-net/lightpath/internal/each"
)

// The graphs of Gewirtz, of M22 and of Higman and Sims are made from the 77 blocks of Witt's
// design, each of six out of 22 points: every three points are in exactly one block. The blocks
// are the words of weight eight of the binary Golay code that contain two given places, without
// these places.

// hexads returns the blocks, as sets of bits.
func hexads() []uint32 {
	const generator = 0b110001110101 // x^11 + x^10 + x^6 + x^5 + x^4 + x^2 + 1, of 23 places
	var all []uint32
	for message := range uint32(1 << 12) {
		word := uint32(0)
		for i := range 12 {
			if message>>i&1 == 1 {
				word ^= generator << i
			}
		}
		word |= uint32(bits.OnesCount32(word)&1) << 23
		if bits.OnesCount32(word) == 8 && word>>22 == 3 {
			all = append(all, word&(1<<22-1))
		}
	}
	return all
}

// M22 has 77 nodes of degree 16: the blocks, joined when they are disjoint.
func M22() Graph {
	blocks := hexads()
	return New(len(blocks), func(u, v int) bool { return blocks[u]&blocks[v] == 0 })
}

// Gewirtz has 56 nodes of degree 10: the blocks without a given point, joined when they are
// disjoint.
func Gewirtz() Graph {
	blocks := each.Where(hexads(), func(b uint32) bool { return b&1 == 0 })
	return New(len(blocks), func(u, v int) bool { return blocks[u]&blocks[v] == 0 })
}

// HigmanSims has 100 nodes of degree 22: one extra node, joined to the points; the points,
// joined to their blocks; and the blocks, joined when they are disjoint.
func HigmanSims() Graph {
	blocks := hexads()
	return New(23+len(blocks), func(u, v int) bool { // u > v
		switch {
		case u < 23:
			return v == 0
		case v == 0:
			return false
		case v < 23:
			return blocks[u-23]>>(v-1)&1 == 1
		}
		return blocks[u-23]&blocks[v-23] == 0
	})
}
