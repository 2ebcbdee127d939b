package gnmi_test

import (
	"context"
	"fmt"
	"net"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/emulated"
	"github.com/lightpath-net/lightpath/control/gnmi"
)

// A client connects two ports of an emulated switch and reads what is up.
func ExampleClient() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go gnmi.Face{}.Serve(ctx, listener, emulated.New(8, 0, nil))
	c := &gnmi.Client{Address: listener.Addr().String()}
	defer c.Close()
	err = c.Change(ctx, control.Change{Connect: []control.Cross{{Ingress: 1, Egress: 9}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.State(ctx))
	// Output: map[1:9] <nil>
}
