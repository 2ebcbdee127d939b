package sweep

import (
	"context"

	"github.com/lightpath-net/lightpath/planner/idle"
)

// leave returns a request for plans that leave something of its fabric unused, which take the
// same time on both.
func leave(less idle.Less, r Request) Request {
	r.Fabric = less.On(r.Fabric)
	return r
}

// leaveAll is leave for a column.
func leaveAll(less idle.Less, column []Request) []Request {
	narrow := make([]Request, len(column))
	for i := range column {
		narrow[i] = leave(less, column[i])
	}
	return narrow
}

// leaving returns a way that leaves something of the fabrics unused.
func (w way) leaving(less idle.Less) way {
	narrow := w
	if w.bound != nil {
		narrow.bound = func(r *Request) float64 {
			asked := leave(less, *r)
			return w.bound(&asked)
		}
	}
	narrow.solve = func(ctx context.Context, column []Request, best []answer) error {
		own := make([]answer, len(best)) // without a name: not improved
		for i := range best {
			own[i].total = best[i].total
		}
		err := w.solve(ctx, leaveAll(less, column), own)
		for i, a := range own {
			if a.algorithm != "" {
				a.less = &less
				best[i] = a
			}
		}
		return err
	}
	return narrow
}
