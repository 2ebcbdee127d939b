package plan

import (
	"io"

	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
)

// Known resolves the names in a plan: of algorithms, topology families and delay models,
// whether built-in or user-defined. The zero value has only the built-in ones.
type Known struct {
	Algorithms *algorithms.Registry
	Families   *topology.Registry
	Delays     []fabric.DelayModel // in addition to the built-in ones
}

// IsZero reports whether only built-in names are known.
func (k Known) IsZero() bool { return k.Algorithms == nil && k.Families == nil && len(k.Delays) == 0 }

// Fabric returns the names that the settings of a fabric may use.
func (k Known) Fabric() fabric.Known { return fabric.Known{Families: k.Families, Models: k.Delays} }

// With returns the plan with more known names. Package verify then rebuilds user-defined
// algorithms and topologies like built-in ones. The copy shares everything else.
func (p *Plan) With(k Known) *Plan {
	q := *p
	q.known = k
	q.Fabric = q.Fabric.With(k.Fabric())
	return &q
}

// Known returns the names that the plan can resolve.
func (p *Plan) Known() Known { return p.known }

// Decode reads a plan that may contain user-defined names.
func (k Known) Decode(r io.Reader) (*Plan, error) { return decode(r, k) }
