package training

import (
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// TrainSchema names the JSON form of a training simulation and its version.
const TrainSchema = "lightpath.train/v1"

// Training is the simulation of a minibatch.
type Training struct {
	Schema  string          `json:"schema"`
	Trace   string          `json:"trace"`
	Layers  int             `json:"layers"`
	Network TrainingNetwork `json:"network"`
	// BucketBytes is the size of buckets; 0: all gradients that are ready are sent together.
	BucketBytes   int64 `json:"bucket_bytes"`
	AllToAllFirst bool  `json:"alltoall_first"`
	train.Result
	// BoundNs is the lower bound of a minibatch on this network for every grouping of gradients;
	// with planner auto, also for all circuits and plans.
	BoundNs units.Time `json:"bound_ns"`
	Gap     float64    `json:"gap"`
}

// TrainingNetwork is what carries the collectives: fixed circuits, or a fabric.
type TrainingNetwork struct {
	Nodes    int               `json:"nodes"`
	Circuits *TrainingCircuits `json:"circuits,omitempty"`
	Planned  *TrainingPlanned  `json:"planned,omitempty"`
}

// TrainingCircuits is a topology with its schedules: an allreduce takes
// steps x alpha + bandwidth x size / node bandwidth.
type TrainingCircuits struct {
	Topology         string     `json:"topology"`
	Degree           int        `json:"degree"`
	AlphaNs          units.Time `json:"alpha_ns"`
	NodeBandwidthBps int64      `json:"node_bandwidth_bps"`
	Steps            int        `json:"steps"`
	Bandwidth        string     `json:"bandwidth"` // "p/q" of M/B, exact
	// Others are schedules with fewer steps and more bandwidth; every collective uses the
	// fastest for its size.
	Others   []TrainingSchedule `json:"others,omitempty"`
	AllToAll *TrainingExchange  `json:"alltoall,omitempty"`
}

// TrainingSchedule is a schedule of an allreduce.
type TrainingSchedule struct {
	Steps     int    `json:"steps"`
	Bandwidth string `json:"bandwidth"` // "p/q" of M/B, exact
}

// TrainingExchange is an all-to-all over shortest paths.
type TrainingExchange struct {
	Steps     int     `json:"steps"`
	Bandwidth float64 `json:"bandwidth"` // in M/B
}

// TrainingPlanned is a fabric and how its plans were made.
type TrainingPlanned struct {
	Fabric    fabric.Fabric `json:"fabric"`
	Planner   string        `json:"planner"`
	Algorithm string        `json:"algorithm"`
	train.PlannedCount
	// Within is the number of reconfigurations within collectives, with planner auto.
	Within int `json:"changes_within,omitempty"`
	// Stays is the topology that stays up for the whole minibatch; "" if circuits change.
	Stays string `json:"stays,omitempty"`
	// PortsUsed is how many ports of a GPU the plans use; 0: all.
	PortsUsed int `json:"ports_used,omitempty"`
}
