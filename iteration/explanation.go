package iteration

import (
	"context"
	"math"
	"sort"

	"github.com/lightpath-net/lightpath/units"
)

// Explanation says what an iteration spends its time on, and what would make it shorter.
type Explanation struct {
	Name      string     `json:"name,omitempty"` // of the workload
	Ranks     int        `json:"ranks"`
	Policy    string     `json:"policy"`
	Iteration units.Time `json:"iteration_ns"`
	Bound     units.Time `json:"bound_ns"`
	// Path is the critical path of the plan, its longest chain. Its parts add up to Iteration.
	Path Budget `json:"path"`
	// Classes says how the ranks of each class spend the iteration. Every budget adds up to it.
	Classes []ClassBudget `json:"classes"`
	// Delay says what delays would cost, and Port what one more port would gain. Both are found by
	// planning again, and absent otherwise.
	Delay *DelayCost `json:"delay,omitempty"`
	Port  *PortGain  `json:"port,omitempty"`
}

// DelayCost is how long an iteration takes at other delays.
type DelayCost struct {
	Now units.Duration `json:"now_ns"` // the plan's delay
	// Policy is the one by which the iteration was planned again.
	Policy string `json:"policy"`
	// Best is the time of the best plan at this delay, and Free that at delay 0.
	Best units.Time `json:"best_ns"`
	Free units.Time `json:"free_ns"`
	// Thresholds are delays up to which rewiring costs nothing, or little.
	Thresholds []Threshold `json:"thresholds"`
}

// PortGain is what one more port of every GPU would gain.
type PortGain struct {
	Ports     int        `json:"ports"`
	Iteration units.Time `json:"iteration_ns"`
	Saved     units.Time `json:"saved_ns"`
	Bound     units.Time `json:"bound_ns"`
}

// Explain says what the time of an iteration is spent on. The document must have been verified.
func (d *Document) Explain(ctx context.Context) (*Explanation, error) {
	g, err := d.Workload.Graph(ctx)
	if err != nil {
		return nil, err
	}
	l, err := newLinkedDocument(d, g)
	if err != nil {
		return nil, err
	}
	if err := l.readPlans(ctx); err != nil {
		return nil, err
	}
	return &Explanation{
		Name: d.Name, Ranks: d.Ranks, Policy: d.Policy, Iteration: d.Iteration, Bound: d.Bound,
		Path: l.budget(l.path()), Classes: l.classes(),
	}, nil
}

// Threshold is the delay from which on rewiring costs more than a fraction of an iteration.
type Threshold struct {
	// Overhead is how much longer an iteration takes than at delay 0, as a fraction of the latter.
	Overhead float64 `json:"overhead"`
	// UpTo is a delay at which the overhead is not exceeded, and From the next larger delay that
	// was tried, at which it is. Without From it is never exceeded.
	UpTo units.Duration  `json:"up_to_ns"`
	From *units.Duration `json:"from_ns,omitempty"`
}

// perDecade is how many delays are tried per decade: neighbours differ by 4.7%.
const perDecade = 50

// longest is the longest delay that is tried, in decades of nanoseconds: 10 s.
const longest = 10

// rungs lists the delays that may be thresholds: 0, and those from 1ns on.
func rungs() []units.Duration {
	list := []units.Duration{0}
	for i := 0; i <= longest*perDecade; i++ {
		exact := math.Pow(10, float64(i)/perDecade)
		digit := math.Pow(10, math.Floor(math.Log10(exact))-2) // keep three digits
		rounded := math.Round(exact/digit) * digit
		list = append(list, units.Duration(math.Round(rounded*float64(units.Nanosecond))))
	}
	return list
}

// Thresholds finds the delays at which the time of an iteration exceeds that at delay 0, called
// free, by the given fractions of it. The time must not fall as the delay grows. Each fraction
// takes about nine calls, or fewer if times are known already. Differences of less than a
// millionth are ignored.
func Thresholds(overheads []float64, time func(units.Duration) (units.Time, error)) (free units.Time, list []Threshold, err error) {
	known := map[units.Duration]units.Time{}
	var failed error
	ask := func(d units.Duration) units.Time {
		t, ok := known[d]
		if !ok && failed == nil {
			if t, failed = time(d); failed == nil {
				known[d] = t
			}
		}
		return t
	}
	delays := rungs()
	free = ask(0)
	for _, overhead := range overheads {
		most := free * units.Time(1+overhead)
		first := sort.Search(len(delays), func(i int) bool { return failed == nil && before(most, ask(delays[i])) })
		if failed != nil {
			return 0, nil, failed
		}
		t := Threshold{Overhead: overhead, UpTo: delays[max(0, first-1)]}
		if first < len(delays) {
			t.From = &delays[first]
		}
		list = append(list, t)
	}
	return free, list, nil
}
