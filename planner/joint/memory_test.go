package joint

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// What earlier requests left in the memory, one after the other or at the same time, changes no
// answer, and later requests use it.
func TestMemoryChangesNoAnswer(t *testing.T) {
	var all []planner.Request
	for _, size := range []units.Bytes{units.KiB, 256 * units.KiB, 64 * units.MiB} {
		for _, op := range []collective.Op{collective.AllReduce, collective.AllGather, collective.RootReduce} {
			r := jointtest.Request(op, 24, 3, size)
			r.Fabric.Reconfig.Base = units.Duration(size) / 100
			all = append(all, r)
			r.Fabric.Duplex = true
			all = append(all, r)
		}
	}
	answer := func(r planner.Request) string {
		p, err := New().Plan(t.Context(), r)
		if err != nil {
			t.Error(err)
			return ""
		}
		data, err := json.Marshal(p)
		if err != nil {
			t.Error(err)
		}
		return string(data)
	}
	want := make([]string, len(all))
	for i, r := range all {
		want[i] = answer(r)
	}
	memory := planner.NewMemory()
	ask := func(i int) {
		r := all[i]
		r.Kept = memory
		if got := answer(r); got != want[i] {
			t.Errorf("%v of %v, duplex %v: the answer differs with a memory", r.Collective.Op, r.Size, r.Fabric.Duplex)
		}
	}
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for i := range all {
				ask(i)
			}
		})
	}
	group.Wait()
	for i := range slices.Backward(all) {
		ask(i)
	}
}

// What a stopped search has not finished is not kept.
func TestMemoryKeepsNothingUnfinished(t *testing.T) {
	r := jointtest.Request(collective.AllReduce, 24, 3, 256*units.KiB)
	want, err := New().Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	r.Kept = planner.NewMemory()
	for after := 1; after < 1000; after = after*3/2 + 1 {
		ctx := &soon{Context: t.Context(), left: after}
		p, err := New().Plan(ctx, r)
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if err == nil && p.Cost != want.Cost {
			t.Errorf("stopped after %d looks: %v, want %v", after, p.Cost.Total(), want.Cost.Total())
		}
	}
	got, err := New().Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if got.Cost != want.Cost {
		t.Errorf("after searches that were stopped: %v, want %v", got.Cost.Total(), want.Cost.Total())
	}
}

// soon is done after so many looks at it.
type soon struct {
	context.Context
	left int
}

func (s *soon) Err() error {
	if s.left--; s.left < 0 {
		return context.Canceled
	}
	return nil
}
