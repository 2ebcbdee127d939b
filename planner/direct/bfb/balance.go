package bfb

// balancer assigns the groups of a delivery to its links such that no link carries more than it
// can by a given time. This is a maximum flow from groups to links. First every group goes to
// the links with the most room, the groups with the fewest choices first. The algorithm of
// Dinic (1970), whose shortest augmenting paths alternate between links and groups, places the
// rest. There are at most as many phases as links. Each takes O(pairs x links), where a pair is
// a group and a link that can deliver it; in practice O(pairs).
type balancer struct {
	*delivery
	net *network

	parts int64   // of a shard
	flow  []int64 // parts over each pair; pair e is sender[e] for some group
	need  []int64 // parts of each group that are not assigned yet
	room  []int64 // parts that each link can still carry

	owner  []int32 // group of each pair
	byLink []int32 // pairs of link i are byLink[linkAt[i]:linkAt[i+1]]
	linkAt []int32

	linkLevel  []int32 // hops from the groups in need, -1 if not reached
	groupLevel []int32
	queue      []int32
	nextPair   []int32 // the next pair that a group has to look at
	nextBack   []int32 // the next place in byLink that a link has to look at

	ranked []link  // work
	order  []int32 // work: groups by ascending number of senders
	bucket []int32 // work
}

// solve finds the least time, at least floor, by which the delivery can be done, and makes the
// assignment. It is Newton's method on the cut condition (Dinkelbach 1967): a time that is too
// short leaves a set of links that cannot carry their shards, and the least time for that set
// is the next one tried. Every set is tried at most once; in practice the first or second is
// the last.
func (b *balancer) solve(floor Frac) Frac {
	b.prepare()
	u := floor
	if all := b.leastForAll(); u.Less(all) {
		u = all
	}
	for !b.assign(u) {
		u = b.leastForCut()
	}
	return u
}

// prepare lists the pairs of every link for the loaded delivery.
func (b *balancer) prepare() {
	links, groups := len(b.links), b.groups()
	b.linkAt = zeros(b.linkAt, links+1)
	b.owner = b.owner[:0]
	for g := range groups {
		for _, i := range b.senders(g) {
			b.owner = append(b.owner, int32(g))
			b.linkAt[i+1]++
		}
	}
	for i := range links {
		b.linkAt[i+1] += b.linkAt[i]
	}
	b.byLink = zeros(b.byLink, len(b.sender))
	b.nextBack = append(b.nextBack[:0], b.linkAt[:links]...)
	for e, i := range b.sender {
		b.byLink[b.nextBack[i]] = int32(e)
		b.nextBack[i]++
	}
	b.rank()
}

// rank orders the groups by how many senders they have.
func (b *balancer) rank() {
	b.bucket = zeros(b.bucket, len(b.links)+2)
	for g := range b.groups() {
		b.bucket[len(b.senders(g))+1]++
	}
	for k := range len(b.links) + 1 {
		b.bucket[k+1] += b.bucket[k]
	}
	b.order = zeros(b.order, b.groups())
	for g := range b.groups() {
		k := len(b.senders(g))
		b.order[b.bucket[k]] = int32(g)
		b.bucket[k]++
	}
}

// leastForAll returns the least time for all links and shards, which no set of links
// may go below. Links that can deliver nothing in this step do not count.
func (b *balancer) leastForAll() Frac {
	return b.leastFor(int64(len(b.members)), func(i int) bool { return b.linkAt[i] < b.linkAt[i+1] })
}

// leastForCut returns the least time for the links that label has reached and the
// groups that only they can deliver.
func (b *balancer) leastForCut() Frac {
	var shards int64
	for g := range b.groups() {
		inside := true
		for _, i := range b.senders(g) {
			inside = inside && b.linkLevel[i] >= 0
		}
		if inside {
			shards += b.size(g)
		}
	}
	return b.leastFor(shards, func(i int) bool { return b.linkLevel[i] >= 0 })
}

// leastFor returns the least time for shards over a set of links.
func (b *balancer) leastFor(shards int64, in func(link int) bool) Frac {
	b.ranked = b.ranked[:0]
	for i, l := range b.links {
		if in(i) {
			b.ranked = append(b.ranked, l)
		}
	}
	if !b.net.even {
		byLatency(b.ranked)
	}
	return b.net.least(b.ranked, shards)
}

