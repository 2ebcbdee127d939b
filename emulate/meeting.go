package emulate

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/lightpath-net/lightpath/emulate/coordinator"
	"github.com/lightpath-net/lightpath/emulate/crossbar"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/rank"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// meeting brings the switch and all ranks of a run together, as processes or goroutines.
type meeting struct {
	o         *Options
	secret    string
	clock     func() time.Duration
	ranks     []int
	rank      rank.Options // for ranks that are goroutines
	processes int          // set by begin
}

// begin starts all members. The host that it returns has the listener and reports processes that
// end.
func (m *meeting) begin(ctx context.Context, w Workers) (*coordinator.Host, func(), error) {
	var network wire.Network = wire.TCP{}
	if m.o.Launcher == nil {
		network = wire.NewMemory()
	}
	listener, err := network.Listen("127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	host := &coordinator.Host{Listener: listener}
	if m.o.Launcher == nil {
		m.processes = 1
		return host, m.goroutines(ctx, network, listener.Address()), nil
	}
	w.Coordinator, w.Secret = listener.Address(), m.secret
	w.Groups = slices.Collect(slices.Chunk(m.ranks, m.o.RanksPerProcess))
	for _, f := range m.o.Faults {
		if f.Kind == fault.Secret {
			w.BadSecret = append(w.BadSecret, f.From)
		}
	}
	exits, stop, err := m.o.Launcher.Start(ctx, w)
	if err != nil {
		listener.Close()
		return nil, nil, err
	}
	host.Exits, m.processes = exits, len(w.Groups)
	return host, stop, nil
}

// goroutines starts the switch and all ranks within this process.
func (m *meeting) goroutines(ctx context.Context, network wire.Network, address string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var workers sync.WaitGroup
	workers.Go(func() {
		// The coordinator sees how it ends.
		crossbar.Serve(ctx, crossbar.Options{Network: network, Coordinator: address, Secret: []byte(m.secret), Clock: m.clock, Refuse: m.o.Refuse})
	})
	for _, id := range m.ranks {
		o := m.rank
		o.Network, o.Coordinator, o.Secret, o.Clock = network, address, []byte(m.secret), m.clock
		if slices.ContainsFunc(m.o.Faults, func(f fault.Injection) bool { return f.Kind == fault.Secret && f.From == id }) {
			o.Secret = []byte("another secret")
		}
		workers.Go(func() { rank.Run(ctx, id, o) })
	}
	return func() {
		cancel()
		workers.Wait()
	}
}
