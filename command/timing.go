package command

import "github.com/lightpath-net/lightpath/field"

// When ranks of an emulation go on, and GPUs of a simulation.
const (
	TimingBarrier      = "barrier"
	TimingAsynchronous = "asynchronous"
)

// CheckTiming reports a word that is no timing.
func CheckTiming(timing string) error {
	if timing != "" && timing != TimingBarrier && timing != TimingAsynchronous {
		return field.Errorf("timing", "%q; want %s or %s", timing, TimingBarrier, TimingAsynchronous)
	}
	return nil
}
