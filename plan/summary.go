package plan

import (
	"errors"
	"reflect"
	"strings"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Summary is a plan without circuits and transfers, in the form that EncodeSummary writes.
type Summary struct {
	Schema     string            `json:"schema"`
	Fabric     fabric.Fabric     `json:"fabric"`
	Collective CollectiveSummary `json:"collective"`
	Requires   []string          `json:"requires,omitempty"`
	// Independent says that planes do not wait for one another; every stage is a turn of one
	// plane.
	Independent      bool            `json:"independent,omitempty"`
	Planner          string          `json:"planner"`
	CostNs           CostSummary     `json:"cost_ns"`
	Reconfigurations int             `json:"reconfigurations"`
	BoundNs          units.Time      `json:"bound_ns,omitempty"`
	Gap              float64         `json:"gap"`
	OperationBoundNs units.Time      `json:"operation_bound_ns"`
	OperationBound   bound.Breakdown `json:"operation_bound"` // the parts of the bound
	BaselinesNs      Baselines       `json:"baselines_ns"`
	SameAlgorithmNs  Baselines       `json:"same_algorithm_ns"`
	SimulatedNs      units.Time      `json:"simulated_ns,omitempty"` // of its packets
	Unsimulated      string          `json:"unsimulated,omitempty"`  // why that is not known
	// Late says why that exceeds the model's time, if by 1% or more.
	Late []Lateness `json:"late,omitempty"`
	// Among says from which candidates the plan was chosen, if not from all.
	Among string `json:"among,omitempty"`
	// StaticAmong says among which plans the static baseline is the fastest, if not among all.
	StaticAmong string `json:"static_among,omitempty"`
	// BarriersCostNs is how much longer packets take with barriers between steps, if SimulatedNs
	// is without them.
	BarriersCostNs *units.Time `json:"barriers_cost_ns,omitempty"`
	// SimulatedBaselinesNs are the simulated times of the plans of BaselinesNs.
	SimulatedBaselinesNs Baselines `json:"simulated_baselines_ns,omitzero"`
	Speedups             Speedups  `json:"speedups,omitzero"` // over the baselines, by the model
	SimulatedSpeedups    Speedups  `json:"simulated_speedups,omitzero"`
	// Rival is a plan that is slower by the model but faster packet by packet.
	Rival     *Rival     `json:"rival,omitempty"`
	Synthesis *Synthesis `json:"synthesis,omitempty"`
	Slots     int        `json:"slots,omitempty"`
	Strategy  string     `json:"strategy,omitempty"`
	// Approximate says that routes of a step that are faster may exist.
	Approximate bool           `json:"approximate,omitempty"`
	Stages      []StageSummary `json:"stages"`
}

// CollectiveSummary describes the collective that a plan carries out.
type CollectiveSummary struct {
	Op        collective.Op    `json:"op"`
	Algorithm string           `json:"algorithm"`
	SizeBytes int64            `json:"size_bytes"`
	Chunks    collective.Space `json:"chunks"`
}

// CostSummary is the time of a plan and its parts.
type CostSummary struct {
	Total           units.Time `json:"total"`
	Startup         units.Time `json:"startup"`
	Propagation     units.Time `json:"propagation"`
	Transmission    units.Time `json:"transmission"`
	Reduction       units.Time `json:"reduction,omitempty"`
	Reconfiguration units.Time `json:"reconfiguration"`
}

// ErrSummary says that the input is a Summary where a plan was expected.
var ErrSummary = errors.New("this is the summary of a plan, without circuits and transfers; give the whole plan")

// inSummary reports whether a summary can have the key.
func inSummary(key string) bool {
	t := reflect.TypeFor[Summary]()
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name == key {
			return true
		}
	}
	return false
}

// StageSummary is a stage of a Summary.
type StageSummary struct {
	Topology          string        `json:"topology"`
	StartNs           units.Time    `json:"start_ns"`
	ReconfigurationNs units.Time    `json:"reconfiguration_ns"`
	HiddenNs          units.Time    `json:"hidden_ns,omitempty"`
	Lanes             []LaneSummary `json:"lanes,omitempty"` // if planes reconfigure independently
	Steps             []StepSummary `json:"steps"`
}

// LaneSummary is the part of a plane in the step of a StageSummary; empty if it skips the step.
type LaneSummary struct {
	Topology string  `json:"topology,omitempty"`
	Share    float64 `json:"share,omitempty"` // of every transfer
}

// StepSummary is a step of a Summary.
type StepSummary struct {
	Index          int        `json:"index"`
	StartNs        units.Time `json:"start_ns"`
	TotalNs        units.Time `json:"total_ns"`
	StartupNs      units.Time `json:"startup_ns"`
	PropagationNs  units.Time `json:"propagation_ns"`
	TransmissionNs units.Time `json:"transmission_ns"`
	ReductionNs    units.Time `json:"reduction_ns,omitempty"`
	Hops           int        `json:"hops"`
	Congestion     float64    `json:"congestion"`
}
