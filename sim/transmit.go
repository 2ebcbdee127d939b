package sim

import "math/bits"

// perByte is how many picoseconds a byte takes at 1 bit per second.
const perByte = 8e12

// transmit returns how many picoseconds bytes take at bps bits per second, rounded
// up, or false if that is longer than a simulation can be.
func transmit(bytes, bps int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(bytes), perByte)
	lo, carry := bits.Add64(lo, uint64(bps-1), 0)
	hi += carry
	if hi >= uint64(bps) {
		return 0, false
	}
	t, _ := bits.Div64(hi, lo, uint64(bps))
	return int64(t), t <= longest
}
