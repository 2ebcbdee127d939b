package opticalswitch_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/opticalswitch"
)

func ExampleEncodeJSON() {
	text, err := opticalswitch.EncodeJSON(control.State{1: 13, 5: 9})
	fmt.Println(string(text), err)
	// Output: {"optical-switch:cross-connects":{"pair":[{"ingress":1,"egress":13},{"ingress":5,"egress":9}]}} <nil>
}
