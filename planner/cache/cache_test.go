package cache_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/cache"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// counting is a planner that counts its plans and waits for leave to make them.
type counting struct {
	planner.Planner
	made  atomic.Int32
	leave chan struct{}
}

func (c *counting) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	c.made.Add(1)
	select {
	case <-c.leave:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return c.Planner.Plan(ctx, r)
}

func harvest(t testing.TB) planner.Planner {
	p, err := planner.Registry(staged.Planners()).Lookup("harvest")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func key(size units.Bytes) cache.Key {
	return cache.Key{Op: collective.AllReduce, Algorithm: "recursive-doubling", Size: size}
}

func Example() {
	planners := planner.Registry(staged.Planners())
	harvest, err := planners.Lookup("harvest")
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := cache.New(harvest).On(fabric.Default())
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		p, err := c.Plan(context.Background(), cache.Key{Op: collective.AllReduce, Algorithm: "swing", Size: units.MiB})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(p.Cost.Total(), c.Len())
	}
	// Output:
	// 132.6us 1
	// 132.6us 1
	// 132.6us 1
}

func TestEveryoneGetsTheSamePlanAndItIsMadeOnce(t *testing.T) {
	slow := &counting{Planner: harvest(t), leave: make(chan struct{})}
	c, err := cache.New(slow).On(fabric.Default())
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	plans := make([]*plan.Plan, 16)
	for i := range plans {
		group.Go(func() {
			p, err := c.Plan(t.Context(), key(units.MiB))
			if err != nil {
				t.Error(err)
			}
			plans[i] = p
		})
	}
	close(slow.leave)
	group.Wait()
	for _, p := range plans {
		if p == nil || p != plans[0] {
			t.Fatal("callers got different plans")
		}
	}
	if made := slow.made.Load(); made != 1 || c.Len() != 1 {
		t.Errorf("made %d times, %d kept", made, c.Len())
	}
	if p, err := c.Plan(t.Context(), key(2*units.MiB)); err != nil || p == plans[0] || c.Len() != 2 {
		t.Errorf("another size: %v, %d kept", err, c.Len())
	}
}

// One who gives up does not spoil it for those who wait.
func TestAnInterruptionIsNotShared(t *testing.T) {
	slow := &counting{Planner: harvest(t), leave: make(chan struct{})}
	c, err := cache.New(slow).On(fabric.Default())
	if err != nil {
		t.Fatal(err)
	}
	impatient, give := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		if _, err := c.Plan(impatient, key(1)); !errors.Is(err, context.Canceled) {
			t.Errorf("the impatient got %v", err)
		}
	})
	for slow.made.Load() == 0 { // until it is under way
		runtime.Gosched()
	}
	group.Go(func() {
		if p, err := c.Plan(t.Context(), key(1)); err != nil || p == nil {
			t.Errorf("the patient got %v", err)
		}
	})
	give()
	for slow.made.Load() == 1 { // until the other has taken over
		runtime.Gosched()
	}
	close(slow.leave)
	group.Wait()
}

func TestErrorsAreNotKept(t *testing.T) {
	c, err := cache.New(harvest(t)).On(fabric.Default())
	if err != nil {
		t.Fatal(err)
	}
	bad := cache.Key{Op: collective.AllReduce, Algorithm: "magic", Size: 1}
	for range 2 {
		if _, err := c.Plan(t.Context(), bad); err == nil || c.Len() != 0 {
			t.Errorf("%v, %d kept", err, c.Len())
		}
	}
	if _, err := cache.New(harvest(t)).On(fabric.Fabric{}); err == nil {
		t.Error("a fabric of nothing")
	}
}

func BenchmarkLookup(b *testing.B) {
	c, err := cache.New(harvest(b)).On(fabric.Default())
	if err != nil {
		b.Fatal(err)
	}
	for size := units.Bytes(1); size < 1<<20; size *= 2 {
		if _, err := c.Plan(b.Context(), key(size)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := c.Lookup(key(1 << 10)); !ok {
			b.Fatal("not there")
		}
	}
}

func TestAFabricHasItsOwnPlans(t *testing.T) {
	all := cache.New(harvest(t))
	f := fabric.Default()
	a, err := all.On(f)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := all.On(f); err != nil || again != a {
		t.Errorf("the same fabric again: %v", err)
	}
	f.Nodes = 32
	if b, err := all.On(f); err != nil || b == a {
		t.Errorf("another fabric: %v", err)
	}
}
