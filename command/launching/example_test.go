package launching_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/command/launching"
)

// The target does not exist.
func ExampleLaunch() {
	_, err := launching.Launch(context.Background(), launching.LaunchRequest{Target: "planned.py"})
	fmt.Println(err)
	// Output: target: planned.py: no such file or directory
}
