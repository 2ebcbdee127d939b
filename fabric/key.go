package fabric

import (
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Key is the complete content of a fabric as a comparable value, usable as a map key. Two
// fabrics with equal keys have the same plans, down to their text.
type Key struct {
	nodes, ports, idle         int
	bandwidth                  units.Bandwidth
	alpha, delta, sync         units.Duration
	gamma                      Gamma
	reconfig                   Reconfig
	charge                     Charge
	overlap                    Overlap
	duplex, oneWay, capTheta   bool
	forwarding                 Forwarding
	routing                    flow.Policy
	initial, base, avoid, link string
	held                       string
	island                     Island
	fixed                      fixedKey
	layout                     string
	radix                      int
	spares                     Spares
	families                   *topology.Registry
}

// fixedKey is the complete content of fixed links.
type fixedKey struct {
	links        string
	bandwidth    units.Bandwidth
	alpha, delta OwnTime
}

// Key returns the fabric's key. It takes constant time.
func (f *Fabric) Key() Key {
	return Key{
		nodes: f.Nodes, ports: f.Ports, idle: f.idle,
		bandwidth: f.Bandwidth, alpha: f.Alpha, delta: f.Delta, sync: f.Sync, gamma: f.Gamma,
		reconfig: f.Reconfig, charge: f.Charge, overlap: f.Overlap,
		duplex: f.Duplex, oneWay: f.oneWay, capTheta: f.CapTheta,
		forwarding: f.Forwarding, routing: f.Routing,
		initial: f.Initial, base: f.Base, avoid: f.Avoid.String(), held: f.Avoid.Held(), link: f.Links.String(),
		island: f.Island,
		fixed:  fixedKey{f.Fixed.Links.String(), f.Fixed.Bandwidth, f.Fixed.Alpha, f.Fixed.Delta},
		layout: f.Layout.String(), radix: f.Radix, spares: f.Spares,
		families: f.known.Families,
	}
}

// Equal reports whether two fabrics have equal keys.
func (f Fabric) Equal(other Fabric) bool { return f.Key() == other.Key() }

// IsZero reports whether this is the zero value, which requests read as "none given".
func (f Fabric) IsZero() bool { return f.Key() == Key{} }
