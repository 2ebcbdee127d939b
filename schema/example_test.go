package schema_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/schema"
)

func ExampleAll() {
	plan := schema.All()["plan.request"]
	fmt.Println(plan["title"], plan["type"])
	// Output: request of plan object
}
