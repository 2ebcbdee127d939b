package training

import (
	"cmp"
	"math"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// TrainRequest asks for the time of a minibatch of data-parallel training.
type TrainRequest struct {
	// Trace is the model: in JSON its layers, or the name of a built-in trace.
	Trace *train.Trace `json:"trace" help:"a built-in trace ${NAME}"`
	// Speedup is how many times faster than in the trace GPUs compute; 0: 1.
	Speedup float64 `json:"speedup,omitempty" help:"compute this many times as fast as the trace, ${FACTOR}" default:"1"`
	// Topology is the expression of fixed circuits. Allreduces follow its breadth-first-broadcast
	// schedule, and all-to-alls are split over shortest paths; alpha is the fabric's. If it is
	// empty, every collective is planned on the fabric.
	Topology string `json:"topology,omitempty" help:"fixed circuits, a topology expression ${EXPR} (default: plan on the fabric)"`
	// NodeBandwidth is the rate of all ports of a node together, only with a topology; 0: the
	// fabric's bandwidth for every port that the topology needs.
	NodeBandwidth units.Bandwidth `json:"node_bandwidth_bps,omitzero" help:"with ${topology}: rate of all ports of a node together (default: ${bandwidth} for every port)"`
	Fabric        fabric.Fabric   `json:"fabric,omitzero"`
	Planner       string          `json:"planner,omitempty" help:"planner ${NAME}, or auto: the fastest" default:"auto"`
	Algorithm     string          `json:"algorithm,omitempty" help:"allreduce algorithm ${NAME}, or auto: the fastest" default:"auto"`
	// Bucket is the size up to which gradients are collected; 0: all gradients that are ready
	// are sent together.
	Bucket units.Bytes `json:"bucket_bytes,omitzero" help:"collect gradients in buckets of this size, e.g. 25MiB (default: send all that are ready together)"`
	// AllToAllFirst lets an all-to-all overtake gradients that wait for the network.
	AllToAllFirst bool `json:"alltoall_first,omitempty" help:"let an all-to-all overtake gradients that wait for the network"`
}

// UnmarshalJSON reads the JSON form.
func (r *TrainRequest) UnmarshalJSON(data []byte) error {
	type plain TrainRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first invalid field.
func (r *TrainRequest) Complete() error {
	if r.Trace == nil {
		return field.Errorf("trace", "missing; want layers, or one of %s", strings.Join(train.Names(), ", "))
	}
	if err := r.Trace.Validate(); err != nil {
		return field.In("trace", err)
	}
	r.Speedup = cmp.Or(r.Speedup, 1)
	switch {
	case !(r.Speedup > 0) || math.IsInf(r.Speedup, 0):
		return field.Errorf("speedup", "%v; want a number above 0", r.Speedup)
	case r.Bucket < 0:
		return field.Errorf("bucket_bytes", "must be above 0B")
	case r.NodeBandwidth < 0:
		return field.Errorf("node_bandwidth_bps", "must be above 0")
	case r.Topology == "" && r.NodeBandwidth > 0:
		return field.Errorf("node_bandwidth_bps", "is for a topology; a fabric has its bandwidth per port")
	case r.Topology != "" && r.Planner != "" && r.Planner != collective.Auto:
		return field.Errorf("planner", "not with a topology, whose circuits stay")
	case r.Topology != "" && r.Algorithm != "" && r.Algorithm != collective.Auto:
		return field.Errorf("algorithm", "not with a topology, whose circuits stay")
	}
	r.Planner, r.Algorithm = cmp.Or(r.Planner, collective.Auto), cmp.Or(r.Algorithm, collective.Auto)
	if r.Topology != "" {
		if _, err := topology.ParseExpr(r.Topology); err != nil {
			return field.In("topology", err)
		}
	}
	if err := command.CompleteFabric(&r.Fabric); err != nil {
		return err
	}
	return command.OnlyChanges(&r.Fabric, "training")
}
