package islands

import (
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// sameTime is the relative difference up to which sums of the same times in different orders may
// differ.
const sameTime = 1e-12

// taken holds the routes of a lane, their load on islands, and how long a byte is on its way.
type taken struct {
	routes []flow.Route
	inside []inside
	flight units.Time
}

// inside is a hop within an island, taken by a share of a lane's data.
type inside struct {
	from, to int32
	share    float64
}

// routesOf returns the routes of a move of the core by a lane.
func (x *carrier) routesOf(m move, at ends, place int) *taken {
	places := x.shares.places
	key := (((x.transfers[m.stage][m.step]+m.transfer)*places+at.from)*places+at.to)*places + place
	if known, ok := x.known[key]; ok {
		return known
	}
	wires := x.wires[m.stage]
	made := &taken{routes: wires.routes(x.steps[m.stage][m.step].Base[m.transfer].Routes, x.crossings[m.stage], places, x.span, at, place)}
	for _, r := range made.routes {
		flight := units.Time(0)
		for h := 1; h < len(r.Path); h++ {
			u, v := r.Path[h-1], r.Path[h]
			switch plan.TierOf(x.fabric, wires.graph, int(u), int(v)) {
			case plan.OverCircuit:
				flight += x.fabric.Delta.Time()
			case plan.OverIsland:
				flight += x.fabric.IslandDelta().Time()
				made.inside = append(made.inside, inside{u, v, r.Share})
			}
		}
		made.flight = max(made.flight, flight)
	}
	x.known[key] = made
	return made
}

// least returns a lower bound on a way to carry parcels: the time of its steps, without data that
// stays within islands, and of the changes between them.
func (x *carrier) least(way carrying) units.Time {
	t := &tally{carrier: x, before: newLoads(x), after: newLoads(x)}
	for i := range x.steps {
		var list []*loads
		for range x.steps[i] {
			l := newLoads(x)
			list = append(list, &l)
		}
		t.loads = append(t.loads, list)
	}
	x.tell(way, t)
	f := x.fabric
	island := f.IslandAlpha().Time()
	sum := units.Time(0)
	for _, l := range []*loads{&t.before, &t.after} {
		if l.used {
			sum += island + f.IslandDelta().Time() + l.time(f)
		}
	}
	exact := x.of.traffic.rounded(f, x.span)
	_, uniform := f.Reconfig.Uniform()
	for i := range t.loads {
		if i > 0 && uniform && f.Overlap == (fabric.Overlap{}) {
			sum += x.core.Stages[i].Reconfiguration
		}
		for j, l := range t.loads[i] {
			alpha := f.Alpha.Time()
			if l.used {
				alpha = max(alpha, island)
			}
			sum += alpha + l.flight + max(x.steps[i][j].Cost.Transmission*exact, l.time(f))
		}
	}
	return sum
}

// loads is the load of a step on islands.
type loads struct {
	enter, leave []float64 // by GPU: bytes sent into its island, and bytes received there
	used         bool
	flight       units.Time // of the slowest byte
}

func newLoads(x *carrier) loads {
	return loads{enter: make([]float64, x.fabric.Nodes), leave: make([]float64, x.fabric.Nodes)}
}

// time returns how long the islands take for the load.
func (l *loads) time(f *fabric.Fabric) units.Time {
	most := 0.0
	for u := range l.enter {
		most = max(most, l.enter[u], l.leave[u])
	}
	return f.Island.Bandwidth.Transmit(most)
}

// tally adds up the load of parcels on islands, step by step.
type tally struct {
	*carrier
	bytes         float64    // of the last piece
	loads         [][]*loads // by stage and step of the core
	before, after loads
}

func (t *tally) add(_, _ int, bytes float64) { t.bytes = bytes }

func (t *tally) move(m move, at ends, l lane) {
	into, by := t.loads[m.stage][m.step], t.routesOf(m, at, l.place)
	for _, h := range by.inside {
		amount := t.bytes * l.share * h.share
		into.enter[h.from] += amount
		into.leave[h.to] += amount
	}
	into.used = into.used || len(by.inside) > 0
	into.flight = max(into.flight, by.flight)
}

func (t *tally) early(from, to int) { t.before.within(from, to, t.bytes) }

func (t *tally) late(from, to int) { t.after.within(from, to, t.bytes) }

// within adds bytes sent from one GPU of an island to another.
func (l *loads) within(from, to int, bytes float64) {
	if from != to {
		l.enter[from] += bytes
		l.leave[to] += bytes
		l.used = true
	}
}
