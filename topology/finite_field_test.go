package topology

import "testing"

func TestFiniteFieldsAreFields(t *testing.T) {
	for _, q := range []int{2, 3, 4, 5, 7, 8, 9, 16, 25, 27} {
		f := newField(q)
		for a := range q {
			if f.plus[a][0] != a || f.times[a][1] != a || f.times[a][0] != 0 || f.plus[a][f.negative[a]] != 0 {
				t.Fatalf("field of %d: %d is not neutral or has no negative", q, a)
			}
			for b := range q {
				if f.plus[a][b] != f.plus[b][a] || f.times[a][b] != f.times[b][a] || (f.times[a][b] == 0) != (a == 0 || b == 0) {
					t.Fatalf("field of %d: %d and %d do not commute, or divide zero", q, a, b)
				}
				for c := range q {
					if f.plus[a][f.plus[b][c]] != f.plus[f.plus[a][b]][c] || f.times[a][f.times[b][c]] != f.times[f.times[a][b]][c] ||
						f.times[a][f.plus[b][c]] != f.plus[f.times[a][b]][f.times[a][c]] {
						t.Fatalf("field of %d: no law for %d, %d, %d", q, a, b, c)
					}
				}
			}
		}
	}
	for _, q := range []int{-2, 0, 1, 6, 12} {
		mustPanic(t, func() { newField(q) })
	}
}
