package timetable_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// planOf makes a plan of a step of neighbours for each topology; only circuits matter.
func planOf(t *testing.T, f fabric.Fabric, graphs ...*topology.Graph) *plan.Plan {
	t.Helper()
	space := collective.SpaceOf(collective.AllGather, f.Nodes, 1)
	p := &plan.Plan{Fabric: f, Collective: plan.Collective{Op: collective.AllGather, Algorithm: "x", Size: units.MiB, Space: space}}
	for _, g := range graphs {
		step := plan.Step{}
		for e := range g.Edges() {
			if e.From == e.To {
				continue
			}
			step.Base = append(step.Base, plan.Transfer{
				Transfer: collective.Transfer{Src: e.From, Dst: e.To, Action: collective.Copy, Chunks: collective.Single(e.From)},
				Routes:   []flow.Route{{Path: []int32{int32(e.From), int32(e.To)}, Share: 1}},
			})
		}
		p.Stages = append(p.Stages, plan.Stage{Topology: g, Steps: []plan.Step{step}})
	}
	if err := p.Price(); err != nil {
		t.Fatal(err)
	}
	return p
}

// random returns a graph in which every node has at most the given number of circuits in each
// direction.
func random(rng *rand.Rand, n, ports int, duplex bool) *topology.Graph {
	out, in := make([]int, n), make([]int, n)
	var edges []topology.Edge
	for range n * ports * 2 {
		u, v := rng.IntN(n), rng.IntN(n)
		if u == v || out[u] == ports || in[v] == ports || duplex && (out[v] == ports || in[u] == ports) {
			continue
		}
		out[u]++
		in[v]++
		edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
		if duplex {
			out[v]++
			in[u]++
			edges = append(edges, topology.Edge{From: v, To: u, Count: 1})
		}
	}
	if len(edges) == 0 {
		edges = append(edges, topology.Edge{From: 0, To: 1, Count: 1}, topology.Edge{From: 1, To: 0, Count: 1})
	}
	return topology.New(n, "random", edges)
}

// There is time for every command: between the last use of the ports of a circuit and the first
// use of the circuit passes at least the delay. With overlap of ports, this needs ports that the
// previous stage does not use.
func TestThereIsTimeForEveryCommand(t *testing.T) {
	const rounding = 1e-6
	rng := rand.New(rand.NewPCG(5, 6))
	hidden := 0
	for round := range 300 {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Reconfig.Base = 2+rng.IntN(7), 2+rng.IntN(3), 5*units.Microsecond
		f.Duplex = round%3 == 0
		if round%4 > 0 {
			f.Overlap.Kind = fabric.OverlapPorts
		}
		var graphs []*topology.Graph
		for range 2 + rng.IntN(4) {
			graphs = append(graphs, random(rng, f.Nodes, 1+rng.IntN(f.Ports), f.Duplex))
		}
		p := planOf(t, f, graphs...)
		table, err := timetable.Of(p)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range table.Stages[1:] {
			if p.Stages[i+1].Reconfiguration < f.Reconfig.Base.Time() {
				hidden++
			}
			for _, c := range s.Changes {
				if c.Action == timetable.Connect && c.Latest-c.Earliest < f.Reconfig.Base.Time()-rounding {
					t.Fatalf("round %d, stage %d: %v->%v is to be up %v after its ports were last used; that takes %v",
						round, s.Stage, c.In, c.Out, c.Latest-c.Earliest, f.Reconfig.Base)
				}
			}
		}
	}
	if hidden < 50 {
		t.Errorf("only %d changes are hidden", hidden)
	}
}

// Executed command by command, a timetable gives every stage its circuits. A receiver never sees
// two transmitters, nor a transmitter two receivers; every cross-connect is on one switch; and
// the table lists only changes.
func TestCommandsGiveTheCircuitsOfEveryStage(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 200 {
		f := fabric.Default()
		f.Nodes, f.Ports = 2+rng.IntN(7), 1+rng.IntN(4)
		f.Duplex = round%3 == 0
		if round%2 == 0 {
			f.Reconfig = fabric.Reconfig{Model: fabric.PerSwitch, Base: 1, Each: 1, Switches: rng.IntN(f.Ports + 1)}
		}
		var graphs []*topology.Graph
		for range 1 + rng.IntN(4) {
			graphs = append(graphs, random(rng, f.Nodes, f.Ports, f.Duplex))
		}
		p := planOf(t, f, graphs...)
		table, err := timetable.Of(p)
		if err != nil {
			t.Fatal(err)
		}
		carryOut(t, fmt.Sprintf("round %d", round), table, graphs)
	}
}

