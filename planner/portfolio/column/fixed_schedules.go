package column

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/units"
)

// fixedKey is what the times of a schedule depend on, besides the size, if no delay changes the
// schedule.
type fixedKey struct {
	fabric             fabric.Key // with a delay of 0
	op                 collective.Op
	algorithm, planner string
}

// fixedTimes holds the times of static or every-step by size. Their circuits do not depend on the
// delay, so the time is communication + changes*wait. The communication is the least of lines in
// the size, one for each way to route the steps.
type fixedTimes struct {
	mutex   sync.Mutex
	lines   map[units.Bytes]sizeLine
	changes int
	least   int   // exponent of the smallest size that has a plan
	err     error // why there is no plan
}

// sizeLine is the communication of a plan as a function of the size.
type sizeLine struct {
	envelope.Line
	straight bool // no plan is faster at any size
}

func (l sizeLine) at(size units.Bytes) float64 { return l.At(float64(size)) }

// maxExponent bounds the sizes to plan for: 2^maxExponent bytes.
const maxExponent = 62

// find returns the line at a size. A concave function is nowhere below its chords, so sizes
// between two points of one line are on that line. find bisects the powers of two from the least
// on. So the answer for a size does not depend on which other sizes were asked for, not even in
// its last bit. If two neighbouring powers are on different lines, find plans the size itself, as
// it does for all sizes if few is set.
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

// fixed answers with static or every-step. It makes no plan that the ceilings of the contest show
// to be too slow.
func (m *method) fixed(ctx context.Context, best []Answer, c *auto.Contest) error {
	limit := units.Time(0) // on the time with changes that take only their barriers
	if m.sure != nil {
		immediate := m.column.Fabric
		immediate.Reconfig.Base = 0
		changes := units.Time(m.sure[0].Slope)
		for i := range best {
			limit = max(limit, min(best[i].Total, c.Ceiling(i))-changes*m.waits[i])
		}
		limit += changes * immediate.LeastBarrier()
	}
	times := m.s.fixedTimes(m, m.laid.Algorithm, 0)
	line, err := times.line(ctx, m, limit, func() (*collective.Collective, error) { return m.laid.Collective, nil })
	if err != nil {
		return err
	}
	for i := range best {
		best[i].improve(m.fixedAnswer(m.laid.Algorithm, line, i))
	}
	return nil
}

// fixedLine is the time of a fixed schedule as a line in the wait.
type fixedLine struct {
	communication units.Time
	changes       int
}

func (l fixedLine) at(wait units.Time) units.Time {
	return l.communication + units.Time(l.changes)*wait
}

// fixedAnswer returns the answer of a fixed schedule in a cell.
func (m *method) fixedAnswer(algorithm string, l fixedLine, i int) Answer {
	return m.answer(Answer{Algorithm: algorithm, Planner: m.by.Name(), Total: l.at(m.waits[i]), Changes: l.changes})
}

// fixedTimes returns what is known of a fixed schedule, for sizes from 2^least bytes on.
func (s *Search) fixedTimes(m *method, algorithm string, least int) *fixedTimes {
	free := m.column.Fabric
	free.Reconfig.Base = 0
	key := fixedKey{fabric: free.Key(), op: m.column.Operation.Op, algorithm: algorithm, planner: m.by.Name()}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	times := s.fixed[key]
	if times == nil {
		times = &fixedTimes{lines: map[units.Bytes]sizeLine{}, least: least}
		s.fixed[key] = times
	}
	return times
}

// line returns the time of a schedule at the size of a column as a line in the wait. It plans
// only if the line does not follow from what is known. A limit above 0 applies to the time with
// changes that take only their barriers; if the plan takes longer, the error may wrap
// planner.ErrBeyond.
func (t *fixedTimes) line(ctx context.Context, m *method, limit units.Time, lay func() (*collective.Collective, error)) (fixedLine, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.err != nil {
		return fixedLine{}, t.err
	}
	few := m.s.options.FewSizes
	immediate := m.column.Fabric
	immediate.Reconfig.Base = 0
	line, err := t.find(m.laid.Size, few, func(size units.Bytes) (sizeLine, error) {
		laid, err := lay()
		if err != nil {
			return sizeLine{}, fmt.Errorf("%w: %v", planner.ErrInfeasible, err)
		}
		what := planner.Request{Fabric: immediate, Collective: laid, Size: size, Bare: true}
		if few && limit < inf { // else planning is for other sizes
			what.Limit = limit
		}
		made, err := m.by.Plan(ctx, what)
		if err != nil {
			return sizeLine{}, err
		}
		t.changes = made.Reconfigurations
		// The least time of the steps has a part that grows with the size and one that does not.
		// A plan that takes no longer takes no more of either.
		took := float64(made.Cost.Total() - made.Cost.Reconfiguration)
		least := float64(bound.PerStep(&immediate, laid, size)) - float64(bound.PerStep(&immediate, &collective.Collective{}, size))
		return sizeLine{
			Line:     envelope.Line{Fixed: float64(made.Cost.Startup + made.Cost.Propagation), Slope: float64(made.Cost.Bytes()) / float64(size)},
			straight: took <= least+lineTolerance*least,
		}, nil
	})
	if errors.Is(err, planner.ErrInfeasible) {
		t.err = err
	}
	return fixedLine{units.Time(line.at(m.laid.Size)), t.changes}, err
}
