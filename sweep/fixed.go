package sweep

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// fixedKey is what the times of a schedule that no delay changes depend on, but the size.
type fixedKey struct {
	fabric             fabric.Fabric // with a delay of 0
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
	err     error // there is no plan
}

// sizeLine is the communication of a plan as a function of the size.
type sizeLine struct{ at0, slope float64 }

func (l sizeLine) at(size units.Bytes) float64 { return l.at0 + l.slope*float64(size) }

// maxExponent bounds the sizes that planning is tried for: 2^maxExponent bytes.
const maxExponent = 62

// find returns the line at a size. A concave function is nowhere below its chords, so what
// lies between two points of one line is on that line. The points are powers of two, found
// by bisection, so that the answer for a size does not depend on which others were asked
// for, not even in its last bit; where two neighbouring powers are on different lines, the
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
	low, high := 0, maxExponent
	for high-low > 1 && !few {
		a, err := at(1 << low)
		if err != nil {
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
	l, err := c.fixedLine(ctx, p, algorithm, &column[0])
	if err != nil {
		return err
	}
	for i := range column {
		best[i].improve(answer{algorithm, p.Name(), l.at(column[i].Fabric.LeastWait()), l.changes, algorithm})
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
// follow from what is known.
func (c *Columns) fixedLine(ctx context.Context, p planner.Planner, algorithm string, r *Request) (fixedLine, error) {
	key := fixedKey{fabric: r.Fabric, op: r.Op, algorithm: algorithm, planner: p.Name()}
	key.fabric.Reconfig.Base = 0
	c.mutex.Lock()
	times := c.fixed[key]
	if times == nil {
		times = &fixedTimes{lines: map[units.Bytes]sizeLine{}}
		c.fixed[key] = times
	}
	c.mutex.Unlock()
	times.mutex.Lock()
	defer times.mutex.Unlock()
	if times.err != nil {
		return fixedLine{}, times.err
	}
	line, err := times.find(r.Size, c.FewSizes, func(size units.Bytes) (sizeLine, error) {
		laid, err := c.layout(r, algorithm)
		if err != nil {
			return sizeLine{}, fmt.Errorf("%w: %v", planner.ErrInfeasible, err)
		}
		made, err := p.Plan(ctx, planner.Request{Fabric: key.fabric, Collective: laid, Size: size})
		if err != nil {
			return sizeLine{}, err
		}
		times.changes = made.Reconfigurations
		return sizeLine{float64(made.Cost.Startup + made.Cost.Propagation), float64(made.Cost.Transmission+made.Cost.Reduction) / float64(size)}, nil
	})
	if errors.Is(err, planner.ErrInfeasible) {
		times.err = err
	}
	return fixedLine{line.at(r.Size), times.changes}, err
}

// extremes are the two fixed schedules of an algorithm for a column: a time for each cell,
// nil where there is no plan.
type extremes [2][]float64

// extremes returns those of an algorithm that are needed. Where the delay depends on what
// changes, every cell is planned.
func (c *Columns) extremes(ctx context.Context, column []Request, algorithm string, need [2]bool) (extremes, error) {
	var e extremes
	_, uniform := column[0].Fabric.UniformWait()
	for k, name := range [...]string{static, everyStep} {
		if !need[k] {
			continue
		}
		p, err := c.planners.Lookup(name)
		if err != nil {
			return e, err
		}
		best := make([]answer, len(column))
		for i := range best {
			best[i].total = inf
		}
		if _, free := openPieces(&column[0], algorithm); uniform && !free {
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

// faster is, of two, the faster for each.
func (b Baselines) faster(other Baselines) Baselines {
	for _, p := range [...][2]*units.Time{{&b.Static, &other.Static}, {&b.EveryStep, &other.EveryStep}} {
		if *p[0] == 0 || *p[1] > 0 && *p[1] < *p[0] {
			*p[0] = *p[1]
		}
	}
	return b
}

// both asks for both extremes.
var both = [2]bool{true, true}

// fastestExtremes returns the times of the fastest static and every-step plans of any
// algorithm. Algorithms come in the order of their bounds, and one whose bound is above
// what is known is not planned: on several ports a static plan of a dense step is a large
// linear program.
func (c *Columns) fastestExtremes(ctx context.Context, column []Request) ([]Baselines, error) {
	best := make([]Baselines, len(column))
	var ways []way
	names := map[int]string{}
	for i, algorithm := range c.algorithms(&column[0]) {
		w := c.way(nil, algorithm)
		w.index = i
		names[i] = algorithm
		ways = append(ways, w)
	}
	for _, w := range c.promising(ways, column) {
		var need [2]bool
		bound := leastBound(&w, column)
		for i := range column {
			need[0] = need[0] || best[i].Static == 0 || bound < best[i].Static
			need[1] = need[1] || best[i].EveryStep == 0 || bound < best[i].EveryStep
		}
		e, err := c.extremes(ctx, column, names[w.index], need)
		if err != nil {
			return nil, err
		}
		for i := range best {
			best[i] = best[i].faster(e.at(i))
		}
	}
	return best, nil
}

// leastBound returns a bound that holds for all requests of a column. They differ in the
// delay only: where that is a constant, the least has the least bound.
func leastBound(w *way, column []Request) units.Time {
	least := &column[0]
	for i := range column {
		r := &column[i]
		if r.Fabric.Reconfig.Model != fabric.Constant {
			return 0 // circuits count, so that all bounds would have to be looked at
		}
		if r.Fabric.Reconfig.Base < least.Fabric.Reconfig.Base {
			least = r
		}
	}
	return units.Time(w.bound(least))
}

// Baselines returns the times of the fastest static and every-step plans of any algorithm.
func (c *Columns) Baselines(ctx context.Context, r Request) (Baselines, error) {
	best, err := c.fastestExtremes(ctx, []Request{r})
	if err != nil {
		return Baselines{}, err
	}
	return best[0], nil
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
}

// layout lays an algorithm out, once.
func (c *Columns) layout(r *Request, algorithm string) (*collective.Collective, error) {
	key := layoutKey{r.Op, algorithm, r.Fabric.Nodes, r.Fabric.Ports, r.Fabric.Avoid}
	c.mutex.Lock()
	l := c.laid[key]
	if l == nil {
		l = &layout{}
		c.laid[key] = l
	}
	c.mutex.Unlock()
	l.once.Do(func() {
		shape := shapeOf(&r.Fabric)
		if l.laid, l.err = collective.New(r.Op, algorithm, shape.Nodes, shape.Ports); l.err == nil {
			l.laid, l.err = l.laid.On(r.Fabric.Alive(), r.Fabric.Nodes)
		}
	})
	return l.laid, l.err
}
