package pipelines_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective/algorithms/pipelines"
)

func ExampleTimesOf() {
	chain := []pipelines.Tree{pipelines.Chain(8)}
	fmt.Println(len(pipelines.Steps(8, 100, 1, chain)), pipelines.TimesOf(8, 1, chain).Steps(100))
	// Output: 106 106
}
