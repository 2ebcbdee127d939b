package finder

import (
	"fmt"
	"math/big"

	"github.com/lightpath-net/lightpath/units"
)

// Machine turns steps and bandwidth into time.
type Machine struct {
	// Alpha is the latency of a step.
	Alpha units.Duration
	// NodeBandwidth is what all ports of a node carry together, in one direction.
	NodeBandwidth units.Bandwidth
}

func (m Machine) validate() error {
	switch {
	case m.Alpha < 0:
		return fmt.Errorf("%w: a latency of %v per step, want at least 0", ErrInvalid, m.Alpha)
	case m.NodeBandwidth < 1:
		return fmt.Errorf("%w: a node bandwidth of %v, want at least 1bps", ErrInvalid, m.NodeBandwidth)
	}
	return nil
}

// Time returns how long a collective of that size takes:
// Alpha x Steps + Bandwidth x size / NodeBandwidth.
func (m Machine) Time(c Cost, size units.Bytes) (units.Time, error) {
	if err := m.validate(); err != nil {
		return 0, err
	}
	if size < 0 {
		return 0, fmt.Errorf("%w: a size of %d bytes, want at least 0", ErrInvalid, size)
	}
	return nanoseconds(m.time(c, big.NewRat(1, 1), new(big.Rat).SetInt64(int64(size)))), nil
}

// time returns, in picoseconds, what times collectives take whose sizes add up to bytes.
func (m Machine) time(c Cost, times, bytes *big.Rat) *big.Rat {
	latency := big.NewRat(int64(m.Alpha), 1)
	latency.Mul(latency, big.NewRat(int64(c.Steps), 1)).Mul(latency, times)
	transfer := big.NewRat(8*int64(units.Second), int64(m.NodeBandwidth))
	transfer.Mul(transfer, c.Bandwidth).Mul(transfer, bytes)
	return latency.Add(latency, transfer)
}

func nanoseconds(ps *big.Rat) units.Time {
	ns, _ := new(big.Rat).Quo(ps, big.NewRat(int64(units.Nanosecond), 1)).Float64()
	return units.Time(ns)
}
