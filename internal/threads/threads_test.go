package threads_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/internal/threads"
)

func ExampleLimit() {
	ctx := threads.Limit(context.Background(), 1)
	threads.Each(ctx, 3, func(i int) { fmt.Print(i, " ") })
	fmt.Println("on", threads.Of(ctx), "thread")
	// Output: 0 1 2 on 1 thread
}

// Each calls every index once, on however many threads.
func TestEachCallsEveryIndexOnce(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		var mu sync.Mutex
		var seen []int
		for _, each := range []func(context.Context, int, func(int)){threads.Each, threads.Few} {
			seen = nil
			each(threads.Limit(t.Context(), n), 9, func(i int) {
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, i)
			})
			slices.Sort(seen)
			if !slices.Equal(seen, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}) {
				t.Errorf("%d threads: %v", n, seen)
			}
		}
	}
}

// sink keeps work from being optimised away.
var sink float64

// spin works until an account says that so much was used.
func spin(a *threads.Account, until time.Duration) {
	for x := 1.0; a.Spent() < until; sink += x {
		for range 1000 {
			x = x*1.0000001 + 1
		}
	}
}

// What a thread works for is charged to it while it works and after it has ended; the work
// of others and waiting are not.
func TestAnAccountIsChargedForWorkAndNotForWaiting(t *testing.T) {
	const work = 20 * time.Millisecond
	var a, idle threads.Account
	ctx := threads.Charge(t.Context(), &a, 5)
	threads.Run(ctx, func() {
		spin(&a, work)
		// A thread of the same account beside it.
		var other sync.WaitGroup
		other.Go(func() { threads.Run(ctx, func() { spin(&a, 2*work) }) })
		other.Wait()
	})
	if got := a.Spent(); got < 2*work {
		t.Errorf("an account that was spun to %v has %v", 2*work, got)
	}
	idle.Run(0, func() { <-time.After(2 * work) })
	if got := idle.Spent(); got > work {
		t.Errorf("waiting for %v was charged as %v", 2*work, got)
	}
	before := a.Spent()
	idle.Run(0, func() { spin(&idle, work) })
	if got := a.Spent(); got != before {
		t.Errorf("an account went from %v to %v by the work of others", before, got)
	}
}

// A panic reaches the caller of Run.
func TestAPanicIsTheCallers(t *testing.T) {
	var a threads.Account
	defer func() {
		if got := recover(); got != "bug" {
			t.Errorf("recovered %v", got)
		}
	}()
	a.Run(1, func() { panic("bug") })
}
