package emulating

import (
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/emulate"
)

// WithEmulatedSteps makes Emulate call step whenever a step has ended, and rank whenever one
// rank has ended a step. Ranks and steps count from 1. Both functions are called from one
// goroutine and should return at once.
func WithEmulatedSteps(step func(s EmulatedStep), rank func(rank, step int)) command.Option {
	return func(o *command.Options) {
		o.StepEnded = func(s emulate.Step) { step(emulatedStep(s)) }
		o.RankEnded = rank
	}
}
