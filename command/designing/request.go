// Package designing implements the command design: which fabric to buy for a load.
package designing

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// DesignRequest asks which fabric to buy: every combination of technologies, ports and islands is
// wired, priced and planned.
type DesignRequest struct {
	// Mix is the load: operations, each with its size and how often it occurs, such as
	// alltoall/8MB:4. They are planned one by one, and their times are added up.
	Mix []string `json:"mix,omitempty" help:"the load: operations with how often each occurs, ${OP/SIZE:TIMES},.."`
	// Workload is planned as a whole iteration, in place of a mix.
	Workload *workload.Workload `json:"workload,omitempty" help:"the load: an iteration of the workload in ${FILE}.json"`
	// Fabric is the machine, apart from what the other fields set.
	Fabric fabric.Fabric `json:"fabric,omitzero"`
	// Ports are the numbers of ports per GPU to choose from; none: the fabric's.
	Ports []int `json:"ports,omitempty" help:"numbers of ports per GPU to choose from, ${D},.."`
	// Island are the sizes of electrical islands to choose from, 1 for none; none: the fabric's.
	Island []int `json:"island,omitempty" help:"sizes of islands to choose from, ${G},..; 1: no islands"`
	// Technology are the optical switches to choose from, by name; none: all of the catalogue.
	Technology []string `json:"technology,omitempty" help:"technologies of optical switches to choose from, ${NAME},.. (default: all known ones)"`
	// Packet are the kinds of packet fabrics to compare with; none: fat trees, and with islands
	// rail-optimised ones.
	Packet []string `json:"packet,omitempty" help:"packet fabrics to compare with, ${KIND},..: fat-tree, rail-optimised, rail-only (default: the first two)"`
	// Parts are the user's own parts and prices.
	Parts *parts.Catalogue `json:"parts,omitempty" help:"also use the parts and prices in ${FILE}.yaml"`
	// BudgetCost and BudgetPower are the most that the fabric may cost and draw, by likely
	// values.
	BudgetCost  float64 `json:"budget_cost,omitempty" help:"the most that the fabric may cost, in ${USD}"`
	BudgetPower float64 `json:"budget_power,omitempty" help:"the most that the fabric may draw, in ${W}"`
	Planner     string  `json:"planner,omitempty" help:"planner ${NAME}, or auto: the fastest" default:"auto"`
}

// UnmarshalJSON reads the JSON form.
func (r *DesignRequest) UnmarshalJSON(data []byte) error {
	type plain DesignRequest
	return command.ReadRequest(data, (*plain)(r))
}

// mostChoices bounds the combinations, because each is planned.
const mostChoices = 10_000

// Complete fills in the defaults and reports the first invalid field.
func (r *DesignRequest) Complete() error {
	if r.Fabric.IsZero() {
		r.Fabric = fabric.Default()
	}
	if err := r.completeLoad(); err != nil {
		return err
	}
	f := &r.Fabric
	if err := command.OnlyChanges(f, "a design"); err != nil {
		return err
	}
	switch {
	case !f.Layout.IsZero():
		return field.Errorf("fabric.switches", "which ports are plugged where is part of the answer")
	case f.Radix != 0:
		return field.Errorf("fabric.radix", "the technologies say how many ports a switch has")
	case !f.Spares.IsZero():
		return field.Errorf("fabric.spares", "nothing fails here; leave them out")
	case f.Reconfig.String() != fabric.Default().Reconfig.String():
		return field.Errorf("fabric.reconfig", "the technologies have their own delays")
	case !bounded(r.BudgetCost):
		return field.Errorf("budget_cost", "%v; want a finite number, 0 or more", r.BudgetCost)
	case !bounded(r.BudgetPower):
		return field.Errorf("budget_power", "%v; want a finite number, 0 or more", r.BudgetPower)
	}
	all, err := parts.With(r.Parts)
	if err != nil {
		return field.In("parts", err)
	}
	if len(r.Technology) == 0 {
		r.Technology = all.Technologies()
	}
	r.Technology = unique(r.Technology)
	for _, name := range r.Technology {
		if _, err := all.Technology(name); err != nil {
			return field.In("technology", err)
		}
	}
	if len(r.Packet) == 0 {
		r.Packet = []string{FatTree, RailOptimised}
	}
	r.Packet = unique(r.Packet)
	for i, kind := range r.Packet {
		if !slices.Contains([]string{FatTree, RailOptimised, RailOnly}, kind) {
			return field.Errorf(field.Index("packet", i), "there is no %.40q; want %s, %s or %s", kind, FatTree, RailOptimised, RailOnly)
		}
	}
	if len(r.Ports) == 0 {
		r.Ports = []int{f.Ports}
	}
	if len(r.Island) == 0 {
		r.Island = []int{max(1, f.Island.Size)}
	}
	r.Ports, r.Island = unique(r.Ports), unique(r.Island)
	// The fabric has the most ports and the largest islands, so that it is valid by itself.
	if f.Ports, f.Island.Size = slices.Max(r.Ports), slices.Max(r.Island); f.Island.Size <= 1 {
		f.Island = fabric.Island{}
	}
	if n := len(r.Ports) * len(r.Island) * len(r.Technology); n > mostChoices {
		return field.Errorf("technology", "%d combinations with ports and islands; there may be %d", n, mostChoices)
	}
	for _, d := range r.Ports {
		if err := field.Range(d, 1, fabric.MaxPorts); err != nil {
			return field.In("ports", err)
		}
		for _, g := range r.Island {
			if _, err := r.machine(d, g); err != nil {
				return err
			}
		}
	}
	r.Planner = cmp.Or(r.Planner, collective.Auto)
	if r.Workload != nil && r.Planner != collective.Auto {
		return field.Errorf("planner", "not with a workload, whose collectives are planned by all of them")
	}
	return nil
}

