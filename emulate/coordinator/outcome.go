package coordinator

import (
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// Outcome is the result of a run. Times are by the coordinator's clock.
type Outcome struct {
	wire.StatsMessage // the bytes that the switch has carried

	Begin, End   time.Duration // of the first circuits and the last step
	Steps        []StepTimes
	Stages       []StageTimes
	Checked      int   // number of ranks with a correct result
	CheckedBytes int64 // of results
	Relayed      int64 // bytes that ranks forwarded
	Fault        *fault.Fault
}

// StepTimes is the times of a step.
type StepTimes struct {
	Index int
	Ready time.Duration // previous step ended and circuits up
	Begin time.Duration // ranks were told to send
	End   time.Duration // the last rank reported that it was done
	Busy  time.Duration // the longest time of a rank by itself
}

// Total returns how long the step took, including its start-up.
func (s *StepTimes) Total() time.Duration { return s.End - s.Ready }

// Barrier returns the cost of telling all ranks to begin and of waiting until all report that
// they are done.
func (s *StepTimes) Barrier() time.Duration { return max(0, s.End-s.Begin-s.Busy) }

// StageTimes is the times of a change of circuits.
type StageTimes struct {
	Index   int
	Changed int           // number of circuits
	Dark    time.Duration // at the switch
	Took    time.Duration // seen by the coordinator
}