func carryOut(t *testing.T, name string, table *timetable.Table, graphs []*topology.Graph) {
	t.Helper()
	type end struct{ sw, number int }
	leads := map[end]end{} // from ingress to egress
	fed := map[end]end{}
	gpu := func(number int) int { return (number - 1) / table.PortsPerGPU }
	for i, stage := range table.Stages {
		kept := len(leads)
		for _, c := range stage.Changes {
			in, out := end{c.Switch, c.Ingress}, end{c.Switch, c.Egress}
			if gpu(c.Ingress) != c.In.GPU || gpu(c.Egress-table.Size) != c.Out.GPU {
				t.Fatalf("%s: %+v: numbers of other GPUs", name, c)
			}
			if c.In.Port%table.Switches != c.Switch || c.Out.Port%table.Switches != c.Switch {
				t.Fatalf("%s: %+v: a fibre of another switch", name, c)
			}
			if c.Earliest > c.Latest {
				t.Fatalf("%s: stage %d: not before %v, but by %v", name, i+1, c.Earliest, c.Latest)
			}
			switch c.Action {
			case timetable.Disconnect:
				if leads[in] != out {
					t.Fatalf("%s: stage %d takes away what is not there: %+v", name, i+1, c)
				}
				delete(leads, in)
				delete(fed, out)
				kept--
			case timetable.Connect:
				if _, used := leads[in]; used {
					t.Fatalf("%s: stage %d: a transmitter with two receivers: %+v", name, i+1, c)
				}
				if _, used := fed[out]; used {
					t.Fatalf("%s: stage %d joins two transmitters: %+v", name, i+1, c)
				}
				leads[in], fed[out] = out, in
			}
		}
		have := map[[2]int]int{}
		for in, out := range leads {
			have[[2]int{gpu(in.number), gpu(out.number - table.Size)}]++
		}
		circuits := 0
		for e := range graphs[i].Edges() {
			circuits += e.Count
			if have[[2]int{e.From, e.To}] != e.Count {
				t.Fatalf("%s: stage %d: %d circuits %d->%d, want %d", name, i+1, have[[2]int{e.From, e.To}], e.From, e.To, e.Count)
			}
		}
		if circuits != len(leads) {
			t.Fatalf("%s: stage %d: %d cross-connects for %d circuits", name, i+1, len(leads), circuits)
		}
		if i == 0 || table.Switches > 1 {
			continue
		}
		common := 0
		for e := range graphs[i].Edges() {
			common += min(e.Count, graphs[i-1].Count(e.From, e.To))
		}
		if kept != common {
			t.Fatalf("%s: stage %d: %d circuits stay, of %d that could", name, i+1, kept, common)
		}
	}
}

func TestACircuitThatStaysIsNotListed(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = 4, 2
	ring := topology.DirectedCirculant(4, 1)
	both := topology.DirectedCirculant(4, 1, 2)
	table, err := timetable.Of(planOf(t, f, ring, both, ring))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{4, 4, 4} {
		if got := len(table.Stages[i].Changes); got != want {
			t.Errorf("stage %d: %d commands, want %d", i+1, got, want)
		}
	}
}

