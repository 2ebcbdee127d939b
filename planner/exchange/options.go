package exchange

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/units"
)

// Options are what a request may ask of the planner. The zero value leaves all open.
type Options struct {
	// Strategy is one of strategy.Names, or "" for the best of all.
	Strategy string
	// Stages is the number of topologies, exactly, or 0 for the best.
	Stages int
	// Chunk is the largest that may be sent at once, or 0 for any. It matters on fabrics
	// that store and forward: there what a pair has is cut into the number of chunks that
	// is best, 1, 2, 3, 4, 6, 8, 12 and so on up to mostPieces, or into the first of these
	// numbers that makes them small enough. On fabrics that cut through, bytes flow.
	Chunk units.Bytes

	sparing bool // the strategy is one of all: not what takes too long
}

// validate reports what makes the options meaningless.
func (o Options) validate() error {
	switch {
	case o.Strategy != "" && !slices.Contains(strategy.Names(), o.Strategy):
		return fmt.Errorf("strategy: %q, want %s", o.Strategy, strings.Join(strategy.Names(), ", "))
	case o.Stages < 0:
		return fmt.Errorf("stages: %d, want 1 or more, or 0 for the best", o.Stages)
	case o.Chunk < 0:
		return fmt.Errorf("chunk: %v, want more than 0B, or 0B for any", o.Chunk)
	}
	return nil
}
