package emulated

import (
	"context"
	"net"
	"sync"
)

// Serve serves every client of a listener in a goroutine of its own, until the context ends.
// Connections are closed when talk returns or the context ends.
func Serve(ctx context.Context, listener net.Listener, talk func(ctx context.Context, conn net.Conn)) error {
	var clients sync.WaitGroup
	defer clients.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { listener.Close() })
	defer stop()
	for {
		conn, err := listener.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		}
		clients.Go(func() {
			defer conn.Close()
			hangUp := context.AfterFunc(ctx, func() { conn.Close() })
			defer hangUp()
			talk(ctx, conn)
		})
	}
}
