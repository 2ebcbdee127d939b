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
