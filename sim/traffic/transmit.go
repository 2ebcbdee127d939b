package traffic

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// ErrPhase is wrapped by errors in a phase.
var ErrPhase = errors.New("sim: invalid phase")

// Invalid says what is wrong with a phase.
func Invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrPhase, fmt.Sprintf(format, args...))
}

// ErrTooLong says that times could exceed 64 bits.
var ErrTooLong = errors.New("sim: the traffic may take longer than 53 days")

// Longest is the longest time that can be simulated, in ps: 53 days. The sum of two such times
// fits 64 bits.
const Longest = 1<<62 - 1

// Never is later than any time of a simulation.
const Never = math.MaxInt64

// Packets returns how many packets of a size bytes need.
func Packets(bytes, packet int64) int64 { return (bytes-1)/packet + 1 }

// PerByte is the number of picoseconds that a byte takes at 1 bit per second.
const PerByte = 8e12

// Transmit returns how many picoseconds bytes take at bps bits per second, rounded up, or false
// if that is longer than a simulation can be.
func Transmit(bytes, bps int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(bytes), PerByte)
	lo, carry := bits.Add64(lo, uint64(bps-1), 0)
	hi += carry
	if hi >= uint64(bps) {
		return 0, false
	}
	t, _ := bits.Div64(hi, lo, uint64(bps))
	return int64(t), t <= Longest
}
