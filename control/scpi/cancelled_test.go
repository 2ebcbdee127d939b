package scpi

import (
	"context"
	"net"
	"testing"
	"time"
)

// A context that ends while the switch hangs up ends the request and nothing else: the function
// that runs when it ends may run after the client has closed its connection.
func TestContextsThatEndAsTheSwitchHangsUp(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	for i := range 300 {
		ctx, cancel := context.WithCancel(t.Context())
		stop := time.AfterFunc(time.Duration(i)*time.Microsecond, cancel)
		c := &Client{Address: listener.Addr().String()}
		if _, err := c.Size(ctx); err == nil {
			t.Fatal("a switch that hangs up has answered")
		}
		stop.Stop()
		cancel()
	}
}
