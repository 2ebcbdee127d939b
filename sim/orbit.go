package sim

import "github.com/lightpath-net/lightpath/sim/traffic"

// validateOrbit reports why one representative cannot stand for its orbit. Circuits, their
// changes and their speed must be invariant under every translation, and nodes must begin
// together. Ties then have the same result in all images, and so does everything else.
func (p *Phase) validateOrbit(o *Options) error {
	if !o.Orbit || p.Group.Trivial() {
		return nil
	}
	if !o.Skew.none() {
		return traffic.Invalid("nodes that begin at different times have no orbits")
	}
	if len(p.Failures) > 0 {
		return traffic.Invalid("failures of single circuits have no orbits")
	}
	if !p.Group.Invariant(p.Network.Graph) {
		return traffic.Invalid("the circuits are not invariant under the group")
	}
	for i, c := range p.Changes {
		if !p.Group.Invariant(c.Graph) {
			return traffic.Invalid("the circuits after change %d are not invariant under the group", i)
		}
	}
	return p.validateSpeeds()
}

// validateSpeeds reports circuits that differ from the representative that stands for them.
func (p *Phase) validateSpeeds() error {
	vary := p.Network.Vary
	if vary == nil {
		return nil
	}
	for e := range p.union().Edges() {
		k, r := p.Group.Locate(e.From)
		bandwidth, delay := vary(e.From, e.To)
		if b, d := vary(r, p.Group.Back(k, e.To)); b != bandwidth || d != delay {
			return traffic.Invalid("circuit %d -> %d is not like its images under the group", e.From, e.To)
		}
	}
	return nil
}
