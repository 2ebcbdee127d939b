package cli_test

import (
	"context"
	"fmt"
	"os"

	"github.com/lightpath-net/lightpath/internal/cli"
)

// The program within another one. What makes no sense is one line on standard error and 2.
func ExampleRun() {
	fmt.Println(cli.Run(context.Background(), []string{"topology", "Ring(6)"}, os.Stdout, os.Stdout))
	fmt.Println(cli.Run(context.Background(), []string{"topology", "Ring(6"}, os.Stdout, os.Stdout))
	// Output:
	// Ring(6)
	//
	//   nodes              6
	//   circuits           12
	//   degree             2
	//   two-way            yes
	//   diameter           3
	//   least diameter     2 (Moore bound)
	//   average distance   1.8
	//   reverse-symmetric  yes
	// 0
	// lightpath: topology: topology expression "Ring(6": column 7: expected ')', found end of the expression; write Ring(m)
	// 2
}
