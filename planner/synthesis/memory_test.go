package synthesis

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
)

// What a memory answers is what a search finds, first or later, and whoever asks meanwhile.
func TestAMemoryAnswersAsTheSearchDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	m := NewMemory()
	var group sync.WaitGroup
	for range 6 {
		p := randomProblem(rng, 5, 1, false)
		for _, opt := range []Options{{Effort: 50}, {Effort: 50, Seed: 1}, {Effort: 200, Work: 1000}} {
			want, wantErr := Search(t.Context(), p, nil, opt)
			for range 2 {
				group.Go(func() {
					if got, err := m.Search(t.Context(), p, opt); !reflect.DeepEqual(got, want) || !errors.Is(err, wantErr) {
						t.Errorf("%v %v, want %v %v", got, err, want, wantErr)
					}
				})
			}
		}
	}
	group.Wait()
	if len(m.known) != 18 {
		t.Errorf("%d searches are remembered, want 18", len(m.known))
	}
}

// What was interrupted is looked for again.
func TestAMemoryForgetsWhatWasInterrupted(t *testing.T) {
	m, p := NewMemory(), recursiveDoubling(8, 1, 1, 3)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	m.Search(ended, p, Options{Effort: 50})
	got, err := m.Search(t.Context(), p, Options{Effort: 50})
	want, wantErr := Search(t.Context(), p, nil, Options{Effort: 50})
	if err != nil || wantErr != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v %v, want %v %v", got, err, want, wantErr)
	}
}
