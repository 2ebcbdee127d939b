package samples_test

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
)

// There is always a sample, and never more than were asked for.
func TestThereIsAlwaysASample(t *testing.T) {
	for n := 1; n <= 100; n++ {
		if got := samples.Of(n); got < 1 || got > n || got < n/8 {
			t.Errorf("%d of %d", got, n)
		}
	}
}

// They come from all over the list, and there are as many as of that number.
func TestSomeAreFromAllOver(t *testing.T) {
	for n := 1; n <= 100; n++ {
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		got := samples.Some(list)
		if len(got) != samples.Of(n) || got[0] != 0 || got[len(got)-1] < n-8 {
			t.Errorf("%v of %d", got, n)
		}
	}
}

// Few are as many as were asked for, each once and in order, from all over the list. With -every
// they are all of it.
func TestFewAreFromAllOver(t *testing.T) {
	for n := 1; n <= 40; n++ {
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		for k := 1; k <= n; k++ {
			got, want := samples.Few(k, list), samples.Draws(k, n)
			if !samples.Every() && want != samples.Of(k) || samples.Every() && want != samples.Of(n) {
				t.Errorf("%d draws of %d", want, n)
			}
			if len(got) != want || got[0] != 0 || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != want {
				t.Errorf("%v: %d of %d", got, k, n)
			}
			if last := got[len(got)-1]; !samples.Every() && last < n-(n+want-1)/want {
				t.Errorf("%v: the last of %d of %d is %d", got, k, n, last)
			}
		}
	}
}
