package number

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Data makes the inputs of ranks and checks results, both from a seed only: no rank needs the
// input of another to know the correct result.
//
// Chunks that are only moved are random bits, the same at every node that has the chunk. Chunks
// that are summed are products: node u contributes x(chunk, i) * w(u) to element i. So the sum
// over any nodes is x times the sum of their weights, and checking one element takes O(1).
//
// Integers: x and w are 32 random bits; arithmetic is modulo 2^32, and the check is bit for bit.
// A wrong set of contributions passes only if it has the same sum of weights as the right one,
// which has probability 2^-32 for random weights.
//
// Floats: in every second element, x is a power of two and the weights are small whole numbers
// whose sum fits in the significand (as long as possible). Every order of additions then gives
// the same bits, and the check is bit for bit. In the other elements, x and w have half the
// significand's bits each: contributions are exact, and their sums round.
type Data struct {
	Type Type
	Seed uint64
	// Nodes bounds how many contributions one sum can have.
	Nodes int
}

// mix is the finaliser of splitmix64 (Steele, Lea and Flood 2014).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// stream returns where the random numbers of a chunk start.
func (d *Data) stream(chunk int) uint64 { return mix(mix(d.Seed) ^ uint64(chunk)) }

// Fill writes the input of a node for a chunk.
func (d *Data) Fill(dst []byte, node, chunk int, reduces bool) {
	base := d.stream(chunk)
	if !reduces {
		fillBits(dst, base)
		return
	}
	w := d.weightOf(node)
	size := d.Type.Size()
	for i := 0; (i+1)*size <= len(dst); i++ {
		at := dst[i*size:]
		switch {
		case d.Type == Int32:
			binary.LittleEndian.PutUint32(at, uint32(mix(base+uint64(i)))*w.whole)
		case i%2 == 0:
			d.Type.put(at, math.Ldexp(w.small, d.power(base, i)))
		default:
			d.Type.put(at, d.half(mix(base+uint64(i)))*w.half)
		}
	}
}

// fillBits writes random bits.
func fillBits(dst []byte, base uint64) {
	i := uint64(0)
	for ; len(dst) >= 8; dst = dst[8:] {
		binary.LittleEndian.PutUint64(dst, mix(base+i))
		i++
	}
	if len(dst) > 0 {
		var last [8]byte
		binary.LittleEndian.PutUint64(last[:], mix(base+i))
		copy(dst, last[:])
	}
}

// power returns the exponent of element i, if sums are exact.
func (d *Data) power(base uint64, i int) int { return int(mix(base+uint64(i))%8) - 4 }

// half returns a float in ±[1, 2) with half the significand's bits.
func (d *Data) half(bits uint64) float64 {
	p := d.Type.precision() / 2
	m := float64(uint64(1)<<(p-1)|bits>>8&(1<<(p-1)-1)) / float64(uint64(1)<<(p-1))
	if bits&1 == 1 {
		return -m
	}
	return m
}

// weight is the factor of a node, or a sum of such factors.
type weight struct {
	whole uint32  // of integers
	small float64 // of floats with exact sums
	half  float64 // of other floats
	size  float64 // the absolute value of half
}

// weightOf returns the factor of a node.
func (d *Data) weightOf(node int) weight {
	bits := mix(mix(d.Seed^0x6c69676874) + uint64(node))
	w := weight{whole: uint32(bits) | 1, small: 1}
	if p := d.Type.precision(); p > 0 {
		room := uint64(1) << min(p, 32) / uint64(max(1, d.Nodes))
		w.small = float64(1 + mix(bits)%max(1, min(room, 1<<16)))
		w.half = d.half(mix(bits + 1))
		w.size = math.Abs(w.half)
	}
	return w
}

// Check reports the first wrong element of a result. The chunk is the sum of the contributions
// of the nodes in from, or what each of them has. No contribution has gone through more than
// depth additions, so a float differs from the true sum by at most g times the sum of the
// contributions' absolute values, where g = depth*u/(1 - depth*u) and u is half the distance
// from 1 to the next float (Higham 2002, section 4.2).
func (d *Data) Check(result []byte, chunk int, from []int, reduces bool, depth int) error {
	if !reduces {
		return d.checkBits(result, chunk)
	}
	var sum weight
	for _, u := range from {
		w := d.weightOf(u)
		sum.whole += w.whole
		sum.small += w.small
		sum.half += w.half
		sum.size += w.size
	}
	base, size := d.stream(chunk), d.Type.Size()
	g := d.Type.drift(depth)
	small := math.Ldexp(sum.small, -d.Type.precision()) <= 1
	for i := 0; (i+1)*size <= len(result); i++ {
		at := result[i*size:]
		if d.Type == Int32 {
			got, want := binary.LittleEndian.Uint32(at), uint32(mix(base+uint64(i)))*sum.whole
			if got != want {
				return fmt.Errorf("element %d of chunk %d is %d; want %d", i, chunk, int32(got), int32(want))
			}
			continue
		}
		got := d.Type.get(at)
		want, slack := math.Ldexp(sum.small, d.power(base, i)), 0.0
		if i%2 == 1 {
			x := d.half(mix(base + uint64(i)))
			want = x * sum.half
			// The product itself is rounded once.
			slack = g*math.Abs(x)*sum.size + math.Abs(want)*0x1p-52
		} else if !small {
			slack = g * want
		}
		if !(math.Abs(got-want) <= slack) {
			return fmt.Errorf("element %d of chunk %d is %v; want %v within %.3g", i, chunk, got, want, slack)
		}
	}
	return nil
}

// drift returns the largest relative error of depth additions.
func (t Type) drift(depth int) float64 {
	if t.precision() == 0 {
		return 0
	}
	u := float64(depth) * math.Ldexp(1, -t.precision())
	if u >= 1 {
		return math.Inf(1)
	}
	return u / (1 - u)
}

func (d *Data) checkBits(result []byte, chunk int) error {
	want := make([]byte, len(result))
	fillBits(want, d.stream(chunk))
	for i := range want {
		if result[i] != want[i] {
			return fmt.Errorf("byte %d of chunk %d is %#02x; want %#02x", i, chunk, result[i], want[i])
		}
	}
	return nil
}
