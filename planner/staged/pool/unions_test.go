package pool

import "testing"

func TestMultisetsAreCounted(t *testing.T) {
	for _, c := range []struct{ n, k, want int }{{1, 4, 1}, {2, 2, 3}, {6, 4, 126}, {5, 1, 5}} {
		if got := multisets(c.n, c.k, 1000); got != c.want {
			t.Errorf("%d of %d: %d, want %d", c.k, c.n, got, c.want)
		}
	}
}
