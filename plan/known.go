package plan

import (
	"io"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// Known is what names in a plan stand for: the built-in algorithms and topology families,
// and those of one's own. The zero value has the built-in ones.
type Known struct {
	Algorithms *collective.Registry
	Families   *topology.Registry
}

// With returns the plan for a reader who knows more names. Package verify then rebuilds algorithms
// and topologies of one's own as it does built-in ones. It shares everything else.
func (p *Plan) With(k Known) *Plan {
	q := *p
	q.known = k
	q.Fabric = q.Fabric.With(k.Families)
	return &q
}

// Known returns what names in the plan stand for.
func (p *Plan) Known() Known { return p.known }

// Decode reads a plan in which names of one's own may stand.
func (k Known) Decode(r io.Reader) (*Plan, error) { return decode(r, k) }