func TestTheThreeStylesSayTheSame(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = 4, 1
	table, err := timetable.Of(planOf(t, f, topology.DirectedCirculant(4, 1), topology.DirectedCirculant(4, 2)))
	if err != nil {
		t.Fatal(err)
	}
	var text, list, commands bytes.Buffer
	for _, err := range []error{table.WriteJSON(&text), table.WriteCSV(&list), table.WriteSCPI(&commands)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var again timetable.Table
	if err := json.Unmarshal(text.Bytes(), &again); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, s := range again.Stages {
		for _, c := range s.Changes {
			total++
			verb := map[timetable.Action]string{timetable.Connect: "ADD", timetable.Disconnect: "SUB"}[c.Action]
			if line := fmt.Sprintf(":OXC:SWIT:CONN:%s (@%d),(@%d)\n", verb, c.Ingress, c.Egress); !strings.Contains(commands.String(), line) {
				t.Errorf("no %q", line)
			}
		}
	}
	if lines := strings.Count(list.String(), "\n"); total != 12 || lines != total+1 {
		t.Errorf("%d changes and %d lines", total, lines)
	}
}

// A controller that knows nothing but the table finds the initial circuits in it, in every
// style, and can follow it.
func TestInitialCircuitsAreListed(t *testing.T) {
	for _, initial := range []string{"base", "DC(4;2)"} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Initial = 4, 2, initial
		up, err := f.InitialTopology()
		if err != nil {
			t.Fatal(err)
		}
		graphs := []*topology.Graph{topology.DirectedCirculant(4, 1), topology.DirectedCirculant(4, 2)}
		table, err := timetable.Of(planOf(t, f, graphs...))
		if err != nil {
			t.Fatal(err)
		}
		have := map[[2]int]int{}
		for _, u := range table.Up {
			have[[2]int{u.In.GPU, u.Out.GPU}]++
		}
		for e := range up.Edges() {
			if have[[2]int{e.From, e.To}] != e.Count {
				t.Errorf("%s: %d of %d->%d", initial, have[[2]int{e.From, e.To}], e.From, e.To)
			}
		}
		var text, list, commands bytes.Buffer
		for _, err := range []error{table.WriteJSON(&text), table.WriteCSV(&list), table.WriteSCPI(&commands)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, u := range table.Up {
			row := fmt.Sprintf("\n0,%d,up,%d,%d,%d,%d,%d,%d,0,0\n", u.Switch, u.In.GPU, u.In.Port, u.Out.GPU, u.Out.Port, u.Ingress, u.Egress)
			line := fmt.Sprintf("\n# switch %d up (@%d),(@%d)\n", u.Switch, u.Ingress, u.Egress)
			if !strings.Contains(list.String(), row) || !strings.Contains(commands.String(), line) {
				t.Errorf("%s: %+v is not in\n%s\n%s", initial, u, list.String(), commands.String())
			}
		}
		again, err := timetable.Read(&text)
		if err != nil {
			t.Fatal(err)
		}
		stages := 0
		err = again.Follow(func(stage int, circuits map[[2]int]int) bool {
			stages++
			for e := range graphs[stage].Edges() {
				if circuits[[2]int{e.From, e.To}] != e.Count {
					t.Errorf("%s: stage %d: %d of %d->%d", initial, stage+1, circuits[[2]int{e.From, e.To}], e.From, e.To)
				}
			}
			return true
		})
		if err != nil || stages != 2 {
			t.Errorf("%s: %d stages, %v", initial, stages, err)
		}
	}
}

// A table whose commands cannot be executed is refused, and the error says which command.
func TestTablesThatCannotBeFollowedAreRefused(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Initial = 4, 1, "DC(4;1)"
	made, err := timetable.Of(planOf(t, f, topology.DirectedCirculant(4, 1), topology.DirectedCirculant(4, 2)))
	if err != nil {
		t.Fatal(err)
	}
	var good bytes.Buffer
	if err := made.WriteJSON(&good); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		says   string
		change func(t *timetable.Table)
	}{
		{"schema is", func(t *timetable.Table) { t.Schema = "x" }},
		{"nodes is", func(t *timetable.Table) { t.Nodes = 0 }},
		{"size is", func(t *timetable.Table) { t.Size++ }},
		{"up lists no circuit", func(t *timetable.Table) { t.Up = nil }},
		{"up[1]: GPU 0 already transmits", func(t *timetable.Table) { t.Up[1] = t.Up[0] }},
		{"no such cross-connect", func(t *timetable.Table) { t.Up = t.Up[1:] }},
		{"already transmits", func(t *timetable.Table) { t.Stages[1].Changes = t.Stages[1].Changes[2:] }},
		{"action is", func(t *timetable.Table) { t.Stages[1].Changes[0].Action = "flip" }},
		{"not before", func(t *timetable.Table) { t.Stages[1].Changes[0].Earliest = t.Stages[1].Changes[0].Latest + 1 }},
		{"is not port", func(t *timetable.Table) { t.Stages[1].Changes[0].Egress++ }},
		{"port 7 of GPU 0", func(t *timetable.Table) { t.Stages[1].Changes[0].In.Port = 7 }},
		{"stage is 2", func(t *timetable.Table) { t.Stages = t.Stages[1:] }},
	} {
		var table timetable.Table
		if err := json.Unmarshal(good.Bytes(), &table); err != nil {
			t.Fatal(err)
		}
		c.change(&table)
		var text bytes.Buffer
		if err := table.WriteJSON(&text); err != nil {
			t.Fatal(err)
		}
		read, err := timetable.Read(&text)
		if err == nil {
			err = read.Follow(func(int, map[[2]int]int) bool { return true })
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v; want ..%s..", err, c.says)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"schema":"lightpath.timetable/v1","nodes":2,"switches":1,"ports_per_gpu":1,"size":2,"initial":"free","up":[],"stages":[{"stage":1,"changes":[{"switch":0,"action":"connect","in":{"gpu":0,"port":0},"out":{"gpu":1,"port":0},"ingress":1,"egress":4}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := timetable.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		_ = table.Follow(func(_ int, circuits map[[2]int]int) bool {
			for pair, n := range circuits {
				if n < 0 || n > table.PortsPerGPU*table.Switches {
					t.Errorf("%d circuits %v", n, pair)
				}
			}
			return true
		})
	})
}
