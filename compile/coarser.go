package compile

import (
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/units"
)

// coarserSaves is the share of a program's time that a coarser cut must save: it rounds the shares
// of routes.
const coarserSaves = 0.01

// cut is a plan made into programs whose chunks are parts of the plan's chunks.
type cut[T any] struct {
	made  T
	parts int        // of a chunk of the plan
	takes units.Time // predicted
}

// fastestCut makes programs with chunks cut as finely as the routes of the plan need, and with ever
// coarser cuts, whose messages are larger and fewer. It returns the fastest, and a note if a
// coarser cut is faster. make makes programs with at most so many parts.
func fastestCut[T any](make func(parts int) (*cut[T], error)) (made T, note string, err error) {
	finest, err := make(lower.DefaultMaxParts)
	if err != nil {
		return made, "", err
	}
	best := finest
	for parts := finest.parts / 2; parts > 0; parts /= 2 {
		coarser, err := make(parts)
		switch {
		case errors.Is(err, lower.ErrRefused): // messages too large, say
			continue
		case err != nil:
			return made, "", err
		case coarser.takes < best.takes*(1-coarserSaves):
			best = coarser
		}
	}
	if best != finest {
		note = fmt.Sprintf("shares of routes are rounded because small messages are slow: with chunks cut into %d the program would take %v", finest.parts, finest.takes)
	}
	return best.made, note, nil
}