// assign looks for an assignment that takes at most time u. If there is none, the links
// with a linkLevel >= 0 cannot carry the groups that only they can deliver.
func (b *balancer) assign(u Frac) bool {
	b.parts = b.net.parts(u)
	enough := b.parts * int64(len(b.members))
	b.flow = zeros(b.flow, len(b.sender))
	b.need, b.room = b.need[:0], b.room[:0]
	for g := range b.groups() {
		b.need = append(b.need, b.parts*b.size(g))
	}
	for _, l := range b.links {
		b.room = append(b.room, b.net.capacity(l, u, enough))
	}
	left := false
	for _, g := range b.order {
		left = !b.pour(g) || left
	}
	for left && b.label() {
		left = b.augment()
	}
	return !left
}

// pour gives a group to the links with most room, and reports whether all of it fits.
func (b *balancer) pour(g int32) bool {
	from, to := b.reach[g], b.reach[g+1]
	for b.need[g] > 0 {
		best := from
		for e := from + 1; e < to; e++ {
			if b.room[b.sender[e]] > b.room[b.sender[best]] {
				best = e
			}
		}
		amount := min(b.need[g], b.room[b.sender[best]])
		if amount == 0 {
			return false
		}
		b.flow[best] += amount
		b.room[b.sender[best]] -= amount
		b.need[g] -= amount
	}
	return true
}

// label finds the distances of links and groups from the groups in need: forward along pairs
// that can carry more, and back along pairs that carry something. It reports whether it reaches
// a link with room, and stops at that link's distance.
func (b *balancer) label() bool {
	b.linkLevel = fill(b.linkLevel, len(b.links), -1)
	b.groupLevel = fill(b.groupLevel, b.groups(), -1)
	b.queue = b.queue[:0]
	for g, need := range b.need {
		if need > 0 {
			b.reachFrom(int32(g), 0)
		}
	}
	found := int32(-1)
	for head := 0; head < len(b.queue); head++ {
		i := b.queue[head]
		level := b.linkLevel[i]
		if found >= 0 && level > found {
			break
		}
		if b.room[i] > 0 {
			found = level
			continue
		}
		for _, e := range b.byLink[b.linkAt[i]:b.linkAt[i+1]] {
			if g := b.owner[e]; b.flow[e] > 0 && b.groupLevel[g] < 0 {
				b.reachFrom(g, level+1)
			}
		}
	}
	return found >= 0
}

// reachFrom labels a group and the links that it leads to.
func (b *balancer) reachFrom(g, level int32) {
	b.groupLevel[g] = level
	for _, i := range b.senders(int(g)) {
		if b.linkLevel[i] < 0 {
			b.linkLevel[i] = level
			b.queue = append(b.queue, i)
		}
	}
}

// augment sends a blocking flow along the labels and reports whether any group is still
// in need.
func (b *balancer) augment() bool {
	b.nextPair = append(b.nextPair[:0], b.reach[:b.groups()]...)
	b.nextBack = append(b.nextBack[:0], b.linkAt[:len(b.links)]...)
	left := false
	for g, need := range b.need {
		if need > 0 {
			b.need[g] -= b.fromGroup(int32(g), need)
			left = left || b.need[g] > 0
		}
	}
	return left
}

// fromGroup moves up to amount of a group onto links of its level.
func (b *balancer) fromGroup(g int32, amount int64) int64 {
	moved := int64(0)
	for ; b.nextPair[g] < b.reach[g+1]; b.nextPair[g]++ {
		e := b.nextPair[g]
		i := b.sender[e]
		if b.linkLevel[i] != b.groupLevel[g] {
			continue
		}
		more := b.throughLink(i, amount-moved)
		b.flow[e] += more
		if moved += more; moved == amount {
			break // the pair may have more to give
		}
	}
	return moved
}

// throughLink takes up to amount onto a link, moving other groups away if it is full.
func (b *balancer) throughLink(i int32, amount int64) int64 {
	moved := min(amount, b.room[i])
	b.room[i] -= moved
	for ; moved < amount && b.nextBack[i] < b.linkAt[i+1]; b.nextBack[i]++ {
		e := b.byLink[b.nextBack[i]]
		g := b.owner[e]
		if b.groupLevel[g] != b.linkLevel[i]+1 || b.flow[e] == 0 {
			continue
		}
		more := b.fromGroup(g, min(amount-moved, b.flow[e]))
		b.flow[e] -= more
		if moved += more; moved == amount {
			break
		}
	}
	return moved
}

// zeros returns s with n elements, all 0.
func zeros[T int32 | int64](s []T, n int) []T { return fill(s, n, 0) }

// fill returns s with n elements of the given value, in the same memory if it suffices.
func fill[T int32 | int64](s []T, n int, value T) []T {
	if cap(s) < n {
		s = make([]T, n)
	}
	s = s[:n]
	for i := range s {
		s[i] = value
	}
	return s
}
