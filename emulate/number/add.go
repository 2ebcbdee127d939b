package number

import (
	"encoding/binary"
	"math"
)

// Add adds the elements of src to those of dst. Both have the same length, a multiple of
// the element's size. Integers wrap around; floats round to nearest, ties to even, after
// every addition (a sum of bfloat16 is made in float32 and rounded once more: 24 bits hold
// the exact sum's rounding position, because 24 >= 2*8+2).
func (t Type) Add(dst, src []byte) {
	le := binary.LittleEndian
	src = src[:len(dst)]
	switch t {
	case Int32:
		for i := 0; i+4 <= len(dst); i += 4 {
			le.PutUint32(dst[i:], le.Uint32(dst[i:])+le.Uint32(src[i:]))
		}
	case Float32:
		for i := 0; i+4 <= len(dst); i += 4 {
			sum := math.Float32frombits(le.Uint32(dst[i:])) + math.Float32frombits(le.Uint32(src[i:]))
			le.PutUint32(dst[i:], math.Float32bits(sum))
		}
	case Float64:
		for i := 0; i+8 <= len(dst); i += 8 {
			sum := math.Float64frombits(le.Uint64(dst[i:])) + math.Float64frombits(le.Uint64(src[i:]))
			le.PutUint64(dst[i:], math.Float64bits(sum))
		}
	case BFloat16:
		for i := 0; i+2 <= len(dst); i += 2 {
			sum := fromBrain(le.Uint16(dst[i:])) + fromBrain(le.Uint16(src[i:]))
			le.PutUint16(dst[i:], toBrain(sum))
		}
	}
}

// fromBrain widens a bfloat16: it is the upper half of a float32.
func fromBrain(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }

// toBrain rounds to the nearest bfloat16, ties to even. NaN stays NaN.
func toBrain(f float32) uint16 {
	bits := math.Float32bits(f)
	if f != f {
		return uint16(bits>>16) | 0x40
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// put writes a float that the type holds exactly.
func (t Type) put(dst []byte, v float64) {
	switch t {
	case Float64:
		binary.LittleEndian.PutUint64(dst, math.Float64bits(v))
	case Float32:
		binary.LittleEndian.PutUint32(dst, math.Float32bits(float32(v)))
	case BFloat16:
		binary.LittleEndian.PutUint16(dst, toBrain(float32(v)))
	}
}

// get reads a float.
func (t Type) get(src []byte) float64 {
	switch t {
	case Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(src))
	case Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(src)))
	}
	return float64(fromBrain(binary.LittleEndian.Uint16(src)))
}
