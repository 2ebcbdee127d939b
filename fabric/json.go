package fabric

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/units"
)

// document is the JSON form of a fabric: the names of numbers include their unit.
type document struct {
	Nodes        int          `json:"nodes"`
	Ports        int          `json:"ports"`
	BandwidthBps int64        `json:"bandwidth_bps"`
	AlphaNs      float64      `json:"alpha_ns"`
	DeltaNs      float64      `json:"delta_ns"`
	Gamma        string       `json:"gamma,omitempty"` // TIME/SIZE, such as 400us/GiB
	Reconfig     reconfigJSON `json:"reconfig"`
	// Charge is "steps" if every step on circuits other than the base's pays for them.
	Charge     Charge       `json:"charge,omitempty"`
	SyncNs     float64      `json:"sync_ns,omitempty"`
	Overlap    *overlapJSON `json:"overlap,omitempty"`
	Duplex     bool         `json:"duplex"`
	Forwarding Forwarding   `json:"forwarding"`
	Initial    string       `json:"initial"`
	Routing    flow.Policy  `json:"routing"`
	Base       string       `json:"base,omitempty"`
	CapTheta   bool         `json:"cap_theta,omitempty"`
	Avoid      string       `json:"avoid,omitempty"`
	// Held is what other jobs hold: 0-15,20.1,..
	Held string `json:"held,omitempty"`
	// Links are circuits of the base that differ: 0>1:400Gbps+2us,..
	Links string `json:"links,omitempty"`
	// Switches say which ports are on the same switch: rails, 8x8:2,2, ..
	Switches string      `json:"switches,omitempty"`
	Radix    int         `json:"radix,omitempty"` // ports of a switch
	Island   *islandJSON `json:"island,omitempty"`
	// Spares are available to replace what fails: 2, islands:1, ..; InPlace lists those in use.
	Spares  string        `json:"spares,omitempty"`
	InPlace []Replacement `json:"in_place,omitempty"`
	Fixed   *fixedJSON    `json:"fixed,omitempty"`
}

// fixedJSON always has the bandwidth and both latencies, whether they were given or are the
// fabric's.
type fixedJSON struct {
	Links        string   `json:"links"` // a topology of the block that repeats
	BandwidthBps int64    `json:"bandwidth_bps,omitempty"`
	AlphaNs      *float64 `json:"alpha_ns,omitempty"`
	DeltaNs      *float64 `json:"delta_ns,omitempty"`
}

// islandJSON always has both latencies, whether they were given or are the fabric's.
type islandJSON struct {
	Size         int      `json:"size"`
	BandwidthBps int64    `json:"bandwidth_bps"`
	AlphaNs      *float64 `json:"alpha_ns,omitempty"`
	DeltaNs      *float64 `json:"delta_ns,omitempty"`
}

type reconfigJSON struct {
	Model  string  `json:"model"`
	BaseNs float64 `json:"base_ns"`
	EachNs float64 `json:"each_ns,omitempty"`
	// Switches is the number of parallel switches of the model per-switch; absent: one
	// for each port.
	Switches int `json:"switches,omitempty"`
}

type overlapJSON struct {
	Kind      OverlapKind `json:"kind"`
	ComputeNs float64     `json:"compute_ns,omitempty"`
}

// MarshalJSON writes the fabric.
func (f Fabric) MarshalJSON() ([]byte, error) { return json.Marshal(f.document()) }

func (f *Fabric) document() document {
	var overlap *overlapJSON
	if f.Overlap.Kind != OverlapNone {
		overlap = &overlapJSON{f.Overlap.Kind, float64(f.Overlap.Compute.Time())}
	}
	gamma := ""
	if f.Gamma != (Gamma{}) {
		gamma = f.Gamma.String()
	}
	var island *islandJSON
	if !f.Island.IsZero() {
		alpha, delta := float64(f.IslandAlpha().Time()), float64(f.IslandDelta().Time())
		island = &islandJSON{f.Island.Size, int64(f.Island.Bandwidth), &alpha, &delta}
	}
	var fixed *fixedJSON
	if !f.Fixed.IsZero() {
		alpha, delta := float64(f.FixedAlpha().Time()), float64(f.FixedDelta().Time())
		fixed = &fixedJSON{f.Fixed.Links.String(), int64(f.FixedBandwidth()), &alpha, &delta}
	}
	return document{
		Gamma: gamma, Island: island, Fixed: fixed,
		Nodes: f.Nodes, Ports: f.Ports, BandwidthBps: int64(f.Bandwidth),
		AlphaNs: float64(f.Alpha.Time()), DeltaNs: float64(f.Delta.Time()),
		Reconfig: reconfigJSON{f.Reconfig.model().String(), float64(f.Reconfig.Base.Time()), float64(f.Reconfig.Each.Time()), f.Reconfig.Switches},
		Charge:   f.Charge, SyncNs: float64(f.Sync.Time()), Overlap: overlap,
		Duplex: f.Duplex, Forwarding: f.Forwarding, Initial: f.Initial, Routing: f.Routing, Base: f.Base, CapTheta: f.CapTheta, Avoid: f.Avoid.String(), Held: f.Avoid.Held(), Links: f.Links.String(),
		Switches: f.Layout.String(), Radix: f.Radix, Spares: f.Spares.text(!f.Island.IsZero()), InPlace: f.InPlace(),
	}
}

// Decode reads a complete fabric as MarshalJSON writes it, and validates it. It is for plan
// files, which leave nothing to defaults. The fabric may use the known names in addition to the
// built-in ones.
func Decode(data []byte, known Known) (Fabric, error) {
	var d document
	if err := strict.Unmarshal(data, &d); err != nil {
		return Fabric{}, err
	}
	f, err := d.fabric(known)
	if err == nil {
		err = f.Validate()
	}
	if err == nil {
		err = d.checkInPlace(&f)
	}
	return f, err
}

