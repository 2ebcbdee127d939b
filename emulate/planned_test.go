package emulate_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/units"
)

// request is a plan to run.
type request struct {
	name      string
	op        collective.Op
	nodes     int
	ports     int
	size      units.Bytes
	algorithm string
	planner   string
	strategy  string
	demand    collective.Demand
	then      collective.Op // a second operation
	settings  map[string]string
}

// plans are what make has planned: several tests run the same plans.
var plans sync.Map

// make plans a request, once.
func (r request) make(t testing.TB) *plan.Plan {
	t.Helper()
	key := fmt.Sprintf("%+v", r)
	if p, ok := plans.Load(key); ok {
		return p.(*plan.Plan)
	}
	f := fabric.Default()
	f.Nodes, f.Ports = r.nodes, max(1, r.ports)
	for name, value := range r.settings {
		if err := f.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	operations := []collective.Operation{{Op: r.op, Size: r.size, Algorithm: r.algorithm, Demand: r.demand}}
	if r.then != "" {
		operations = append(operations, collective.Operation{Op: r.then, Size: r.size})
	}
	options := []planner.Options{&exchange.Options{Strategy: exchange.Strategy(r.strategy)}}
	p, err := planning.Plan(t.Context(), planning.PlanRequest{Fabric: f, Planner: r.planner, Options: options, Operations: operations})
	if err != nil {
		t.Fatalf("%s: %v", r.name, err)
	}
	plans.Store(key, p)
	return p
}

// skewed returns an all-to-all demand in which pairs have different sizes, some zero.
func skewed(n int) collective.Demand {
	d := make(collective.Demand, n)
	for s := range d {
		d[s] = make([]int64, n)
		for t := range d[s] {
			if s != t {
				d[s][t] = int64((s*7 + t*13) % 11 * 301)
			}
		}
	}
	return d
}

// shown returns plans of every kind, which must run with right results.
func shown() []request {
	duplex := map[string]string{"duplex": "true"}
	return []request{
		{name: "ring", op: collective.AllReduce, nodes: 8, size: 64 * units.KiB, algorithm: "ring", planner: "static"},
		{name: "recursive doubling", op: collective.AllReduce, nodes: 16, size: 64 * units.KiB, algorithm: "recursive-doubling", planner: "harvest", settings: map[string]string{"reconfig": "1us"}},
		{name: "recursive doubling, every step", op: collective.AllReduce, nodes: 8, size: 10007, algorithm: "recursive-doubling", planner: "every-step", settings: map[string]string{"initial": "dark"}},
		{name: "swing", op: collective.AllReduce, nodes: 16, ports: 2, size: 64 * units.KiB, algorithm: "swing", planner: "harvest"},
		{name: "swing, duplex", op: collective.AllReduce, nodes: 8, ports: 2, size: 64 * units.KiB, algorithm: "swing", planner: "light-bends", settings: duplex},
		{name: "bfb on K(4,4)", op: collective.AllReduce, nodes: 8, ports: 4, size: 64 * units.KiB, planner: "direct-connect", settings: map[string]string{"base": "K(4,4)"}},
		{name: "bfb on C(12;2,3)", op: collective.AllReduce, nodes: 12, ports: 4, size: 60 * units.KiB, planner: "direct-connect", settings: map[string]string{"base": "C(12;2,3)"}},
		{name: "joint", op: collective.AllReduce, nodes: 16, ports: 1, size: 256 * units.KiB, planner: "joint", settings: map[string]string{"reconfig": "1us"}},
		{name: "sums over walks", op: collective.AllReduce, nodes: 12, ports: 2, size: 16 * units.KiB, planner: "joint"},
		{name: "sums of shards over walks", op: collective.AllReduce, nodes: 16, ports: 4, size: 256 * units.KiB, planner: "joint"},
		{name: "windows of partial sums", op: collective.AllReduce, nodes: 7, ports: 1, size: 10007, planner: "joint", settings: map[string]string{"reconfig": "100ns"}},
		{name: "windows that go round", op: collective.AllReduce, nodes: 11, ports: 1, size: 16 * units.KiB, planner: "joint", settings: map[string]string{"reconfig": "600ns"}},
		{name: "windows on both sides", op: collective.AllReduce, nodes: 13, ports: 2, size: 32 * units.KiB, planner: "joint", settings: map[string]string{"duplex": "true", "reconfig": "100us"}},
		{name: "halves of windows on both sides", op: collective.AllReduce, nodes: 10, ports: 2, size: 10007, planner: "joint", settings: map[string]string{"duplex": "true", "reconfig": "100ns"}},
		{name: "the fastest", op: collective.AllReduce, nodes: 16, ports: 2, size: 128 * units.KiB},
		{name: "allgather", op: collective.AllGather, nodes: 27, ports: 2, size: 54 * units.KiB},
		{name: "reducescatter", op: collective.ReduceScatter, nodes: 16, ports: 1, size: 64 * units.KiB, planner: "harvest", algorithm: "recursive-doubling"},
		{name: "retri", op: collective.AllToAll, nodes: 27, ports: 2, size: 27 * units.KiB, algorithm: "retri", planner: "harvest", settings: map[string]string{"reconfig": "100ns"}},
		{name: "shift", op: collective.AllToAll, nodes: 8, size: 64 * units.KiB, algorithm: "shift", planner: "every-step"},
		{name: "exchange", op: collective.AllToAll, nodes: 8, ports: 1, size: 64 * units.KiB, planner: "exchange", strategy: "relay", settings: map[string]string{"forwarding": "store-and-forward"}},
		{name: "skewed", op: collective.AllToAll, nodes: 8, ports: 2, planner: "exchange", demand: skewed(8)},
		{name: "skewed, static", op: collective.AllToAll, nodes: 9, ports: 3, planner: "static", algorithm: "direct", demand: skewed(9)},
		{name: "broadcast", op: collective.Broadcast, nodes: 16, ports: 2, size: 64 * units.KiB},
		{name: "circuits that stay carry on", op: collective.AllReduce, nodes: 16, ports: 2, size: 64 * units.KiB, algorithm: "recursive-doubling",
			planner: "harvest", settings: map[string]string{"overlap": "circuits", "reconfig": "1us"}},
		{name: "ports that are free", op: collective.AllReduce, nodes: 8, ports: 2, size: 64 * units.KiB, algorithm: "recursive-doubling",
			planner: "every-step", settings: map[string]string{"overlap": "ports", "reconfig": "1us"}},
		{name: "sequence", op: collective.AllReduce, nodes: 8, size: 32 * units.KiB, then: collective.AllToAll},
		{name: "around failures", op: collective.AllReduce, nodes: 9, ports: 2, size: 36 * units.KiB, settings: map[string]string{"avoid": "gpu:4,link:0-1"}},
	}
}
