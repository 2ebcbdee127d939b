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
	l, err := newLedger(d, g)
	if err != nil {
		return nil, err
	}
	var list [][2]units.Time
	for _, s := range l.path() {
		list = append(list, [2]units.Time{s.start, s.end})
	}
	return list, nil
}
