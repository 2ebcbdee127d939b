package portfolio_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/portfolio"
)

// With one port only a ring connects all GPUs, so the best static all-to-all needs no search.
func ExampleOnlyRing() {
	f := fabric.Default()
	fmt.Println(portfolio.OnlyRing(collective.AllToAll, &f))
	f.Ports = 2
	fmt.Println(portfolio.OnlyRing(collective.AllToAll, &f))
	// Output:
	// true
	// false
}
