package joint

import "slices"

// uses is what of that which limits leave out a plan has.
type uses struct {
	points                          []int
	exchange, rungs, networks, sums bool
	windows                         bool
	cast                            castFamily
}

// uses lists what a solution has.
func (s solution) uses() uses {
	var u uses
	for _, d := range s.digits {
		if !slices.Contains(u.points, d.points) {
			u.points = append(u.points, d.points)
		}
		has := d.make().has
		u.exchange = u.exchange || has.exchange
		u.rungs = u.rungs || has.rungs
		u.networks = u.networks || has.networks
		u.sums = u.sums || has.sums
		u.windows = u.windows || has.windows
	}
	return u
}
