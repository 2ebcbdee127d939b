package astra_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/compile/astra"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

func staticPlan(t *testing.T, op collective.Op, algorithm string, f fabric.Fabric, size units.Bytes) *plan.Plan {
	t.Helper()
	c, err := algorithms.New(op, algorithm, f.Nodes, f.Ports)
	if err != nil {
		t.Fatal(err)
	}
	static, err := lightpath.Planners().Lookup("static")
	if err != nil {
		t.Fatal(err)
	}
	p, err := static.Plan(context.Background(), planner.Request{Fabric: f, Collective: c, Size: size})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// node is a node as read from Chakra's format.
type node struct {
	id, kind, micros uint64
	deps             []uint64
	attrs            map[string]uint64
}

// fields splits a message of protocol buffers.
func fields(t *testing.T, data []byte, visit func(field, number uint64, bytes []byte)) {
	t.Helper()
	for len(data) > 0 {
		key, n := binary.Uvarint(data)
		data = data[n:]
		value, n := binary.Uvarint(data)
		data = data[n:]
		if n <= 0 {
			t.Fatal("a message that is cut off")
		}
		switch key & 7 {
		case 0:
			visit(key>>3, value, nil)
		case 2:
			visit(key>>3, 0, data[:value])
			data = data[value:]
		default:
			t.Fatalf("wire type %d", key&7)
		}
	}
}

func decode(t *testing.T, data []byte) []node {
	t.Helper()
	var nodes []node
	for first := true; len(data) > 0; first = false {
		length, n := binary.Uvarint(data)
		record := data[n : n+int(length)]
		data = data[n+int(length):]
		if first {
			if length == 0 {
				t.Fatal("empty metadata: some readers take it for the end")
			}
			continue
		}
		one := node{attrs: map[string]uint64{}}
		fields(t, record, func(field, number uint64, bytes []byte) {
			switch field {
			case 1:
				one.id = number
			case 3:
				one.kind = number
			case 5:
				for len(bytes) > 0 {
					d, n := binary.Uvarint(bytes)
					one.deps = append(one.deps, d)
					bytes = bytes[n:]
				}
			case 7:
				one.micros = number
			case 10:
				name, value := "", uint64(0)
				fields(t, bytes, func(field, number uint64, text []byte) {
					if field == 1 {
						name = string(text)
					} else {
						value = number
					}
				})
				one.attrs[name] = value
			}
		})
		nodes = append(nodes, one)
	}
	return nodes
}

func files(t *testing.T, p *plan.Plan) map[string][]byte {
	t.Helper()
	folder, err := astra.Make(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, f := range folder.Files {
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		all[f.Name] = b.Bytes()
	}
	return all
}

// simulate runs traces like the congestion-aware analytical network. A link sends one message at
// a time, first come, first served. A message takes the latency plus its bytes over the
// bandwidth, rounded down to nanoseconds; the link is free again after the second part.
func simulate(t *testing.T, all map[string][]byte, ranks int, gigabytes, latency float64) int64 {
	t.Helper()
	traces := make([][]node, ranks)
	done := make([][]int64, ranks) // when a node ended; -1: not yet
	for r := range traces {
		traces[r] = decode(t, all[fmt.Sprintf("algorithm.%d.et", r)])
		done[r] = make([]int64, len(traces[r]))
		for i := range done[r] {
			if traces[r][i].id != uint64(i) {
				t.Fatal("ids are not in order")
			}
			done[r][i] = -1
		}
	}
	arrived := map[uint64]int64{} // by tag
	free := map[[2]int]int64{}
	last := int64(0)
	for progress := true; progress; {
		// The earliest send that is ready goes first, as in an event queue.
		progress = false
		best, who, what := int64(math.MaxInt64), -1, -1
		for r := range traces {
			for i, n := range traces[r] {
				if done[r][i] >= 0 {
					continue
				}
				ready := int64(0)
				for _, d := range n.deps {
					if done[r][d] < 0 {
						ready = math.MaxInt64
						break
					}
					ready = max(ready, done[r][d])
				}
				if ready == math.MaxInt64 {
					continue
				}
				switch n.kind {
				case 6:
					at, there := arrived[n.attrs["comm_tag"]]
					if !there {
						continue
					}
					done[r][i] = max(ready, at)
					progress = true
				case 4:
					done[r][i] = ready + int64(max(1, n.micros*1000))
					progress = true
				case 5:
					if ready < best {
						best, who, what = ready, r, i
					}
				}
				last = max(last, done[r][i])
			}
		}
		if progress || who < 0 {
			continue
		}
		n := traces[who][what]
		link := [2]int{who, int(n.attrs["comm_dst"])}
		start := max(best, free[link])
		busy := int64(float64(n.attrs["comm_size"]) / (gigabytes * (1 << 30) / 1e9))
		free[link] = start + busy
		arrived[n.attrs["comm_tag"]] = start + busy + int64(latency)
		done[who][what] = arrived[n.attrs["comm_tag"]]
		progress = true
	}
	for r := range done {
		for i, at := range done[r] {
			if at < 0 {
				t.Fatalf("rank %d: node %d never ends", r, i)
			}
		}
	}
	return last
}

// The simulator itself reports 40062 cycles for this ring, on every rank: twice 500 ns and
// 1 MiB over 50 GB/s.
func TestTheRingOfThreeTakesWhatTheSimulatorReports(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Alpha, f.Delta = 3, 1, 0, 500_000
	f.Bandwidth = 50 << 33
	all := files(t, staticPlan(t, collective.AllGather, "ring", f, 3*units.MiB))
	if got := simulate(t, all, 3, 50, 500); got != 40062 {
		t.Errorf("%d ns, want 40062", got)
	}
	if want := "topology: [ FullyConnected ]\nnpus_count: [ 3 ]\nbandwidth: [ 50.0 ]"; !strings.HasPrefix(string(all["network.yml"]), want) {
		t.Errorf("network.yml: %s", all["network.yml"])
	}
	if !strings.Contains(string(all["system.json"]), `"all-gather-implementation-custom": ["algorithm"]`) {
		t.Errorf("system.json: %s", all["system.json"])
	}
	workload := decode(t, all["workload.1.et"])
	if len(workload) != 1 || workload[0].kind != 7 || workload[0].attrs["comm_type"] != 2 || workload[0].attrs["comm_size"] != 3<<20 {
		t.Errorf("workload: %+v", workload)
	}
}

// Plans of single hops with equal steps take the plan's time in the simulator.
func TestTracesTakeTheTimeOfThePlan(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Alpha, f.Delta, f.Bandwidth = 8, 1, 300_000, 200_000, 8<<33
	for _, algorithm := range []string{"ring"} {
		p := staticPlan(t, collective.AllReduce, algorithm, f, 8*units.MiB)
		got := simulate(t, files(t, p), 8, 8, 500)
		if diff := math.Abs(float64(got) - float64(p.Cost.Total())); diff > float64(p.CountSteps()) {
			t.Errorf("%s: %d ns, the plan says %v", algorithm, got, p.Cost.Total())
		}
	}
}

// Every receive has its send, with the same tag, ends and size.
func TestMessagesMatch(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = 8, 2
	p := staticPlan(t, collective.AllToAll, "shift", f, units.MiB)
	all := files(t, p)
	type message struct{ tag, src, dst, size uint64 }
	sent, received := map[message]int{}, map[message]int{}
	for r := range 8 {
		for _, n := range decode(t, all[fmt.Sprintf("algorithm.%d.et", r)]) {
			m := message{n.attrs["comm_tag"], n.attrs["comm_src"], n.attrs["comm_dst"], n.attrs["comm_size"]}
			switch n.kind {
			case 5:
				sent[m]++
			case 6:
				received[m]++
			}
		}
	}
	for m, n := range sent {
		if n != 1 || received[m] != 1 || p.Stages[0].Topology.Count(int(m.src), int(m.dst)) == 0 {
			t.Errorf("%+v is sent %d times and received %d times", m, n, received[m])
		}
	}
	if len(sent) != len(received) || len(sent) == 0 {
		t.Errorf("%d sent, %d received", len(sent), len(received))
	}
}
