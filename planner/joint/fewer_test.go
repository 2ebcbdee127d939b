package joint

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Excluding something from the search can only cost time. A floor that is too high shows here:
// what it wrongly ruled out is found once the construction that set the limit is excluded.
func TestFewerConstructionsAreNeverFaster(t *testing.T) {
	request := func(op collective.Op, nodes, ports int, size units.Bytes, delay units.Duration) planner.Request {
		r := jointtest.Request(op, nodes, ports, size)
		r.Fabric.Reconfig.Base = delay
		return r
	}
	known := []planner.Request{ // floors were too high for these
		request(collective.AllReduce, 27, 3, units.KiB, 100*units.Nanosecond),
		request(collective.AllReduce, 27, 4, units.KiB, 100*units.Microsecond),
		request(collective.Broadcast, 64, 1, units.MiB, 100*units.Nanosecond),
	}
	for i := range known {
		known[i].Fabric.Duplex = true
		fewerConstructions(t, &known[i])
	}
	draw := rand.New(rand.NewPCG(27, 3))
	for range samples.Draws(15, 60) {
		delays := []units.Duration{0, 100, 1000, 10_000, 100_000}
		r := request(ops[draw.IntN(len(ops))], 3+draw.IntN(38), 1+draw.IntN(4), units.Bytes(1)<<(8+draw.IntN(20)),
			delays[draw.IntN(len(delays))]*units.Nanosecond)
		r.Fabric.Duplex = draw.IntN(2) == 0
		fewerConstructions(t, &r)
	}
}

// fewerConstructions compares the best plan for a request with those under limits.
func fewerConstructions(t *testing.T, r *planner.Request) {
	best, made, err := bestOf(t.Context(), r, free)
	if err != nil {
		t.Fatal(err)
	}
	if best == nil {
		return // two-way circuits with one port cannot connect all GPUs if they stay
	}
	try := func(change func(l *digit.Limits)) {
		l := free
		change(&l)
		p, _, err := bestOf(t.Context(), r, l)
		if err != nil {
			t.Fatal(err)
		}
		if p != nil && p.Cost.Total() < best.Cost.Total()*(1-1e-9) {
			t.Errorf("%s of %v on %d GPUs, %d ports, duplex %v, delay %v: %v, and %v with %+v", r.Collective.Op, r.Size,
				r.Fabric.Nodes, r.Fabric.Ports, r.Fabric.Duplex, r.Fabric.Reconfig.Base, best.Cost.Total(), p.Cost.Total(), l)
		}
	}
	try(func(l *digit.Limits) { l.Changes = 0 })
	try(func(l *digit.Limits) { l.NoLines = true })
	try(func(l *digit.Limits) { l.NoUneven = true })
	try(func(l *digit.Limits) { l.NoRungs = true })
	try(func(l *digit.Limits) { l.NoNetworks = true })
	switch r.Collective.Op {
	case collective.Broadcast, collective.RootReduce:
		for family := digit.Trees; family <= digit.Digits; family++ {
			try(func(l *digit.Limits) { l.NoCast = family })
		}
	case collective.AllReduce:
		try(func(l *digit.Limits) { l.NoExchange = true })
		try(func(l *digit.Limits) { l.NoSums = true })
		try(func(l *digit.Limits) { l.NoWindows = true })
		try(func(l *digit.Limits) { l.NoBalls = true })
	}
	for _, points := range made.uses().Points {
		try(func(l *digit.Limits) { l.NoPoints = points })
	}
}
