package layout

// Hops returns how many switches are on the shortest path between the two connected GPUs that
// are farthest apart or, if fromFirst, from GPU 0 to the farthest GPU. It is computed once.
func (p *Plugging) Hops(fromFirst bool) int {
	p.far.once.Do(func() {
		p.far.first = p.hopsFrom(0)
		p.far.most = p.far.first
		for u := 1; u < min(p.nodes, mostStarts); u++ {
			p.far.most = max(p.far.most, p.hopsFrom(u))
		}
	})
	if fromFirst {
		return p.far.first
	}
	return p.far.most
}

// mostStarts is the number of GPUs from which the farthest one is searched.
const mostStarts = 256

// hopsFrom returns the number of hops to the GPU that is farthest from start.
func (p *Plugging) hopsFrom(start int) int {
	at := make([]int, p.nodes) // hops + 1
	used := make([]bool, len(p.bundles))
	at[start] = 1
	queue := []int{start}
	last := start
	for ; len(queue) > 0; queue = queue[1:] {
		last = queue[0]
		for _, place := range p.of[last] {
			if used[place.bundle] {
				continue
			}
			used[place.bundle] = true
			for _, v := range p.bundles[place.bundle].gpus {
				if at[v] == 0 {
					at[v] = at[last] + 1
					queue = append(queue, int(v))
				}
			}
		}
	}
	return at[last] - 1
}
