package emulating

import (
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/emulate"
)

// WithEmulatedSteps has Emulate call step with every step that has ended, and rank with
// every rank that has ended a step, which count from 1. Both are called from one goroutine
// and should return at once.
func WithEmulatedSteps(step func(s EmulatedStep), rank func(rank, step int)) command.Option {
	return func(e *command.Environment) {
		e.StepEnded = func(s emulate.Step) { step(emulatedStep(s)) }
		e.RankEnded = rank
	}
}
