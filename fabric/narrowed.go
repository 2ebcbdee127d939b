package fabric

// Narrowed returns the fabric for plans that leave ports unused, or use two-way circuits
// though they need not. Reconfigurations cost the same as on the whole fabric, the same circuits
// are up at the start, and unused ports can be set up ahead. So a plan takes the same time on
// both.
func (f Fabric) Narrowed(ports int, duplex bool) Fabric {
	f.idle += f.Ports - ports
	f.oneWay = f.oneWay || duplex && !f.Duplex
	f.Ports, f.Duplex = ports, duplex
	return f
}

// AllPorts returns how many ports a GPU has, those counted that plans leave unused.
func (f *Fabric) AllPorts() int { return f.Ports + f.idle }

// whole returns the fabric with what plans leave unused.
func (f *Fabric) whole() Fabric {
	w := *f
	w.Ports, w.Duplex = f.AllPorts(), f.Duplex && !f.oneWay
	w.idle, w.oneWay = 0, false
	return w
}
