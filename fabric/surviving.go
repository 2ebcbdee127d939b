package fabric

// Surviving returns how many ports may be used at each GPU that takes part and has lost some of
// those that others use; the GPUs that are not in it have Ports. Where none is left it says 0.
func (f *Fabric) Surviving() map[int]int {
	left := map[int]int{}
	for _, u := range f.lostPorts() {
		if ports := f.portsOf(u); !f.Avoid.GPU(u) && ports < f.Ports {
			left[u] = ports
		}
	}
	return left
}
