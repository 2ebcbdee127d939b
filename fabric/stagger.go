package fabric

import "fmt"

// CanStagger reports why planes of a fabric cannot be rewired by themselves, or nil.
func (f *Fabric) CanStagger() error {
	switch {
	case f.Overlap.Kind != OverlapPlanes:
		return fmt.Errorf("planes are rewired together with overlap %s; use planes", f.Overlap)
	case !f.Links.IsZero():
		return fmt.Errorf("circuits of the base differ, and which plane has which is not told")
	case f.CapTheta:
		return fmt.Errorf("several planes send faster than theta 1 allows")
	case f.Reconfig.Model == PerSwitch && f.Reconfig.Switches != 0 && f.Reconfig.Switches != f.AllPorts():
		return fmt.Errorf("%d switches for %d planes; a plane needs one of its own", f.Reconfig.Switches, f.AllPorts())
	}
	return nil
}
