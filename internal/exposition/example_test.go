package exposition_test

import (
	"os"

	"github.com/lightpath-net/lightpath/internal/exposition"
)

func Example() {
	exposition.One(os.Stdout, "steps_total", exposition.Counter, "Steps that have begun.", 3)
	exposition.About(os.Stdout, "took_seconds", "histogram", "Time of a step.")
	h := exposition.Histogram{Buckets: []float64{0.1, 1}}
	h.Observe(0.5)
	h.Observe(2)
	h.Write(os.Stdout, "took_seconds", "kind", "new")
	// Output:
	// # HELP steps_total Steps that have begun.
	// # TYPE steps_total counter
	// steps_total 3
	// # HELP took_seconds Time of a step.
	// # TYPE took_seconds histogram
	// took_seconds_bucket{kind="new",le="0.1"} 0
	// took_seconds_bucket{kind="new",le="1"} 1
	// took_seconds_bucket{kind="new",le="+Inf"} 2
	// took_seconds_sum{kind="new"} 2.5
	// took_seconds_count{kind="new"} 2
}
