package each_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/internal/each"
)

func ExampleOf() {
	fmt.Println(each.Of([]string{"ring", "torus"}, func(s string) int { return len(s) }))
	// Output: [4 5]
}

func ExampleBelow() {
	fmt.Println(each.Below(4, func(i int) int { return 1 << i }))
	// Output: [1 2 4 8]
}

func ExampleWhere() {
	fmt.Println(each.Where([]int{3, 8, 5, 16}, func(n int) bool { return n%2 == 0 }))
	// Output: [8 16]
}

func ExampleMax() {
	fmt.Println(each.Max(0, []string{"ring", "torus"}, func(s string) int { return len(s) }))
	// Output: 5
}

// Every function agrees with a loop, and a list is nil exactly if it has no elements.
func TestEachAgreesWithALoop(t *testing.T) {
	for n := range 6 {
		list, want, even := []int{}, []float64(nil), []int(nil)
		sum, most, least := 0.0, math.Inf(-1), math.Inf(1)
		for i := range n {
			x := i*i - 3*i
			f := float64(x) / 2
			list, want = append(list, x), append(want, f)
			sum, most, least = sum+f, max(most, f), min(least, f)
			if i%2 == 0 {
				even = append(even, x)
			}
		}
		half := func(x int) float64 { return float64(x) / 2 }
		at := func(i int) float64 { return half(list[i]) }
		first := 0
		isEven := func(int) bool { first++; return first%2 == 1 }
		kept := each.Where(list, isEven)
		first = 0
		count := each.Count(list, isEven)
		of, below := each.Of(list, half), each.Below(n, at)
		for _, got := range [][]float64{of, below} {
			if !slices.Equal(got, want) || (got == nil) != (n == 0) {
				t.Errorf("%v: %v, want %v", list, got, want)
			}
		}
		if !slices.Equal(kept, even) || (kept == nil) != (even == nil) || count != len(even) {
			t.Errorf("%v: %v, which are %d, want %v", list, kept, count, even)
		}
		if each.Sum(list, half) != sum || each.SumBelow(n, at) != sum {
			t.Errorf("%v: another sum than %v", list, sum)
		}
		if each.Max(math.Inf(-1), list, half) != most || each.Min(math.Inf(1), list, half) != least {
			t.Errorf("%v: other extremes than %v and %v", list, most, least)
		}
		set := each.Set(list)
		for x := -10; x < 20; x++ {
			if set[x] != slices.Contains(list, x) {
				t.Errorf("%v: %d is in the set: %t", list, x, set[x])
			}
		}
	}
}

// Try stops at the first error.
func TestTryStopsAtTheFirstError(t *testing.T) {
	for bad := range 5 {
		done, wrong := []int(nil), errors.New("bad")
		err := each.Try([]int{0, 1, 2, 3}, func(i int) error {
			done = append(done, i)
			if i == bad {
				return wrong
			}
			return nil
		})
		if want := min(bad+1, 4); len(done) != want || !slices.IsSorted(done) || (err == wrong) != (bad < 4) {
			t.Errorf("%d is bad: %v, after %v", bad, err, done)
		}
	}
}
