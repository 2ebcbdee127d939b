package finite

import (
	"slices"
	"testing"
)

func TestFiniteFieldsAreFields(t *testing.T) {
	for _, q := range []int{2, 3, 4, 5, 7, 8, 9, 16, 25, 27} {
		f := NewField(q)
		for a := range q {
			if f.Plus[a][0] != a || f.Times[a][1] != a || f.Times[a][0] != 0 || f.Plus[a][f.Negative[a]] != 0 {
				t.Fatalf("field of %d: %d is not neutral or has no negative", q, a)
			}
			for b := range q {
				if f.Plus[a][b] != f.Plus[b][a] || f.Times[a][b] != f.Times[b][a] || (f.Times[a][b] == 0) != (a == 0 || b == 0) {
					t.Fatalf("field of %d: %d and %d do not commute, or divide zero", q, a, b)
				}
				for c := range q {
					if f.Plus[a][f.Plus[b][c]] != f.Plus[f.Plus[a][b]][c] || f.Times[a][f.Times[b][c]] != f.Times[f.Times[a][b]][c] ||
						f.Times[a][f.Plus[b][c]] != f.Plus[f.Times[a][b]][f.Times[a][c]] {
						t.Fatalf("field of %d: no law for %d, %d, %d", q, a, b, c)
					}
				}
			}
		}
	}
	for _, q := range []int{-2, 0, 1, 6, 12} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a field of %d elements", q)
				}
			}()
			NewField(q)
		}()
	}
}

func TestExists(t *testing.T) {
	var orders []int
	for q := -3; q <= 32; q++ {
		if Exists(q) {
			orders = append(orders, q)
		}
	}
	if want := []int{2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32}; !slices.Equal(orders, want) {
		t.Errorf("there are fields of %v elements, want %v", orders, want)
	}
}
