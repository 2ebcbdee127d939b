package speak_test

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath/internal/cli/speak"
)

// A flag of a switch that speaks is refused where it does not.
func ExampleFlags_Check() {
	c := &cobra.Command{}
	f := speak.Add(c)
	if err := c.ParseFlags([]string{"--size", "8"}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(f.Check(c))
	// Output: --size: only with --speak
}
