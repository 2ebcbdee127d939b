package workload

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
)

// back is the prefix of the skew of an all-to-all that returns what another brought.
const back = "back:"

// Back returns the skew of an all-to-all that returns what another brought: every pair has the
// bytes that its reverse had there.
func Back(skew string) string {
	if skew == "" {
		return ""
	}
	return back + skew
}

// Demand returns the bytes of every pair of n ranks of an all-to-all with a skew, as
// collective.GenerateDemand makes them with its default seed, so that all groups of a kind have
// the same. It is nil without a skew. The result is cached and must not be changed.
func Demand(skew string, n int, size units.Bytes) (collective.Demand, error) {
	if skew == "" {
		return nil, nil
	}
	key := demandKey{skew, n, size}
	if d, ok := remembered.get(key); ok {
		return d, nil
	}
	spec, returns := strings.CutPrefix(skew, back)
	d, err := collective.GenerateDemand(spec, n, size, collective.DefaultSeed)
	if err != nil {
		return nil, err
	}
	if returns {
		d = turned(d)
	}
	remembered.put(key, d)
	return d, nil
}

// turned returns the demand in which every pair has the bytes of its reverse.
func turned(d collective.Demand) collective.Demand {
	out := make(collective.Demand, len(d))
	for i := range out {
		out[i] = make([]int64, len(d))
		for j := range out[i] {
			out[i][j] = d[j][i]
		}
	}
	return out
}

// demandKey is what a demand depends on.
type demandKey struct {
	skew  string
	ranks int
	size  units.Bytes
}

// demands caches recent demands: thousands of operations share the same few.
type demands struct {
	mutex sync.Mutex
	known map[demandKey]collective.Demand
	pairs int
}

// mostPairs limits the pairs of ranks in all cached demands: 32 MiB.
const mostPairs = 1 << 22

var remembered demands

func (d *demands) get(key demandKey) (collective.Demand, bool) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	known, ok := d.known[key]
	return known, ok
}

func (d *demands) put(key demandKey, made collective.Demand) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	pairs := key.ranks * key.ranks
	if d.known == nil || d.pairs+pairs > mostPairs {
		d.known, d.pairs = map[demandKey]collective.Demand{}, 0
	}
	if _, twice := d.known[key]; !twice {
		d.known[key] = made
		d.pairs += pairs
	}
}

// checkSkew reports a skew that cannot make a demand. The demand for a particular group may
// still fail, which Demand reports.
func checkSkew(o *Op) error {
	if o.Skew == "" {
		return nil
	}
	if o.Op != collective.AllToAll {
		return fmt.Errorf("is for alltoall, not for %.40s", o.Op)
	}
	return collective.CheckGenerator(strings.TrimPrefix(o.Skew, back))
}

// Skewed returns the workload with another skew for its all-to-alls: for those that have one,
// or for all if none has. Those that returned what another brought still do so. It also returns
// the size of their groups, or an error if sizes differ or there are none.
func (w *Workload) Skewed(skew string) (*Workload, int, error) {
	some := false
	w.eachOp(func(o *Op) { some = some || o.Skew != "" })
	size, other := 0, 0
	out := *w
	replaced := func(ops []Op) []Op {
		list := slices.Clone(ops)
		for i := range list {
			o := &list[i]
			if o.Op != collective.AllToAll || some && o.Skew == "" {
				continue
			}
			if strings.HasPrefix(o.Skew, back) {
				o.Skew = Back(skew)
			} else {
				o.Skew = skew
			}
			for _, group := range w.Kinds[o.Kind] {
				switch {
				case len(group) == 1:
				case size == 0:
					size = len(group)
				case len(group) != size:
					other = len(group)
				}
			}
		}
		return list
	}
	out.Blocks = map[string][]Op{}
	for name, ops := range w.Blocks {
		out.Blocks[name] = replaced(ops)
	}
	out.Programs = slices.Clone(w.Programs)
	for i := range out.Programs {
		out.Programs[i].Ops = replaced(out.Programs[i].Ops)
	}
	switch {
	case size == 0:
		return nil, 0, errors.New("it has no all-to-all, so no demand to follow")
	case other > 0:
		return nil, 0, fmt.Errorf("its all-to-alls are of groups of %d and of %d ranks; want one size", min(size, other), max(size, other))
	}
	return &out, size, nil
}

// eachOp calls a function with every operation.
func (w *Workload) eachOp(f func(o *Op)) {
	for _, ops := range w.Blocks {
		for i := range ops {
			f(&ops[i])
		}
	}
	for i := range w.Programs {
		for j := range w.Programs[i].Ops {
			f(&w.Programs[i].Ops[j])
		}
	}
}
