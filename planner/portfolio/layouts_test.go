package portfolio

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

// layAll waits for all ways, and returns the error of a context that has ended.
func TestLayingOutEndsWithItsContext(t *testing.T) {
	var laid atomic.Int32
	quick := Way{Lay: func(context.Context) (collective.Sized, error) { laid.Add(1); return collective.Sized{}, nil }}
	if err := layAll(t.Context(), []Way{quick, quick, quick}); err != nil || laid.Load() != 3 {
		t.Errorf("%d of 3 ways are laid out, %v", laid.Load(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	slow := Way{Lay: func(ctx context.Context) (collective.Sized, error) { cancel(); return collective.Sized{}, ctx.Err() }}
	if err := layAll(ctx, []Way{slow}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that of the context", err)
	}
}

// Goroutines that ask for the same algorithm in parallel share one layout.
func TestLayoutsAreMadeOnce(t *testing.T) {
	demand, err := collective.GenerateDemand("zipf:1", 8, 1<<20, 1)
	if err != nil {
		t.Fatal(err)
	}
	l := &StepMemory{}
	known := (*algorithms.Registry)(nil)
	results := make(chan collective.Sized, 4)
	for range 4 {
		go func() {
			sized, err := l.of(t.Context(), known, "direct", demand, 1)
			if err != nil {
				t.Error(err)
			}
			results <- sized
		}()
	}
	first := <-results
	for range 3 {
		if next := <-results; next.Collective != first.Collective {
			t.Error("another layout")
		}
	}
	if len(l.made) != 1 {
		t.Errorf("%d layouts are kept, want 1", len(l.made))
	}
}

// A layout that ended with its context is not remembered.
func TestLayoutsThatWereGivenUpAreMadeAgain(t *testing.T) {
	demand, err := collective.GenerateDemand("zipf:1", 8, 1<<20, 1)
	if err != nil {
		t.Fatal(err)
	}
	l := &StepMemory{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.of(ctx, nil, "bvn", demand, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that of the context", err)
	}
	if sized, err := l.of(t.Context(), nil, "bvn", demand, 1); err != nil || len(sized.Steps) == 0 {
		t.Errorf("%v steps, %v", sized.Steps, err)
	}
}
