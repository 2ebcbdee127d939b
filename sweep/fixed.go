package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	contest "github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/idle"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// fixedKey is what the times of a schedule that no delay changes depend on, but the size.
type fixedKey struct {
	fabric             fabric.Key // with a delay of 0
	op                 collective.Op
	algorithm, planner string
}

// fixedTimes are the times of static or every-step by size. Their circuits do not depend
// on the delay, so time is communication + changes*wait; the communication is the least of
// lines in the size, one for each way to route the steps.
type fixedTimes struct {
	mutex   sync.Mutex
	lines   map[units.Bytes]sizeLine
	changes int
	least   int   // exponent of the smallest size that there is a plan for
	err     error // there is no plan
}

// sizeLine is the communication of a plan as a function of the size.
type sizeLine struct {
	at0, slope float64
	straight   bool // no plan is faster for any size
}

func (l sizeLine) at(size units.Bytes) float64 { return l.at0 + l.slope*float64(size) }

// maxExponent bounds the sizes that planning is tried for: 2^maxExponent bytes.
const maxExponent = 62

// find returns the line at a size. A concave function is nowhere below its chords, so what lies
// between two points of one line is on that line. The points are powers of two, found from the
// least on, by bisection, so that the answer for a size does not depend on which others were
// asked for, not even in its last bit; where two neighbouring powers are on different lines, the
// size itself is planned, as all are where there are few.
func (t *fixedTimes) find(size units.Bytes, few bool, plan func(units.Bytes) (sizeLine, error)) (sizeLine, error) {
	at := func(size units.Bytes) (sizeLine, error) {
		l, ok := t.lines[size]
		if ok {
			return l, nil
		}
		l, err := plan(size)
		if err == nil {
			t.lines[size] = l
		}
		return l, err
	}
	low, high := t.least, maxExponent
	for high-low > 1 && !few && size >= 1<<low {
		a, err := at(1 << low)
		if err != nil || a.straight {
			return a, err
		}
		b, err := at(1 << high)
		if err != nil {
			return b, err
		}
		if value := b.at(1 << high); a.at(1<<high) <= value+lineTolerance*value {
			return a, nil
		}
		if mid := (low + high) / 2; size < 1<<mid {
			high = mid
		} else {
			low = mid
		}
	}
	return at(size)
}

// fixedWay answers with static or every-step.
func (c *Columns) fixedWay(ctx context.Context, p planner.Planner, algorithm string, column []Request, best []answer) error {
	l, err := c.fixedLine(ctx, p, algorithm, &column[0], 0)
	if err != nil {
		return err
	}
	for i := range column {
		best[i].improve(answer{algorithm, p.Name(), l.at(column[i].Fabric.LeastBarrier()), l.changes, algorithm, nil})
	}
	return nil
}

// fixedLine is the time of a fixed schedule as a function of the wait.
type fixedLine struct {
	communication float64
	changes       int
}

func (l fixedLine) at(wait units.Time) float64 {
	return l.communication + float64(l.changes)*float64(wait)
}

// fixedLine returns the time of static or every-step, planning only where it does not
// follow from what is known. A limit above 0 is on the time where changes take their
// barriers only; where it takes longer, the error may wrap planner.ErrBeyond.
func (c *Columns) fixedLine(ctx context.Context, p planner.Planner, algorithm string, r *Request, limit units.Time) (fixedLine, error) {
	times := c.fixedTimes(p, algorithm, r, 0)
	return times.line(ctx, p, r, limit, c.FewSizes, func() (*collective.Collective, error) { return c.layout(r, algorithm) })
}

// fixedTimes returns what is known of a fixed schedule, for every size from a power of two on.
func (c *Columns) fixedTimes(p planner.Planner, algorithm string, r *Request, least int) *fixedTimes {
	free := r.Fabric
	free.Reconfig.Base = 0
	key := fixedKey{fabric: free.Key(), op: r.Op, algorithm: algorithm, planner: p.Name()}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	times := c.fixed[key]
	if times == nil {
		times = &fixedTimes{lines: map[units.Bytes]sizeLine{}, least: least}
		c.fixed[key] = times
	}
	return times
}

