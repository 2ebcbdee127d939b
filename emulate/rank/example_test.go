package rank_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/emulate/coordinator"
	"github.com/lightpath-net/lightpath/emulate/crossbar"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/rank"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
)

// The example assembles an emulation by hand: a coordinator, a switch and two ranks, which talk
// over a network within this process. Package emulate does this for a plan.
func ExampleRun() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	f := fabric.Default()
	f.Nodes = 2
	c, err := algorithms.New(collective.AllReduce, "ring", f.Nodes, f.Ports)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := staged.Harvest(staged.HarvestOptions{}).Plan(ctx, planner.Request{Fabric: f, Collective: c, Size: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := program.New(p, number.Int32)
	if err != nil {
		fmt.Println(err)
		return
	}
	network, secret, begin := wire.NewMemory(), []byte("of this run"), time.Now()
	clock := func() time.Duration { return time.Since(begin) }
	listener, err := network.Listen("")
	if err != nil {
		fmt.Println(err)
		return
	}
	var workers sync.WaitGroup
	workers.Go(func() {
		crossbar.Serve(ctx, crossbar.Options{Network: network, Coordinator: listener.Address(), Secret: secret, Clock: clock})
	})
	var mutex sync.Mutex
	sums := map[int][]int32{}
	for _, id := range g.Ranks() {
		o := rank.Options{
			Network: network, Coordinator: listener.Address(), Secret: secret, Digest: "the plan", Clock: clock,
			Program: func(number.Type) (*program.Program, error) { return g, nil },
			Results: func(id int, chunks map[int][]byte) {
				mutex.Lock()
				defer mutex.Unlock()
				for c := range g.Chunks() {
					sums[id] = append(sums[id], int32(binary.LittleEndian.Uint32(chunks[c])))
				}
			},
		}
		workers.Go(func() { rank.Run(ctx, id, o) })
	}
	outcome, err := coordinator.Serve(ctx, coordinator.Server{
		Config: coordinator.Config{Program: g, Watch: coordinator.Watch{Patience: time.Minute, Rendezvous: time.Minute}},
		Host: coordinator.Host{
			Listener: listener, Secret: secret, Digest: "the plan", Clock: clock,
			Rank: func(int) wire.RankConfig {
				return wire.RankConfig{Type: string(number.Int32), Seed: 1, Packet: 4, Beat: time.Second}
			},
			Switch: wire.SwitchConfig{Nodes: 2, Ports: 1, Ranks: g.Ranks(), Beat: time.Second},
		},
	})
	workers.Wait()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(outcome.Checked, "ranks have the right sums, fault", outcome.Fault)
	fmt.Println("both the same:", slices.Equal(sums[0], sums[1]))
	// Output:
	// 2 ranks have the right sums, fault <nil>
	// both the same: true
}
