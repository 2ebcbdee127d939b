package server

import (
	"math/bits"
	"os"
	"runtime/debug"
)

// spare is the garbage that may accumulate before it is collected. Otherwise, a service with a
// few megabytes of live memory would collect after every few megabytes, which took half of the
// processor time of small plans.
const spare = 96 << 20

// collector sets how much garbage Go's collector allows. It follows Go's own rule, as much
// garbage as live memory, but never less than spare; the memory limit takes precedence over
// both.
type collector struct {
	percent int
	given   bool // set by GOGC, which is then kept
}

func newCollector() *collector {
	_, given := os.LookupEnv("GOGC")
	c := &collector{percent: 100, given: given}
	c.adapt(0)
	return c
}

// adapt sets the percentage for the given live memory. It uses powers of two, so that the
// percentage seldom changes, because each change stops the world for a moment.
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
