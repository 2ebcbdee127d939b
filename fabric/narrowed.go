package fabric

// Narrowed returns the fabric for plans that leave ports unused, or have circuits two-way
// though they need not be. Changes take what they take on the whole fabric, where what is up
// at the start is the same and ports that are left free can be set up ahead, so that a plan
// takes the same time on both.
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
