package server

import (
	"math/bits"
	"os"
	"runtime/debug"
)

// spare is the garbage that may pile up before it is collected. A service whose live memory
// is a few megabytes would else collect after every few megabytes, which took half of the
// processor time of small plans.
const spare = 96 << 20

// collector tells Go's collector how much garbage there may be. It is Go's own rule, as much
// as there is alive, but never less than spare; the limit of memory goes before both.
type collector struct {
	percent int
	given   bool // by GOGC, which is then left as it is
}

func newCollector() *collector {
	_, given := os.LookupEnv("GOGC")
	c := &collector{percent: 100, given: given}
	c.adapt(0)
	return c
}

// adapt sets the percentage for so much memory that is alive. It goes by powers of two, so
// that it seldom changes: each change stops the world for a moment.
func (c *collector) adapt(live uint64) {
	const least = 4 << 20 // Go does not collect below this, at 100 percent
	half := int(spare / max(live, least))
	percent := 100
	if half > 0 {
		percent = 100 << (bits.Len(uint(half)) - 1)
	}
	if !c.given && percent != c.percent {
		c.percent = percent
		debug.SetGCPercent(percent)
	}
}