// bounded reports whether a number is finite and not below 0.
func bounded(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }

// unique removes duplicates and keeps the order of first occurrences.
func unique[T comparable](list []T) []T {
	var out []T
	for _, x := range list {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// completeLoad checks the mix or the workload.
func (r *DesignRequest) completeLoad() error {
	switch {
	case r.Workload == nil && len(r.Mix) == 0:
		return field.Errorf("mix", "say the load, such as allreduce/100MB:1, or a workload")
	case r.Workload != nil && len(r.Mix) > 0:
		return field.Errorf("mix", "there is a workload, too; want one of them")
	case r.Workload == nil:
		_, err := r.mixed()
		return err
	}
	if n := r.Fabric.Nodes; n != r.Workload.Ranks && n != fabric.Default().Nodes && n != 0 {
		return field.Errorf("fabric.nodes", "%d; the workload has %d ranks, each on a GPU of its own", n, r.Workload.Ranks)
	}
	r.Fabric.Nodes = r.Workload.Ranks
	return field.In("workload", r.Workload.Validate())
}

// MixedOperation is an operation of the load.
type MixedOperation struct {
	Op        collective.Op `json:"op"`
	SizeBytes int64         `json:"size_bytes"`
	Algorithm string        `json:"algorithm,omitempty"` // if requested
	Times     int           `json:"times"`
}

// String returns the operation as requests write it.
func (o MixedOperation) String() string {
	text := fmt.Sprintf("%s/%v", o.Op, units.Bytes(o.SizeBytes))
	if o.Algorithm != "" {
		text += "/" + o.Algorithm
	}
	return fmt.Sprintf("%s:%d", text, o.Times)
}

// mostTimes bounds how often an operation occurs.
const mostTimes = 1_000_000

// mixed reads the mix.
func (r *DesignRequest) mixed() ([]MixedOperation, error) {
	var out []MixedOperation
	for i, text := range r.Mix {
		wrong := func(err error) ([]MixedOperation, error) { return nil, field.In(field.Index("mix", i), err) }
		times := 1
		if cut := strings.LastIndexByte(text, ':'); cut >= 0 {
			if n, err := strconv.Atoi(text[cut+1:]); err == nil {
				text, times = text[:cut], n
			} else if counts(text[:cut], text[cut+1:]) {
				return wrong(fmt.Errorf("%.40q is not how often the operation occurs; want a whole number from 1 to %d", text[cut+1:], mostTimes))
			}
		}
		o, err := collective.ParseOperation(text)
		if err != nil {
			return wrong(err)
		}
		if err := field.Range(times, 1, mostTimes); err != nil {
			return wrong(err)
		}
		if o.GPUs != nil || o.Generator != "" || o.Demand != nil || o.Seed != nil {
			return wrong(fmt.Errorf("want an operation of all GPUs, with a size and perhaps an algorithm"))
		}
		if err := o.Complete(max(r.Fabric.Nodes, fabric.MinNodes)); err != nil {
			return wrong(err)
		}
		if o.Open() {
			o.Algorithm = ""
		}
		out = append(out, MixedOperation{o.Op, int64(o.Size), o.Algorithm, times})
	}
	return out, nil
}

// counts reports whether the text after a colon says how often the operation before it occurs,
// and is not an option of its algorithm: it is a number of any kind, or follows the operation or
// its size.
func counts(before, after string) bool {
	last := before[strings.LastIndexByte(before, '/')+1:]
	_, err := strconv.ParseFloat(after, 64)
	return after == "" || last == before || last != "" && last[0] >= '0' && last[0] <= '9' || err == nil || errors.Is(err, strconv.ErrRange)
}

// machine returns the fabric with the given ports and island size, on an ideal switch that
// switches in no time.
func (r *DesignRequest) machine(ports, island int) (fabric.Fabric, error) {
	f := r.Fabric
	f.Ports, f.Island.Size = ports, island
	f.Reconfig = f.Reconfig.Scaled(0, 1)
	switch {
	case island < 1:
		return f, field.Errorf("island", "%d; want 1 (no islands) or more", island)
	case island == 1:
		f.Island = fabric.Island{}
	case f.Island.Bandwidth == 0:
		return f, field.Errorf("island", "%d: say how fast a GPU sends within an island, too", island)
	}
	if err := f.Validate(); err != nil {
		return f, field.In("fabric", err)
	}
	if r.Workload != nil {
		return f, field.In("fabric", iteration.Supported(&f))
	}
	return f, nil
}
