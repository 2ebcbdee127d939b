package finite

import (
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
)

// Points lists the points of the projective space over the field whose vectors have the given
// number of coordinates and for which keep holds: the vectors whose first nonzero coordinate is
// 1, in lexicographic order.
func (f *Field) Points(coordinates int, keep func([]int) bool) [][]int {
	var points [][]int
	vector := make([]int, coordinates)
	var fill func(i int, leading bool)
	fill = func(i int, leading bool) {
		if i == coordinates {
			if !leading && keep(vector) {
				points = append(points, slices.Clone(vector))
			}
			return
		}
		for x := range f.Order {
			if leading && x > 1 {
				break
			}
			vector[i] = x
			fill(i+1, leading && x == 0)
		}
	}
	fill(0, true)
	return points
}

// Line returns the numbers of the points of the line through two of them, in ascending order:
// one more than the field has elements.
func (f *Field) Line(points [][]int, p, r int) []int {
	line := []int{r}
	sum := make([]int, len(points[p]))
	for factor := range f.Order {
		for i, x := range points[p] {
			sum[i] = f.Plus[x][f.Times[factor][points[r][i]]]
		}
		at, _ := slices.BinarySearchFunc(points, f.normalized(sum), slices.Compare)
		line = append(line, at)
	}
	slices.Sort(line)
	return line
}

// normalized divides a vector by its first nonzero coordinate.
func (f *Field) normalized(vector []int) []int {
	leading := vector[slices.IndexFunc(vector, func(x int) bool { return x != 0 })]
	inverse := slices.Index(f.Times[leading], 1)
	return each.Of(vector, func(x int) int { return f.Times[inverse][x] })
}
