package garbage

import "testing"

// The garbage allowed is at most four times the live memory, at most the limit, and at least a
// quarter of the live memory.
func TestGarbageIsBounded(t *testing.T) {
	const most = 512 << 20
	last := mostPercent
	for live := uint64(1); live < 1<<40; live = live*9/8 + 1 {
		p := percent(live, most)
		if p > last {
			t.Errorf("%d bytes are alive: %d percent, of less %d", live, p, last)
		}
		last = p
		if garbage := live / 100 * uint64(p); p > mostPercent || p < leastPercent || garbage > most && p > leastPercent {
			t.Errorf("%d bytes are alive, and %d percent of them may be garbage", live, p)
		}
	}
	if percent(most, most) != 100 || percent(0, most) != mostPercent || last != leastPercent {
		t.Errorf("%d percent of %d bytes, %d of none, %d of very many", percent(most, most), most, percent(0, most), last)
	}
}

// A watcher that was told of much memory sets the percentage, and sets it back.
func TestAWatcherAdapts(t *testing.T) {
	w := &watcher{percent: 100}
	w.most.Store(1 << 20)
	w.adapt(2 << 20)
	if w.percent != 50 {
		t.Errorf("%d percent, want 50", w.percent)
	}
	if w.adapt(1); w.percent != mostPercent {
		t.Errorf("%d percent, want %d", w.percent, mostPercent)
	}
}
