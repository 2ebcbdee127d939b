package gcd_test

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/internal/gcd"
)

func ExampleOf() {
	fmt.Println(gcd.Of(12, 18), gcd.Of(7, 0), gcd.Of[int64](64, 48))
	// Output: 6 7 16
}

func TestOfIsTheGreatestDivisorOfBoth(t *testing.T) {
	for a := range 60 {
		for b := range 60 {
			want := max(a, b) // that of 0 and b is b
			for d := 1; d <= min(a, b); d++ {
				if a%d == 0 && b%d == 0 {
					want = d
				}
			}
			if got := gcd.Of(a, b); got != want {
				t.Errorf("%d and %d: %d, want %d", a, b, got, want)
			}
		}
	}
}
