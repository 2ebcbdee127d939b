package wire

import (
	"context"
	"encoding/json"
)

// Conn carries frames both ways. One goroutine at a time may call Send, and one may call
// Receive; any goroutine may call Close, which ends both. A sender must not change a frame's
// payload afterwards; a receiver owns the Frame but not its payload.
type Conn interface {
	Send(*Frame) error
	Receive() (*Frame, error)
	Close() error
}

// Network makes connections: that of the machine, or one in memory.
type Network interface {
	Listen(address string) (Listener, error)
	Dial(ctx context.Context, address string) (Conn, error)
}

// Listener waits for connections.
type Listener interface {
	Accept() (Conn, error)
	Address() string
	Close() error
}

// SendJSON sends a message of some kind.
func SendJSON(c Conn, kind Kind, message any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return c.Send(&Frame{Kind: kind, Payload: data})
}

// Decode reads the message of a frame that must be of a kind.
func Decode(f *Frame, kind Kind, message any) error {
	if f.Kind != kind {
		return bad("a frame of kind %d where %d is due", f.Kind, kind)
	}
	if err := json.Unmarshal(f.Payload, message); err != nil {
		return bad("a frame of kind %d: %v", kind, err)
	}
	return nil
}
