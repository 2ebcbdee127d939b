package fabric

import "fmt"

// CanStagger reports why planes of a fabric cannot be rewired by themselves, or nil.
func (f *Fabric) CanStagger() error {
	switches, _ := f.Reconfig.Parallel()
	switch {
	case f.Overlap.Kind != OverlapPlanes:
		return fmt.Errorf("planes are rewired together with overlap %s; use planes", f.Overlap)
	case !f.Links.IsZero():
		return fmt.Errorf("circuits of the base differ, and which plane has which is not told")
	case f.Restricts():
		return fmt.Errorf("the switches %s are no whole planes", f.Layout.Short())
	case f.CapTheta:
		return fmt.Errorf("several planes send faster than theta 1 allows")
	case switches != 0 && switches != f.AllPorts():
		return fmt.Errorf("%d switches for %d planes; a plane needs one of its own", switches, f.AllPorts())
	}
	return nil
}

// Switches returns the number of parallel switches that a GPU's ports are spread over, and whether
// the fabric has such: port p is on switch p modulo their number, and a switch is dark as a whole
// when it changes.
func (f *Fabric) Switches() (count int, whole bool) {
	count, whole = f.Reconfig.Parallel()
	if whole && count == 0 {
		count = f.Ports
	}
	return count, whole
}
