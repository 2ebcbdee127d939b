package layout

// Hops returns how many switches are on the shortest way between the two GPUs that are farthest
// apart or, from the first, to the GPU that is farthest from GPU 0; of GPUs that a way joins. It
// is found once.
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

// mostStarts is from how many GPUs the farthest is looked for.
const mostStarts = 256

// hopsFrom is the number of hops to the GPU that is farthest from one.
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
