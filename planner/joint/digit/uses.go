package digit

import "slices"

// Uses says which of the choices that Limits can exclude occur in a plan.
type Uses struct {
	Points                          []int
	Exchange, Rungs, Networks, Sums bool
	Windows                         bool
	Cast                            CastFamily
}

// Uses returns the choices that occur in a solution.
func (s Solution) Uses() Uses {
	var u Uses
	for _, d := range s.Digits {
		if !slices.Contains(u.Points, d.points) {
			u.Points = append(u.Points, d.points)
		}
		has := d.Make().has
		u.Exchange = u.Exchange || has.Exchange
		u.Rungs = u.Rungs || has.Rungs
		u.Networks = u.Networks || has.Networks
		u.Sums = u.Sums || has.Sums
		u.Windows = u.Windows || has.Windows
	}
	return u
}
