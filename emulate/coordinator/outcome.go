package coordinator

import (
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// Outcome is the result of a run. Times are by the coordinator's clock.
type Outcome struct {
	wire.StatsMessage // what the switch has carried

	Begin, End   time.Duration // circuits and steps
	Steps        []StepTimes
	Stages       []StageTimes
	Checked      int   // ranks whose result is right
	CheckedBytes int64 // of results
	Relayed      int64 // bytes that ranks passed on
	Fault        *fault.Fault
}

// StepTimes is when a step did what.
type StepTimes struct {
	Index int
	Ready time.Duration // the step before had ended, circuits were up
	Begin time.Duration // ranks were told to send
	End   time.Duration // the last rank had told that it was done
	Busy  time.Duration // the longest that a rank itself took
}

// Total is how long the step took, its start-up included.
func (s *StepTimes) Total() time.Duration { return s.End - s.Ready }

// Barrier is what it cost to tell all ranks to begin and to hear that all are done.
func (s *StepTimes) Barrier() time.Duration { return max(0, s.End-s.Begin-s.Busy) }

// StageTimes is how a change of circuits went.
type StageTimes struct {
	Index   int
	Changed int           // circuits
	Dark    time.Duration // at the switch
	Took    time.Duration // seen by the coordinator
}
