// Package garbage bounds how much unused memory may accumulate before it is collected.
//
// By default Go allows as much garbage as live memory. A plan of 16384 GPUs takes up to a
// gigabyte, and so would need two; a search with little live memory would collect all the time.
// This package sets a bound in bytes instead.
package garbage

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// Most limits garbage to this many bytes, but not below leastPercent of the live memory, from
// the collector's next run on. The latest limit counts. GOGC takes precedence if it is set.
func Most(bytes uint64) {
	if _, given := os.LookupEnv("GOGC"); given {
		return
	}
	if all.most.Swap(bytes) == 0 {
		watch(&all)
	}
}

// all is the watcher of the program. Go begins with 100 percent.
var all = watcher{percent: 100}

// watcher adapts the percentage after every run of the collector.
type watcher struct {
	most    atomic.Uint64
	percent int
}

// watch makes a watcher check the memory after every run of the collector, by a finalizer of an
// unreachable object.
func watch(w *watcher) {
	unused := new([16]byte)
	runtime.SetFinalizer(unused, func(*[16]byte) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		if metrics.Read(live); live[0].Value.Kind() == metrics.KindUint64 {
			w.adapt(live[0].Value.Uint64())
		}
		watch(w)
	})
}

func (w *watcher) adapt(live uint64) {
	if p := percent(live, w.most.Load()); p != w.percent {
		w.percent = p
		debug.SetGCPercent(p)
	}
}

// leastPercent is the percentage of the live memory that may always be garbage: with less, the
// collector takes most of the processor.
const leastPercent = 40

// mostPercent is the percentage up to which more garbage saves time: collecting only a fifth as
// often costs little enough.
const mostPercent = 400

// percent returns the allowed garbage as a percentage of the live memory. It changes in steps,
// and so seldom, because each change stops the program for a moment.
func percent(live, most uint64) int {
	const step = 5
	p := uint64(mostPercent)
	if live > 0 {
		p = min(p, most*100/live/step*step)
	}
	return max(leastPercent, int(p))
}