// checkInPlace reports spares that are claimed to be in place but cannot be: used twice, more
// than there are, or not those that replace what has failed.
func (d *document) checkInPlace(f *Fabric) error {
	if d.InPlace == nil {
		return nil
	}
	used := map[string]bool{}
	for i, r := range d.InPlace {
		spare := ""
		if r.Switch != nil && r.Port != nil {
			spare = fmt.Sprintf("spare port %d of switch %d", *r.Port, *r.Switch)
			if used[spare] {
				return field.Errorf(field.Index("in_place", i), "%s is used twice", spare)
			}
		}
		used[spare] = true
	}
	got, err := json.Marshal(d.InPlace)
	if err != nil {
		return err
	}
	want, err := json.Marshal(f.InPlace())
	if err != nil {
		return err
	}
	if string(got) != string(want) {
		return field.Errorf("in_place", "%s; with these failures it is %s", got, want)
	}
	return nil
}

// fabric converts the document to a fabric that is not validated yet.
func (d *document) fabric(known Known) (Fabric, error) {
	read := Fabric{
		Nodes: d.Nodes, Ports: d.Ports, Bandwidth: units.Bandwidth(d.BandwidthBps),
		Reconfig: Reconfig{Model: modelNamed(d.Reconfig.Model, known.Models), Switches: d.Reconfig.Switches},
		Duplex:   d.Duplex, Forwarding: d.Forwarding, Initial: d.Initial, Routing: d.Routing, Base: d.Base, CapTheta: d.CapTheta, Radix: d.Radix,
		known: known,
	}
	nodes := d.Nodes // Validate refuses a wrong number
	if nodes < MinNodes || nodes > MaxNodes {
		nodes = MaxNodes
	}
	var err error
	if read.Avoid, err = parseFailures(d.Avoid, nodes); err != nil {
		return Fabric{}, field.In("avoid", err)
	}
	if d.Charge != ChargeChanges {
		if read.Charge, err = ParseCharge(string(d.Charge)); err != nil {
			return Fabric{}, field.In("charge", err)
		}
	}
	held, err := ParseHeld(d.Held)
	if err != nil {
		return Fabric{}, field.In("held", err)
	}
	read.Avoid = read.Avoid.And(held)
	if read.Links, err = parseLinks(d.Links, nodes); err != nil {
		return Fabric{}, field.In("links", err)
	}
	if read.Layout, err = layout.Parse(d.Switches); err != nil {
		return Fabric{}, field.In("switches", err)
	}
	if read.Spares, err = ParseSpares(d.Spares); err != nil {
		return Fabric{}, field.In("spares", err)
	}
	if d.Gamma != "" {
		if read.Gamma, err = ParseGamma(d.Gamma); err != nil {
			return Fabric{}, field.In("gamma", err)
		}
	}
	if err := d.tiers(&read); err != nil {
		return Fabric{}, err
	}
	compute := 0.0
	if d.Overlap != nil {
		read.Overlap.Kind, compute = d.Overlap.Kind, d.Overlap.ComputeNs
	}
	for _, part := range []struct {
		name string
		ns   float64
		into *units.Duration
	}{
		{"alpha_ns", d.AlphaNs, &read.Alpha},
		{"delta_ns", d.DeltaNs, &read.Delta},
		{"reconfig.base_ns", d.Reconfig.BaseNs, &read.Reconfig.Base},
		{"reconfig.each_ns", d.Reconfig.EachNs, &read.Reconfig.Each},
		{"sync_ns", d.SyncNs, &read.Sync},
		{"overlap.compute_ns", compute, &read.Overlap.Compute},
	} {
		if *part.into, err = duration(part.ns); err != nil {
			return Fabric{}, field.In(part.name, err)
		}
	}
	return read, nil
}

// tiers reads islands and fixed links.
func (d *document) tiers(into *Fabric) (err error) {
	times := func(tier string, alpha, delta *float64, own, hop *OwnTime) error {
		for _, part := range []struct {
			name string
			ns   *float64
			into *OwnTime
		}{{"alpha_ns", alpha, own}, {"delta_ns", delta, hop}} {
			if part.ns == nil {
				continue
			}
			if part.into.Time, err = duration(*part.ns); err != nil {
				return field.In(tier+"."+part.name, err)
			}
			part.into.Given = true
		}
		return nil
	}
	if i := d.Island; i != nil {
		into.Island = Island{Size: i.Size, Bandwidth: units.Bandwidth(i.BandwidthBps)}
		if err := times("island", i.AlphaNs, i.DeltaNs, &into.Island.Alpha, &into.Island.Delta); err != nil {
			return err
		}
	}
	x := d.Fixed
	if x == nil {
		return nil
	}
	into.Fixed.Bandwidth = units.Bandwidth(x.BandwidthBps)
	if into.Fixed.Links, err = ParseFixed(x.Links, into.known.Families); err != nil {
		return field.In("fixed", err)
	}
	return times("fixed", x.AlphaNs, x.DeltaNs, &into.Fixed.Alpha, &into.Fixed.Delta)
}

// duration converts nanoseconds, rounded to a picosecond.
func duration(ns float64) (units.Duration, error) {
	ps := math.Round(ns * 1000)
	if !(ps >= 0) || ps > math.MaxInt64/2 {
		return 0, fmt.Errorf("%v is not a time", ns)
	}
	return units.Duration(ps), nil
}