// line returns the time of a schedule with the size of a request as a function of the wait.
func (t *fixedTimes) line(ctx context.Context, p planner.Planner, r *Request, limit units.Time, few bool, lay func() (*collective.Collective, error)) (fixedLine, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.err != nil {
		return fixedLine{}, t.err
	}
	immediate := r.Fabric
	immediate.Reconfig.Base = 0
	line, err := t.find(r.Size, few, func(size units.Bytes) (sizeLine, error) {
		laid, err := lay()
		if err != nil {
			return sizeLine{}, fmt.Errorf("%w: %v", planner.ErrInfeasible, err)
		}
		what := planner.Request{Fabric: immediate, Collective: laid, Size: size, Bare: true}
		if few && !math.IsInf(float64(limit), 1) { // else the size is another
			what.Limit = limit
		}
		made, err := p.Plan(ctx, what)
		if err != nil {
			return sizeLine{}, err
		}
		t.changes = made.Reconfigurations
		// The least that the steps take has a part that grows with the size and one that does
		// not; who takes no longer takes no more of either.
		took := float64(made.Cost.Total() - made.Cost.Reconfiguration)
		least := float64(bound.PerStep(&immediate, laid, size)) - float64(bound.PerStep(&immediate, &collective.Collective{}, size))
		return sizeLine{
			at0:      float64(made.Cost.Startup + made.Cost.Propagation),
			slope:    float64(made.Cost.Bytes()) / float64(size),
			straight: took <= least+lineTolerance*least,
		}, nil
	})
	if errors.Is(err, planner.ErrInfeasible) {
		t.err = err
	}
	return fixedLine{line.at(r.Size), t.changes}, err
}

// extremes are the two fixed schedules of an algorithm for a column: a time for each cell,
// nil where there is no plan.
type extremes [2][]float64

// extremes returns those of an algorithm. Where the delay depends on what
// changes, every cell is planned.
func (c *Columns) extremes(ctx context.Context, column []Request, algorithm string) (extremes, error) {
	var e extremes
	_, uniform := column[0].Fabric.UniformWait()
	for k, name := range [...]string{static, everyStep} {
		p, err := c.planners.Lookup(name)
		if err != nil {
			return e, err
		}
		best := make([]answer, len(column))
		for i := range best {
			best[i].total = inf
		}
		if _, free := c.openPieces(&column[0], algorithm); uniform && !free {
			err = c.fixedWay(ctx, p, algorithm, column, best)
		} else {
			err = c.way(p, algorithm).solve(ctx, column, best)
		}
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			continue
		case err != nil:
			return e, err
		}
		e[k] = make([]float64, len(column))
		for i := range best {
			e[k][i] = best[i].total
		}
	}
	return e, nil
}

// at returns the times of a cell.
func (e extremes) at(i int) Baselines {
	var b Baselines
	for k, into := range [...]*units.Time{&b.Static, &b.EveryStep} {
		if e[k] != nil {
			*into = units.Time(e[k][i])
		}
	}
	return b
}

// fastestExtremes returns the times of the fastest plans that do not rewire, of any planner,
// and of the fastest every-step plans of any algorithm.
func (c *Columns) fastestExtremes(ctx context.Context, column []Request) ([]Baselines, error) {
	best := make([]Baselines, len(column))
	for k, name := range [...]string{static, everyStep} {
		times, err := c.fastestExtreme(ctx, name, column)
		if err != nil {
			return nil, err
		}
		for i, t := range times {
			if !math.IsInf(t, 1) {
				*[...]*units.Time{&best[i].Static, &best[i].EveryStep}[k] = units.Time(t)
			}
		}
	}
	return best, nil
}

// fastestExtreme returns the times of one of the two, +Inf where there is no plan.
func (c *Columns) fastestExtreme(ctx context.Context, name string, column []Request) ([]float64, error) {
	p, err := c.planners.Lookup(name)
	if err != nil {
		return nil, err
	}
	times, err := c.fastestOn(ctx, p, column)
	for _, less := range idle.Of(&column[0].Fabric) {
		if err != nil {
			break
		}
		var narrow []float64
		narrow, err = c.fastestOn(ctx, p, leaveAll(less, column))
		for i, t := range narrow {
			times[i] = min(times[i], t)
		}
	}
	if err == nil && name == static {
		err = c.fastestStaying(ctx, column, times)
	}
	return times, err
}

// fastestOn returns the least times of static or every-step, for all ports.
func (c *Columns) fastestOn(ctx context.Context, p planner.Planner, column []Request) ([]float64, error) {
	find := c.fastestEach
	if _, uniform := column[0].Fabric.UniformWait(); uniform {
		find = c.fastestFixed
	}
	times, err := find(ctx, p, column)
	if err == nil {
		err = c.fastestPieces(ctx, p, column, times)
	}
	return times, err
}

// entrant is an algorithm with a bound on its time as a function of the wait.
type entrant struct {
	algorithm string
	bound     envelope.Line
	most      envelope.Line // what it does not exceed
}

