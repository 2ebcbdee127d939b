// Package garbage bounds how much unused memory may accumulate before it is collected.
//
// By default Go allows as much garbage as live memory. A plan of 16384 GPUs has up to a gigabyte,
// and would need two; this package sets a bound in bytes instead.
package garbage

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Most limits garbage to this many bytes, from the collector's next run on, but at least
// leastPercent of the live memory. GOGC takes precedence if it is set.
func Most(bytes uint64) {
	if _, given := os.LookupEnv("GOGC"); given {
		return
	}
	watch(&watcher{most: bytes, percent: 100})
}

// watcher adapts the percentage after every run of the collector.
type watcher struct {
	most    uint64
	percent int
}

// watch has a watcher look at the memory when the collector has found something that nobody needs,
// which it does in every run.
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
	if p := percent(live, w.most); p != w.percent {
		w.percent = p
		debug.SetGCPercent(p)
	}
}

// leastPercent is the percentage of what is alive that may be garbage, however much that is: with
// less the collector takes most of the processor.
const leastPercent = 25

// percent returns the garbage that there may be in hundredths of what is alive. It goes by steps,
// so that it seldom changes: each change stops the program for a moment.
func percent(live, most uint64) int {
	const step = 5
	p := 100
	if live > most {
		p = int(most*100/live) / step * step
	}
	return max(leastPercent, p)
}
