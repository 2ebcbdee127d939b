package rank

import (
	"fmt"

	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// inbox collects the data of one step.
type inbox struct {
	packet   int
	arriving map[int]*arrival // by the number of the transfer
	order    []*arrival       // as the step lists them
	missing  int              // number of incomplete transfers
}

// arrival is a transfer whose packets arrive in any order, each once.
type arrival struct {
	transfer *program.Transfer
	buffer   []byte
	left     int      // missing bytes
	seen     [][]bool // packets of each route
}

func newInbox(step *program.Step, packet int) *inbox {
	b := &inbox{packet: packet, arriving: make(map[int]*arrival, len(step.Receives))}
	for _, t := range step.Receives {
		a := &arrival{transfer: t, buffer: make([]byte, t.Bytes), left: t.Bytes, seen: make([][]bool, len(t.Routes))}
		for i := range t.Routes {
			a.seen[i] = make([]bool, arithmetic.CeilDiv(t.Routes[i].To-t.Routes[i].From, packet))
		}
		b.arriving[t.Number] = a
		b.order = append(b.order, a)
		if a.left > 0 {
			b.missing++
		}
	}
	return b
}

// take adds a packet that program.Rank.Place accepted.
func (b *inbox) take(f *wire.Frame) error {
	a := b.arriving[int(f.Transfer)]
	route := &a.transfer.Routes[f.Route]
	at := int(f.Offset) - route.From
	i := at / b.packet
	if at%b.packet != 0 || len(f.Payload) == 0 || len(f.Payload) != min(b.packet, route.To-int(f.Offset)) {
		return fmt.Errorf("%d bytes at %d of transfer %d, which do not fit packets of %d", len(f.Payload), f.Offset, f.Transfer, b.packet)
	}
	if a.seen[f.Route][i] {
		return fmt.Errorf("bytes at %d of transfer %d came twice", f.Offset, f.Transfer)
	}
	a.seen[f.Route][i] = true
	copy(a.buffer[f.Offset:], f.Payload)
	if a.left -= len(f.Payload); a.left == 0 {
		b.missing--
	}
	return nil
}

// lacks returns a rank whose data has not come, or -1.
func (b *inbox) lacks() int {
	for _, a := range b.order {
		if a.left > 0 {
			return a.transfer.Src
		}
	}
	return -1
}
