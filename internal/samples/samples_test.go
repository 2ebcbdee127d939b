package samples_test

import (
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
