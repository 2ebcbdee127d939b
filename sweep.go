package lightpath

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

// SweepRequest asks for every combination of the values of some parameters.
type SweepRequest struct {
	// Axes are the parameters to sweep: op, size, algorithm, planner and the fabric's settings, by
	// name. A value may be a range, such as 1KiB..1GiB: see sweep.ParseAxis. op is required; size
	// defaults to collective.DefaultSize, algorithm and planner to Auto.
	Axes   []sweep.Axis  `json:"axes"`
	Points int           `json:"points,omitempty"` // of a range that does not say it; 0: as suits the parameter
	Fabric fabric.Fabric `json:"fabric,omitzero"`  // what no axis says
	// Simulate also simulates plans packet by packet; Packet is the packet size, 0:
	// sim.DefaultPacket.
	Simulate bool        `json:"simulate,omitempty"`
	Packet   units.Bytes `json:"packet_bytes,omitzero"`
	// Shard i/n plans only a part of the columns; "": all.
	Shard string `json:"shard,omitempty"`
}

// UnmarshalJSON reads the JSON form.
func (r *SweepRequest) UnmarshalJSON(data []byte) error {
	type plain SweepRequest
	return readRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first field that makes no sense.
func (r *SweepRequest) Complete() error {
	if r.Fabric == (fabric.Fabric{}) {
		r.Fabric = fabric.Default()
	}
	if r.Points != 0 && r.Points < 2 {
		return field.Errorf("points", "%d; want 2 or more", r.Points)
	}
	if r.Packet < 0 {
		return field.Errorf("packet_bytes", "must be above 0B")
	}
	if r.Simulate && r.Packet == 0 {
		r.Packet = sim.DefaultPacket
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
		{sweep.AxisSize, collective.DefaultSize.String()}, {sweep.AxisAlgorithm, Auto}, {sweep.AxisPlanner, Auto},
	} {
		if !slices.ContainsFunc(axes, func(a sweep.Axis) bool { return a.Name == standard[0] }) {
			axes = append(axes, sweep.Axis{Name: standard[0], Values: standard[1:]})
		}
	}
	r.Axes = axes
	if err := r.checkNames(); err != nil {
		return err
	}
	if r.Shard != "" {
		if _, err := sweep.ParseShard(r.Shard); err != nil {
			return field.In("shard", err)
		}
	}
	_, err := r.Spec()
	return err
}

// checkNames refuses algorithms and planners that there are not: every cell would say so.
func (r *SweepRequest) checkNames() error {
	var algorithms []string
	for _, a := range collective.Algorithms() {
		algorithms = append(algorithms, a.Name)
	}
	for _, p := range Planners() {
		if c, ok := p.(planner.Composer); ok {
			algorithms = append(algorithms, c.Composes())
		}
	}
	algorithms = append(algorithms, Auto)
	for _, a := range r.Axes {
		for _, v := range a.Values {
			switch a.Name {
			case sweep.AxisAlgorithm:
				if name, _, _ := strings.Cut(v, ":"); !slices.Contains(algorithms, name) {
					return field.Errorf(a.Name, "unknown algorithm %q; use %s", v, strings.Join(algorithms, ", "))
				}
			case sweep.AxisPlanner:
				if _, err := Planners().Lookup(v); err != nil {
					return field.In(a.Name, err)
				}
			}
		}
	}
	return nil
}

// Spec returns the grid of a request that is complete.
func (r *SweepRequest) Spec() (*sweep.Spec, error) {
	packet := units.Bytes(0)
	if r.Simulate {
		packet = r.Packet
	}
	return sweep.NewSpec(r.Fabric, r.Axes, packet, Version())
}

// Version is the version of the program, as the build recorded it.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// WithSweepStore has Sweep take what a store knows and keep what it finds. Without it, it
// keeps everything in memory.
func WithSweepStore(store *sweep.Store) Option { return func(e *environment) { e.sweeps = store } }

// Sweep plans every cell of a grid, on all cores. What it has found when ctx is done stays
// in the store, and is in the table that comes with the error.
func Sweep(ctx context.Context, r SweepRequest, options ...Option) (*sweep.Table, error) {
	e := newEnvironment(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	spec, err := r.Spec()
	if err != nil {
		return nil, err
	}
	how := sweep.Options{Progress: e.progress}
	if r.Shard != "" {
		if how.Shard, err = sweep.ParseShard(r.Shard); err != nil {
			return nil, err
		}
	}
	store := e.sweeps
	if store == nil {
		if store, err = sweep.InMemory(ctx); err != nil {
			return nil, err
		}
		defer store.Close()
	}
	columns := sweep.NewColumns(e.search, packetTime)
	columns.FewSizes = spec.FewSizes()
	if err := sweep.Run(ctx, spec, store, columns, how); err != nil {
		if ctx.Err() == nil {
			return nil, err
		}
		partial, loadErr := store.Load(context.WithoutCancel(ctx), spec)
		return partial, errors.Join(err, loadErr)
	}
	return store.Load(ctx, spec)
}

// packetTime replays a plan in packets of a size.
func packetTime(ctx context.Context, p *plan.Plan, packet units.Bytes) (units.Time, error) {
	s, err := Simulate(ctx, SimulateRequest{Plan: p, Packet: packet}, WithVerifiedPlans())
	if err != nil {
		return 0, err
	}
	return s.CompletionNs, nil
}
