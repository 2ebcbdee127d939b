package planner_test

import (
	"sync"
	"testing"

	"github.com/lightpath-net/lightpath/planner"
)

type square int

// A result is computed only once, whoever asks for it, unless find gave up.
func TestMemoryKeepsWhatIsWhole(t *testing.T) {
	m := planner.NewMemory()
	var mutex sync.Mutex
	calls := 0
	ask := func(n int, whole bool) int {
		return planner.Kept(m, square(n), func() (int, bool) {
			mutex.Lock()
			defer mutex.Unlock()
			calls++
			return n * n, whole
		})
	}
	ask(3, false)
	ask(3, false)
	if calls != 2 {
		t.Errorf("looked for %d times, want 2: it was given up", calls)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for n := range 10 {
				if got := ask(n, true); got != n*n {
					t.Errorf("square of %d: %d", n, got)
				}
			}
		})
	}
	all.Wait()
	if calls != 12 {
		t.Errorf("looked for %d times, want 2 and 10", calls)
	}
	if got := planner.Kept(nil, square(2), func() (int, bool) { return 4, true }); got != 4 {
		t.Errorf("without a memory: %d", got)
	}
}
