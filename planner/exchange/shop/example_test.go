package shop_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/shop"
)

// Three jobs on two machines, in any order and in a given one.
func Example() {
	_, end := shop.OpenShop([][]int32{{2, 1}, {1, 1}, {0, 2}}, 2)
	fmt.Println("any order:", end)
	_, end = shop.JobShop([][]model.Leg{
		{{Port: 0, Hops: 2}, {Port: 1, Hops: 1}},
		{{Port: 1, Hops: 1}, {Port: 0, Hops: 1}},
		{{Port: 1, Hops: 2}},
	}, 2)
	fmt.Println("given order:", end)
	// Output:
	// any order: 4
	// given order: 4
}
