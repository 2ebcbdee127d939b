// Package sweeping implements the command sweep: a plan for every cell of a grid.
package sweeping

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/command/simulating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/portfolio/column"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// SweepRequest asks for every combination of the values of some parameters.
type SweepRequest struct {
	// Axes are the parameters to sweep: op, size, algorithm, planner and the fabric's settings, by
	// name. A value may be a range, such as 1KiB..1GiB: see sweep.ParseAxis. op is required; size
	// defaults to collective.DefaultSize, algorithm and planner to Auto. Operations may have sizes
	// of their own instead of the axis size, such as allreduce/100MB and alltoall/8MB.
	Axes []sweep.Axis `json:"axes"`
	// Pattern is one more algorithm of the operation that it carries out, on its number of nodes.
	Pattern *collective.PatternFile `json:"pattern,omitempty" help:"try the steps in ${FILE}.json as one more algorithm of their operation, pattern:NAME"`
	// Workload is planned as a whole iteration, in place of an operation: the axes op and size are
	// left out, and policy is one of policies (see iterating.IterateRequest), best by default.
	Workload *workload.Workload `json:"workload,omitempty" help:"plan iterations of the workload in ${FILE}.json in place of an operation"`
	Points   int                `json:"points,omitempty" least:"2" help:"points of ranges without /K or +STEP, ${K} (default: sizes by factors of 2, times three per decade)"`
	Fabric   fabric.Fabric      `json:"fabric,omitzero"` // the settings that no axis has
	// Simulate also simulates plans packet by packet; Packet is the packet size, 0:
	// sim.DefaultPacket.
	Simulate bool        `json:"simulate,omitempty" help:"also simulate every plan packet by packet"`
	Packet   units.Bytes `json:"packet_bytes,omitzero" help:"size of the packets" default:"4KiB"`
	// Shard i/n plans only a part of the columns; "": all.
	Shard string `json:"shard,omitempty" help:"plan only part ${i/n} of the columns"`
}

