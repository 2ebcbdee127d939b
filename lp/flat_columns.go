package lp

// flatColumns stores the rows and values of columns consecutively: a pivot takes the product of
// all of them with one vector, and so reads memory in order.
type flatColumns struct {
	number  []int32
	end     []int32 // of each column in row and times
	row     []int32
	times   []float64
	product []float64 // of each column, from the last call
}

func (f *flatColumns) add(c *Column) {
	f.number = append(f.number, int32(c.Number))
	f.row = append(f.row, c.Rows...)
	f.times = append(f.times, c.Values...)
	f.end = append(f.end, int32(len(f.row)))
	f.product = append(f.product, 0)
}

// dots returns the product of every column with a row vector, with the operations in the order
// of Column.dot. The next call overwrites the result.
func (f *flatColumns) dots(vector []float64) []float64 {
	at := int32(0)
	product := f.product[:len(f.end)]
	for k, end := range f.end {
		sum := 0.0
		times := f.times[at:end]
		for j, e := range f.row[at:end] {
			if j < len(times) {
				sum += times[j] * vector[e]
			}
		}
		product[k] = sum
		at = end
	}
	return product
}
