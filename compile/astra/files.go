package astra

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/chakra"
)

// File is one file of the folder.
type File struct {
	Name  string
	Write func(w io.Writer) error
}

// Called is what the simulator calls a collective.
type Called struct {
	Code int64
	Name string
}

// coded are the collectives that the simulator runs, with their numbers and names there.
var coded = map[collective.Op]Called{
	collective.AllReduce: {0, "all-reduce"}, collective.AllGather: {2, "all-gather"},
	collective.AllToAll: {6, "all-to-all"}, collective.ReduceScatter: {7, "reduce-scatter"},
}

// Call returns what the simulator calls a collective. A collective that the simulator does not
// run is called an allreduce, which does not change its messages.
func Call(op collective.Op) (c Called, known bool) {
	if c, known = coded[op]; !known {
		c = coded[collective.AllReduce]
	}
	return c, known
}

// Folder is everything that the simulator needs. The simulator must run in it.
type Folder struct {
	Files []File
	Notes []string
	Time  units.Time // of the run, by the rules of the simulator's network (Predict)
	// Predict is that time with the start-up scaled by alpha and the propagation by delta, and
	// without reconfiguration delays if still is set.
	Predict func(alpha, delta units.Time, still bool) (units.Time, error)
}

// Make makes the files of a plan.
func Make(ctx context.Context, p *plan.Plan) (*Folder, error) {
	if !p.Fabric.Links.IsZero() {
		return nil, lower.Refuse("circuits have bandwidths or delays of their own (links); links of the network are alike")
	}
	circuits, err := alike(p)
	if err != nil {
		return nil, err
	}
	ranks, err := Traces(ctx, p)
	if err != nil {
		return nil, err
	}
	folder := &Folder{}
	op, known := Call(p.Collective.Op)
	if !known {
		folder.Notes = append(folder.Notes, fmt.Sprintf("the simulator runs no %s: the workload calls it an %s, whose messages are these", p.Collective.Op, op.Name))
	}
	for k := range ranks {
		folder.Files = append(folder.Files,
			File{fmt.Sprintf("algorithm.%d.et", k), func(w io.Writer) error { return WriteTrace(w, ranks[k].Nodes) }},
			File{fmt.Sprintf("workload.%d.et", k), func(w io.Writer) error {
				return WriteTrace(w, []Node{{Name: string(p.Collective.Op), Type: chakra.Collective, Attrs: []chakra.Attr{
					chakra.Bool("is_cpu_op", false), chakra.Int("comm_type", op.Code), chakra.Int("comm_size", int64(p.Collective.Size)),
				}}})
			}})
	}
	text := func(name, content string) {
		folder.Files = append(folder.Files, File{name, func(w io.Writer) error {
			_, err := io.WriteString(w, content)
			return err
		}})
	}
	text("system.json", System(fmt.Sprintf(`"%s-implementation-custom": ["algorithm"]`, op.Name)))
	network := Network{
		Gigabytes: float64(p.Fabric.Bandwidth) * float64(circuits) / 8 / (1 << 30),
		Latency:   float64(p.Fabric.Alpha.Time() + p.Fabric.Delta.Time()),
	}
	text("network.yml", network.YAML(p.Fabric.Nodes))
	text("memory.json", Memory)
	if len(p.Stages) > 1 {
		folder.Notes = append(folder.Notes, "circuits change while a rank computes, after all of its own messages: the network has no barrier of all ranks")
	}
	folder.Predict = func(alpha, delta units.Time, still bool) (units.Time, error) {
		n := network
		n.Latency, n.Still = float64(alpha*p.Fabric.Alpha.Time()+delta*p.Fabric.Delta.Time()), still
		return Predict(ctx, ranks, n)
	}
	folder.Time, err = Predict(ctx, ranks, network)
	return folder, err
}

// System is the system's file: a custom collective is one stream.
func System(custom string) string {
	return fmt.Sprintf(`{"scheduling-policy": "FIFO", "collective-optimization": "baseline", "endpoint-delay": 0,
 "active-chunks-per-dimension": 1, "preferred-dataset-splits": 1, "local-mem-bw": 1600,
 %s}
`, custom)
}

// YAML is the network's file.
func (n Network) YAML(ranks int) string {
	return fmt.Sprintf("topology: [ FullyConnected ]\nnpus_count: [ %d ]\nbandwidth: [ %s ]  # GB/s, 2^30\nlatency: [ %s ]  # ns, start-up and propagation\n",
		ranks, number(n.Gigabytes), number(n.Latency))
}

// Memory is the file of a memory model that costs nothing.
const Memory = "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}\n"

// number always writes a decimal point, because the simulator expects a floating-point number.
func number(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if v == float64(int64(v)) {
		text += ".0"
	}
	return text
}

// alike returns how many parallel circuits each connected pair has. The number must be the same
// for all, because the network's links are identical.
func alike(p *plan.Plan) (int, error) {
	circuits := 0
	for i := range p.Stages {
		for e := range p.Stages[i].Topology.Edges() {
			if circuits != 0 && e.Count != circuits {
				return 0, lower.Refuse("stage %d: %d circuits from %d to %d, but %d elsewhere; links of the network are alike", i+1, e.Count, e.From, e.To, circuits)
			}
			circuits = e.Count
		}
	}
	return max(1, circuits), nil
}
