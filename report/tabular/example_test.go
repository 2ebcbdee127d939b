package tabular_test

import (
	"os"

	"github.com/lightpath-net/lightpath/report/tabular"
)

func Example() {
	t := tabular.New("  ", "planner", ">time")
	t.Add("harvest", "9.5us")
	t.Add("joint", "10.25us")
	t.Write(os.Stdout, 0, "")
	// Output:
	//   planner     time
	//   harvest    9.5us
	//   joint    10.25us
}
