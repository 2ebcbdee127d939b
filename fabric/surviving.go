package fabric

import "slices"

// Surviving returns how many ports may be used at each GPU that takes part and has lost some of
// those that others use; the GPUs that are not in it have Ports. Where none is left it says 0.
func (f *Fabric) Surviving() map[int]int {
	left := map[int]int{}
	for _, u := range f.Avoid.LostPorts() {
		if ports := f.portsOf(u); !f.Avoid.GPU(u) && ports < f.Ports {
			left[u] = ports
		}
	}
	return left
}

// WithoutPorts returns the list as if no port had failed.
func (a Failures) WithoutPorts() Failures {
	if a.IsZero() {
		return a
	}
	return failuresOf(slices.DeleteFunc(slices.Clone(a.read.items), func(f failure) bool { return f.kind == "port" }))
}
