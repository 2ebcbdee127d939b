package balls

// share decides which of the chosen offers sends which missing points. A sender sends a side sum
// that it keeps for others, if that has all points that no later sender has. Otherwise it sends all
// that are still missing, unless that would be one side sum too many.
func (f *finder) share(to int, offers []offer, chosen []int, lacking set) (stuck int, ok bool) {
	missing := lacking.clone()
	later := make([]set, len(chosen)+1) // the points in the balls of later senders
	later[len(chosen)] = make(set, len(missing))
	for k := len(chosen) - 1; k >= 0; k-- {
		later[k] = later[k+1].clone()
		for i, w := range f.ball[offers[chosen[k]].path[0]] {
			later[k][i] |= w
		}
	}
	for k, i := range chosen {
		f.send(to, offers[i].path, missing, later[k+1])
	}
	if missing.empty() {
		return 0, true
	}
	f.drop(to)
	return f.direct(to, offers, lacking)
}

// direct chooses messages one by one, by what senders can send with the side sums that they keep.
func (f *finder) direct(to int, offers []offer, missing set) (stuck int, ok bool) {
	for !missing.empty() {
		in := make([]int, f.Points) // messages in which a missing point can come
		for _, o := range offers {
			if f.can(o, missing) {
				f.part.all(func(v int) bool { in[v]++; return true })
			}
		}
		rarest := rarest(missing, in)
		best, most := -1, 0.0
		for i, o := range offers {
			if f.can(o, missing) && f.part.has(rarest) {
				if gain := float64(f.part.count()) / o.price; gain > most {
					best, most = i, gain
				}
			}
		}
		if best < 0 {
			return rarest, false
		}
		f.send(to, offers[best].path, missing, f.none)
	}
	return 0, true
}

// can reports whether a sender can send some of the missing points, and leaves these in part.
func (f *finder) can(o offer, missing set) bool {
	from := int(o.path[0])
	f.part.both(missing, f.ball[from])
	if f.part.empty() {
		return false
	}
	_, ok := f.sideFor(from, f.part, f.none)
	return ok
}

// send adds a message with as many of the missing points as it can have, and removes them. It need
// not have those that come later.
func (f *finder) send(to int, path []int32, missing, later set) {
	from := int(path[0])
	sum := make(set, len(missing))
	sum.both(missing, f.ball[from])
	if sum.empty() {
		return
	}
	side, ok := f.sideFor(from, sum, later)
	if !ok {
		return
	}
	if side > 0 {
		a := &f.asides[from]
		if a.uses[side-1]++; a.uses[side-1] == 1 {
			a.sets[side-1] = sum.clone()
			a.sets[side-1].remove(from)
		}
	}
	f.carry(path, 1)
	f.gets[to] = append(f.gets[to], message{path, sum, side})
	for i, w := range sum {
		missing[i] &^= w
	}
}

// sideFor returns the side sum that a point needs to send a sum of some points of its ball, 0 if it
// needs none. It may leave out points that come later, if the point then keeps no further side sum.
// If there is no room for another, it leaves out what it must.
func (f *finder) sideFor(from int, sum, later set) (side int, ok bool) {
	own := sum.has(from)
	others := sum.clone()
	others.remove(from)
	received := f.ball[from].clone()
	received.remove(from)
	if others.empty() || others.equal(received) {
		return 0, true
	}
	a := &f.asides[from]
	if side = a.find(others); side > 0 {
		return side, true
	}
	must := others.clone()
	for i, w := range later {
		must[i] &^= w
	}
	most := 0
	for i, s := range a.sets {
		if a.uses[i] > 0 && s.within(others) && must.within(s) && s.count() > most {
			side, most = i+1, s.count()
		}
	}
	if side == 0 {
		if side = a.free(); side > 0 {
			return side, true
		}
		for i, s := range a.sets {
			if count := s.count(); s.within(others) && count > most {
				side, most = i+1, count
			}
		}
	}
	switch {
	case side > 0:
		copy(sum, a.sets[side-1])
	case own:
		clear(sum)
	default:
		return 0, false
	}
	if own {
		sum.add(from)
	}
	return side, true
}