// UnmarshalJSON reads the JSON form.
func (r *SweepRequest) UnmarshalJSON(data []byte) error {
	type plain SweepRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first invalid field.
func (r *SweepRequest) Complete() error { return r.complete(command.NewRun(nil)) }

// complete is Complete with the algorithms and planners of options.
func (r *SweepRequest) complete(e *command.Run) error {
	if r.Fabric.IsZero() {
		r.Fabric = fabric.Default()
	}
	if err := field.Check(r); err != nil {
		return err
	}
	if r.Packet < 0 {
		return field.Errorf("packet_bytes", "must be above 0B")
	}
	if r.Simulate && r.Packet == 0 {
		r.Packet = sim.DefaultPacket
	}
	if err := r.completePattern(); err != nil {
		return err
	}
	if err := r.completeWorkload(); err != nil {
		return err
	}
	axes := make([]sweep.Axis, 0, len(r.Axes)+3)
	for _, a := range r.Axes {
		read, err := sweep.ParseAxis(a.Name, strings.Join(a.Values, ","), r.Points)
		if err != nil {
			return field.In(a.Name, err)
		}
		axes = append(axes, read)
	}
	for _, standard := range [...][2]string{
		{sweep.AxisSize, collective.DefaultSize.String()}, {sweep.AxisAlgorithm, collective.Auto}, {sweep.AxisPlanner, collective.Auto},
	} {
		if standard[0] == sweep.AxisSize && (r.Workload != nil || slices.ContainsFunc(axes, ownSizes)) {
			continue
		}
		if !slices.ContainsFunc(axes, func(a sweep.Axis) bool { return a.Name == standard[0] }) {
			axes = append(axes, sweep.Axis{Name: standard[0], Values: standard[1:]})
		}
	}
	r.Axes = axes
	if r.Workload == nil {
		if err := r.checkNames(e); err != nil {
			return err
		}
	}
	if r.Shard != "" {
		if _, err := sweep.ParseShard(r.Shard); err != nil {
			return field.In("shard", err)
		}
	}
	spec, err := r.Spec()
	if err == nil && r.Workload != nil {
		err = checkFabrics(spec)
	}
	return err
}

// checkFabrics returns an error for a value of an axis, or of the fabric, with which no
// iteration can be planned.
func checkFabrics(spec *sweep.Spec) error {
	below := spec.Cells() // how many cells share the first value of the axis
	for _, a := range spec.Axes {
		below /= len(a.Values)
		for i := range a.Values {
			one, err := spec.Request(i * below)
			if err != nil {
				continue // the cells report it
			}
			if err := iteration.Supported(&one.Fabric); err != nil {
				return field.In("fabric", err)
			}
		}
	}
	return nil
}

// completePattern fills in the operation of a pattern, and the number of nodes if nothing else
// gives it.
func (r *SweepRequest) completePattern() error {
	if r.Pattern == nil {
		return nil
	}
	named := func(name string) func(a sweep.Axis) bool { return func(a sweep.Axis) bool { return a.Name == name } }
	machine, op := r.Fabric, collective.Op("")
	if k := slices.IndexFunc(r.Axes, named("nodes")); k >= 0 {
		if !slices.Contains(r.Axes[k].Values, strconv.Itoa(r.Pattern.Nodes)) {
			return field.Errorf("pattern", "it is for %d nodes, the sweep has %s", r.Pattern.Nodes, strings.Join(r.Axes[k].Values, ", "))
		}
		machine.Nodes = r.Pattern.Nodes
	}
	if err := planning.CompletePattern(r.Pattern, &op, &machine); err != nil {
		return err
	}
	k := slices.IndexFunc(r.Axes, named(sweep.AxisOp))
	if k < 0 {
		r.Axes = append([]sweep.Axis{{Name: sweep.AxisOp, Values: []string{string(op)}}}, r.Axes...)
		return nil
	}
	if !slices.ContainsFunc(r.Axes[k].Values, func(v string) bool { name, _, _ := strings.Cut(v, "/"); return name == string(op) }) {
		return field.Errorf("pattern", "it carries out %s, and the sweep has %s", op, strings.Join(r.Axes[k].Values, ", "))
	}
	return nil
}

// AxisPolicy is the axis of policies of a sweep with a workload.
const AxisPolicy = "policy"

// completeWorkload makes the axes of a workload: the iteration is the operation, and policies
// are its algorithms.
func (r *SweepRequest) completeWorkload() error {
	if r.Workload == nil {
		if slices.ContainsFunc(r.Axes, func(a sweep.Axis) bool { return a.Name == AxisPolicy }) {
			return field.Errorf(AxisPolicy, "only for a workload")
		}
		return nil
	}
	if r.Pattern != nil {
		return field.Errorf("pattern", "not with a workload, whose collectives are planned")
	}
	axes := []sweep.Axis{{Name: sweep.AxisOp, Values: []string{sweep.Iterations}}}
	policies := sweep.Axis{Name: sweep.AxisAlgorithm, Values: []string{iteration.Best}}
	for _, a := range r.Axes {
		switch iterations := slices.Equal(a.Values, axes[0].Values); {
		case a.Name == AxisPolicy || a.Name == sweep.AxisAlgorithm && !slices.Equal(a.Values, []string{collective.Auto}):
			policies.Values = a.Values
			for _, policy := range a.Values {
				if err := iterating.CompletePolicy(&policy); err != nil {
					return err
				}
			}
		case a.Name == sweep.AxisAlgorithm || a.Name == sweep.AxisPlanner && slices.Equal(a.Values, []string{collective.Auto}), a.Name == sweep.AxisOp && iterations:
		case a.Name == sweep.AxisOp || a.Name == sweep.AxisSize || a.Name == sweep.AxisPlanner:
			return field.Errorf(a.Name, "not with a workload, whose collectives are planned")
		case a.Name == "nodes":
			if !slices.Equal(a.Values, []string{strconv.Itoa(r.Workload.Ranks)}) {
				return field.Errorf(a.Name, "%s; the workload has %d ranks, each on a GPU of its own", strings.Join(a.Values, ", "), r.Workload.Ranks)
			}
		default:
			axes = append(axes, a)
		}
	}
	if n := r.Fabric.Nodes; n != r.Workload.Ranks && n != fabric.Default().Nodes && n != 0 {
		return field.In("fabric", field.Errorf("nodes", "%d; the workload has %d ranks, each on a GPU of its own", n, r.Workload.Ranks))
	}
	r.Fabric.Nodes = r.Workload.Ranks
	r.Axes = append(axes, policies)
	return field.In("workload", r.Workload.Validate())
}

// ownSizes reports whether an axis has operations with sizes of their own.
func ownSizes(a sweep.Axis) bool {
	return a.Name == sweep.AxisOp && slices.ContainsFunc(a.Values, func(v string) bool { return strings.Contains(v, "/") })
}

// checkNames refuses unknown algorithms and planners, which otherwise every cell would report.
func (r *SweepRequest) checkNames(e *command.Run) error {
	var known []string
	for _, a := range e.Known.Algorithms.Algorithms() {
		known = append(known, a.Name)
	}
	for _, p := range e.Search.Planners() {
		if c := planner.TraitsOf(p).Composes; c != nil {
			known = append(known, c.Algorithm)
		}
	}
	known = append(known, collective.Auto)
	own := ""
	if r.Pattern != nil {
		own = r.Pattern.Algorithm
	}
	for _, a := range r.Axes {
		for _, v := range a.Values {
			switch a.Name {
			case sweep.AxisAlgorithm:
				if name, _, _ := strings.Cut(v, ":"); v != own && !slices.Contains(known, name) {
					return field.Errorf(a.Name, "unknown algorithm %q; use %s", v, strings.Join(known, ", "))
				}
			case sweep.AxisPlanner:
				if _, err := e.Search.Planners().Lookup(v); err != nil {
					return field.In(a.Name, err)
				}
			}
		}
	}
	return nil
}

// Spec returns the grid of a complete request.
func (r *SweepRequest) Spec() (*sweep.Spec, error) {
	packet := units.Bytes(0)
	if r.Simulate {
		packet = r.Packet
	}
	spec, err := sweep.NewSpec(r.Fabric, r.Axes, packet, command.Version())
	switch {
	case err != nil:
	case r.Workload != nil:
		spec.Workload, err = identified(r.Workload.Name, r.Workload)
	case r.Pattern != nil:
		spec.Pattern, err = identified(r.Pattern.Algorithm, r.Pattern)
	}
	return spec, err
}

// identified returns a name with the hash of what it names.
func identified(name string, what any) (string, error) {
	text, err := json.Marshal(what)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return strings.TrimSpace(name + " " + hex.EncodeToString(sum[:16])), nil
}

// Sweep plans every cell of a grid, on all cores. If ctx ends early, the cells found so far stay
// in the store and are in the table that it returns with the error.
func Sweep(ctx context.Context, r SweepRequest, options ...command.Option) (*sweep.Table, error) {
	e := command.NewRun(options)
	if err := r.complete(e); err != nil {
		return nil, err
	}
	spec, err := r.Spec()
	if err != nil {
		return nil, err
	}
	if r.Pattern != nil {
		if e, err = planning.KnowPattern(ctx, e, r.Pattern); err != nil {
			return nil, err
		}
	}
	how := sweep.Options{Progress: e.Progress}
	if r.Shard != "" {
		if how.Shard, err = sweep.ParseShard(r.Shard); err != nil {
			return nil, err
		}
	}
	store := e.Sweeps
	if store == nil {
		if store, err = sweep.InMemory(ctx); err != nil {
			return nil, err
		}
		defer store.Close()
	}
	var solver sweep.Solver = sweep.NewColumns(e.Search, column.Options{FewSizes: spec.FewSizes()}, packetTime)
	if r.Workload != nil {
		solver = &iterating.Columns{Workload: r.Workload, Packets: iterationTime, Options: options}
	}
	if err := sweep.Run(ctx, spec, store, solver, how); err != nil {
		if ctx.Err() == nil {
			return nil, err
		}
		partial, loadErr := store.Load(context.WithoutCancel(ctx), spec)
		return partial, errors.Join(err, loadErr)
	}
	return store.Load(ctx, spec)
}

// iterationTime simulates an iteration in packets of a size.
func iterationTime(ctx context.Context, d *iteration.Document, packet units.Bytes) (units.Time, error) {
	s, err := simulating.Simulate(ctx, simulating.SimulateRequest{Iteration: d, Packet: packet})
	if err != nil {
		return 0, err
	}
	return s.CompletionNs, nil
}

// packetTime replays a plan in packets of a size.
func packetTime(ctx context.Context, p *plan.Plan, packet units.Bytes) (units.Time, error) {
	s, err := simulating.Simulate(ctx, simulating.SimulateRequest{Plan: p, Packet: packet}, command.WithVerifiedPlans())
	if err != nil {
		return 0, err
	}
	return s.CompletionNs, nil
}
