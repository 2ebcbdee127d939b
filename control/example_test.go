package control_test

import (
	"context"
	"fmt"
	"time"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/emulated"
)

// A switch reports success after half of a change. The controller reads its state and sends the
// rest.
func ExampleController() {
	s := emulated.New(4, 0, map[int]emulated.Fault{1: emulated.Half})
	ports := control.Ports{Ingress: map[int]bool{1: true, 2: true}, Egress: map[int]bool{5: true, 6: true}}
	c := &control.Controller{
		Switches: map[string]control.Switch{"east": s}, Own: map[string]control.Ports{"east": ports},
		Journal: control.JournalInMemory(), Patience: control.Patience{Timeout: time.Second, Attempts: 3},
	}
	goal := control.Goal{Plan: "example", Stage: 1, Want: map[string]control.State{"east": {1: 6, 2: 5}}}
	r, err := c.Reach(context.Background(), goal)
	fmt.Println(r.Outcome, err)
	for _, up := range s.Seen() {
		fmt.Println(control.List(up.Crosses()))
	}
	// Output:
	// done <nil>
	// 1->6
	// 1->6, 2->5
}
