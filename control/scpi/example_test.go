package scpi_test

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/control/emulated"
	"github.com/lightpath-net/lightpath/control/scpi"
)

// The commands of a client, and the answers of the switch.
func ExampleSession() {
	s := scpi.NewSession(emulated.New(8, 0, nil))
	for _, line := range []string{":oxc:swit:conn:add (@1,2),(@9,10)", ":oxc:swit:conn:stat?", ":oxc:swit:conn:add (@3),(@10)", ":syst:err?"} {
		answer, err := s.Answer(context.Background(), line)
		if err != nil {
			fmt.Println(err)
		}
		if answer != "" {
			fmt.Println(answer)
		}
	}
	// Output:
	// (@1,2),(@9,10)
	// -221,"egress port 10 is in use: 2->10"
}
