package evaluation

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/units"
)

// Comparison is a setting of the evaluation with the times of every strategy.
type Comparison struct{ measured }

// Ratios returns the values of R/T in the sweep.
func (c *Comparison) Ratios() []float64 { return c.sweep }

// Delay returns the reconfiguration delay that is the given multiple of a slot's time.
func Delay(ratio float64) units.Time { return inTime(ratio) }

// Rival is a strategy that the paper compares, with the paper's name for it.
type Rival struct{ Name, Strategy string }

// Rivals lists the strategies of section 5.1, the paper's own first.
func Rivals() []Rival {
	return []Rival{
		{"ReconfigureDuringCollective", strategy.Paper}, {"FAST", blind}, {"MixNet", strategy.MixNet},
		{"DirectConnect", strategy.Static}, {"TopoOpt", strategy.Rings},
	}
}

// Auto returns the best of all strategies.
func Auto() Rival { return Rival{"our best", strategy.Auto} }

// Time returns the time of a strategy at a ratio of R and T, and its number of topologies; the
// time is infinite if the strategy has no schedule.
func (c *Comparison) Time(ratio float64, r Rival) (units.Time, int) {
	o := c.least(ratio, r.Strategy)
	return inTime(o.time), o.Stages
}

// StaticFrom returns the ratio of R and T from which the paper's rule uses one topology.
func (c *Comparison) StaticFrom() float64 {
	one := math.Inf(1)
	for _, p := range c.curves[strategy.Paper] {
		if p.Stages == 1 {
			one = min(one, float64(p.Slots))
		}
	}
	from := 0.0
	for _, p := range c.curves[strategy.Paper] {
		if p.Stages > 1 {
			from = max(from, (one-float64(p.Slots))/float64(p.Stages-1))
		}
	}
	return from
}

// Peak returns the ratio of R and T at which the paper's rule saves the largest part of the best
// published baseline's time.
func (c *Comparison) Peak() float64 { return contests[3].over(c.curves, c.sweep).at }

// mainSeed is the seed of workloads.
const mainSeed = 1

// points is the number of values of R/T in pictures and claims.
const points = 25

// Compare measures the settings of Figure 11 or 12 up to a number of nodes, with everything in
// rounds.
func Compare(ctx context.Context, figure, nodes int) ([]Comparison, error) {
	chosen, err := settingsOf(figure, nodes)
	if err != nil {
		return nil, err
	}
	var list []Comparison
	for _, s := range chosen {
		m, err := compareOne(ctx, s, true)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// One measures a single setting: in rounds, as in the paper, or with all our strategies.
func One(ctx context.Context, nodes, ports int, workload string, flow units.Bytes, rounds bool) (Comparison, error) {
	return compareOne(ctx, setting{nodes, ports, workload, flow}, rounds)
}

// Drawn measures a setting of Figure 11 in rounds, with flows drawn from the given seed.
func Drawn(ctx context.Context, nodes, ports int, workload string, seed uint64) (Comparison, error) {
	return compareWith(ctx, setting{nodes, ports, workload, mainFlow}, method{seed: seed, rounds: true, published: true})
}

func compareOne(ctx context.Context, s setting, rounds bool) (Comparison, error) {
	return compareWith(ctx, s, method{seed: mainSeed, rounds: rounds, published: rounds})
}

func compareWith(ctx context.Context, s setting, m method) (Comparison, error) {
	m.points = points
	c, err := m.plan(ctx, s)
	if err != nil {
		return Comparison{}, fmt.Errorf("%v: %w", s, err)
	}
	return Comparison{measured{s, c, s.sweep(m.points)}}, nil
}

func settingsOf(figure, nodes int) ([]setting, error) {
	within := setting.inFigure11
	switch figure {
	case 11:
	case 12:
		within = setting.inFigure12
	default:
		return nil, fmt.Errorf("figure %d, want 11 or 12", figure)
	}
	return slices.DeleteFunc(settings(false), func(s setting) bool { return !within(s) || s.nodes > nodes }), nil
}

// Bound returns a time that no schedule of whole chunks, with any number of topologies, beats
// for a setting at a ratio of R and T.
func (c *Comparison) Bound(ratio float64) (units.Time, error) {
	demand, err := c.demand(mainSeed)
	if err != nil {
		return 0, err
	}
	best := -1.0
	for d := 1; d <= c.nodes; d++ {
		slots, err := model.DemandBound(demand, c.ports, d)
		if err != nil {
			return 0, err
		}
		if t := float64(d)*ratio + float64(slots); best < 0 || t < best {
			best = t
		}
	}
	return inTime(best), nil
}

// Parts names the picture of Figure 11 or 12 to which a setting belongs, and its place there.
func (c *Comparison) Parts(figure int) (picture, place string) {
	if figure == 11 {
		return fmt.Sprintf("n%d-k%d", c.nodes, c.ports), c.workload
	}
	name, _, _ := strings.Cut(c.workload, ":")
	return fmt.Sprintf("%s-k%d", name, c.ports), c.flow.String()
}

// Setting says what the settings of a picture have in common.
func (c *Comparison) Setting(figure int) string {
	if figure == 11 {
		return fmt.Sprintf("%d nodes, k = %d, flows of %v", c.nodes, c.ports, c.flow)
	}
	return fmt.Sprintf("%d nodes, k = %d, %s", c.nodes, c.ports, c.workload)
}