// fastestFixed returns the least times of static or every-step for every cell, +Inf where
// there is no plan, where a change takes the same whatever changes. Algorithms come in the
// order of their bounds; one whose bound is above what is known is not planned, and planning
// is given up where it turns out to be: on several ports a static plan of a dense step is a
// large linear program.
func (c *Columns) fastestFixed(ctx context.Context, p planner.Planner, column []Request) ([]float64, error) {
	times := make([]float64, len(column))
	for i := range times {
		times[i] = inf
	}
	immediate := column[0].Fabric
	immediate.Reconfig.Base = 0
	barrier := float64(immediate.LeastBarrier()) // what every change takes at least
	middle := float64(column[len(column)/2].Fabric.LeastBarrier())
	var entrants []entrant
	for _, algorithm := range c.algorithms(&column[0]) {
		if _, free := c.openPieces(&column[0], algorithm); free {
			continue
		}
		laid, err := c.layout(&column[0], algorithm)
		if err != nil {
			continue
		}
		bound, most, _, err := staged.BoundLine(ctx, p, c.request(&column[0], laid))
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			continue
		case err != nil:
			return nil, err
		}
		entrants = append(entrants, entrant{algorithm, bound, most})
	}
	slices.SortStableFunc(entrants, func(a, b entrant) int { return cmp.Compare(a.bound.At(middle), b.bound.At(middle)) })
	// The one that is sure to take little comes first: others may be given up the sooner.
	for k := range entrants {
		if entrants[k].most.At(middle) < entrants[0].most.At(middle) {
			entrants[0], entrants[k] = entrants[k], entrants[0]
		}
	}
	for _, e := range entrants {
		limit, useful := 0.0, false // of what a plan may take besides its changes
		for i := range column {
			wait := float64(column[i].Fabric.LeastBarrier())
			ceiling := times[i]
			for _, other := range entrants {
				ceiling = min(ceiling, other.most.At(wait))
			}
			limit = max(limit, ceiling-e.bound.Slope*wait)
			useful = useful || e.bound.At(wait) < times[i] && !planner.Above(units.Time(e.bound.At(wait)), units.Time(ceiling))
		}
		if !useful {
			continue
		}
		line, err := c.fixedLine(ctx, p, e.algorithm, &column[0], units.Time(limit+e.bound.Slope*barrier))
		switch {
		case errors.Is(err, planner.ErrInfeasible) || errors.Is(err, planner.ErrBeyond):
			continue
		case err != nil:
			return nil, err
		}
		for i := range column {
			times[i] = min(times[i], line.at(column[i].Fabric.LeastBarrier()))
		}
	}
	return times, nil
}

// fastestEach returns the least times of static or every-step, cell by cell.
func (c *Columns) fastestEach(ctx context.Context, p planner.Planner, column []Request) ([]float64, error) {
	var ways []*collective.Collective
	for _, algorithm := range c.algorithms(&column[0]) {
		if _, free := c.openPieces(&column[0], algorithm); free {
			continue
		}
		if laid, err := c.layout(&column[0], algorithm); err == nil {
			ways = append(ways, laid)
		}
	}
	times := make([]float64, len(column))
	for i := range column {
		times[i] = inf
		made, err := contest.Fastest(ctx, c.request(&column[i], nil), len(ways), func(k int) (planner.Planner, collective.Sized, error) {
			return p, collective.Sized{Collective: ways[k], Size: column[i].Size}, nil
		})
		switch {
		case errors.Is(err, planner.ErrInfeasible):
			continue
		case err != nil:
			return nil, err
		}
		times[i] = float64(made.Cost.Total())
	}
	return times, nil
}

// Static returns the time of the fastest plan that does not rewire, of any planner; 0 where
// there is none.
func (c *Columns) Static(ctx context.Context, r Request) (units.Time, error) {
	times, err := c.fastestExtreme(ctx, static, []Request{r})
	if err != nil || math.IsInf(times[0], 1) {
		return 0, err
	}
	return units.Time(times[0]), nil
}

// layoutKey is what the steps of an algorithm depend on.
type layoutKey struct {
	op           collective.Op
	algorithm    string
	nodes, ports int
	avoid        string
}

type layout struct {
	once sync.Once
	laid *collective.Collective
	err  error

	pieced sync.Once
	pieces *algorithms.Pieces // nil where their number is not open
}

// layout lays an algorithm out, once.
func (c *Columns) layout(r *Request, algorithm string) (*collective.Collective, error) {
	l := c.layoutOf(r, algorithm)
	l.once.Do(func() {
		shape := shapeOf(&r.Fabric)
		if l.laid, l.err = algorithms.New(r.Op, algorithm, shape.Nodes, shape.Ports); l.err == nil {
			l.laid, l.err = l.laid.On(r.Fabric.Alive(), r.Fabric.Nodes)
		}
	})
	return l.laid, l.err
}

// layoutOf returns what is known of the steps of an algorithm.
func (c *Columns) layoutOf(r *Request, algorithm string) *layout {
	key := layoutKey{r.Op, algorithm, r.Fabric.Nodes, r.Fabric.Ports, r.Fabric.Avoid.String()}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	l := c.laid[key]
	if l == nil {
		l = &layout{}
		c.laid[key] = l
	}
	return l
}
