package iteration

import (
	"context"

	"github.com/lightpath-net/lightpath/units"
)

// PathOf lists when the pieces of the longest chain begin and end, from the last to the first.
func PathOf(ctx context.Context, d *Document) ([][2]units.Time, error) {
	g, err := d.Workload.Graph(ctx)
	if err != nil {
		return nil, err
	}
	l, err := newLinkedDocument(d, g)
	if err != nil {
		return nil, err
	}
	var list [][2]units.Time
	for _, s := range l.path() {
		list = append(list, [2]units.Time{s.start, s.end})
	}
	return list, nil
}

// FitsAtOnce reports whether circuits over which all works can be carried out without a change
// fit on the ports at the same time, by trying every offer of every work; it also returns the
// least sum of their times.
func FitsAtOnce(p *Program, r *Repertoire) (bool, units.Time) {
	times := newSearch(p, r).times
	found, least := false, units.Time(0)
	taken, up := make([]int, r.Lines.Count()), map[int]bool{}
	var from func(w int, sum units.Time)
	from = func(w int, sum units.Time) {
		if found && sum >= least {
			return
		}
		if w == len(p.Works) {
			found, least = true, sum
			return
		}
		for i := range r.Offers[w] {
			o := &r.Offers[w][i]
			if o.First != o.Last || o.Changes > 0 || o.First != NoCircuits && o.First == r.Shared {
				continue
			}
			isNew := o.First != NoCircuits && !up[o.First]
			fits := true
			if isNew {
				up[o.First] = true
				for _, c := range r.Circuits[o.First].Claims {
					taken[c.Line] += c.Lanes
					fits = fits && taken[c.Line] <= r.Lines.Lanes(c.Line)
				}
			}
			if fits {
				from(w+1, sum+units.Time(times[w])*o.Time)
			}
			if isNew {
				delete(up, o.First)
				for _, c := range r.Circuits[o.First].Claims {
					taken[c.Line] -= c.Lanes
				}
			}
		}
	}
	from(0, 0)
	return found, least
}
