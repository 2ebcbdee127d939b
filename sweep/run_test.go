package sweep

import "testing"

// Cells that were known are all reported, also those found last: workers that have nothing to do
// may end before these are read.
func TestKnownCellsAreReportedWhenWorkersHaveEnded(t *testing.T) {
	for range 100 { // which channel is read first is random
		results, already := make(chan solved), make(chan int, 1)
		close(results)
		already <- 8
		close(already)
		reported := 0
		w := &writer{total: 8, progress: func(done, _ int) { reported = done }}
		if err := w.collect(results, already); err != nil {
			t.Fatal(err)
		}
		if reported != 8 {
			t.Fatalf("reported %d of 8 cells", reported)
		}
	}
}
