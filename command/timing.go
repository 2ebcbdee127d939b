package command

import (
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
)

// When ranks of an emulation, or GPUs of a simulation, go on to the next step.
const (
	TimingBarrier      = "barrier"
	TimingAsynchronous = "asynchronous"
)

// CheckTiming returns an error for an unknown timing.
func CheckTiming(timing string) error {
	if timing != "" && timing != TimingBarrier && timing != TimingAsynchronous {
		return field.Errorf("timing", "%q; want %s or %s", timing, TimingBarrier, TimingAsynchronous)
	}
	return nil
}

// CheckBarriers refuses to run without barriers on a fabric that needs them.
func CheckBarriers(timing string, f *fabric.Fabric) error {
	if timing != TimingAsynchronous || f.Charge == fabric.ChargeChanges {
		return nil
	}
	return field.Errorf("timing", "%s does not go with charge %s, for which all GPUs wait before a step; use %s", timing, f.Charge, TimingBarrier)
}
