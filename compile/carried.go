package compile

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/lift"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// Carried splits the time of a target into the parts of a plan's time. Each part is how much
// less time the target would take without it, once the parts before it are gone. Causes explains
// each difference from the plan.
type Carried struct {
	// Credits is the time that senders wait for receivers to make room, because a connection has
	// few slots.
	Credits         units.Time `json:"credits,omitempty"`
	Startup         units.Time `json:"startup"`
	Propagation     units.Time `json:"propagation"`
	Transmission    units.Time `json:"transmission"`
	Reduction       units.Time `json:"reduction,omitempty"`
	Reconfiguration units.Time `json:"reconfiguration"`
}

// Total returns the sum of the parts.
func (c *Carried) Total() units.Time {
	return c.Credits + c.Startup + c.Propagation + c.Transmission + c.Reduction + c.Reconfiguration
}

// costing says which costs count: each is 1 or 0.
type costing struct{ alpha, delta, gamma, change, credits units.Time }

var allCosts = costing{1, 1, 1, 1, 1}

// timed splits a time into its parts, given that time as a function of the costs that count.
func timed(time func(c costing) (units.Time, error)) (*Carried, error) {
	c := &Carried{}
	all, err := time(allCosts)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		of    *units.Time
		costs costing
	}{
		{&c.Credits, costing{1, 1, 1, 1, 0}}, {&c.Startup, costing{0, 1, 1, 1, 0}}, {&c.Propagation, costing{0, 0, 1, 1, 0}},
		{&c.Reduction, costing{0, 0, 0, 1, 0}}, {&c.Reconfiguration, costing{}},
	} {
		without, err := time(part.costs)
		if err != nil {
			return nil, err
		}
		*part.of, all = all-without, without
	}
	c.Transmission = all
	return c, nil
}

// network returns the network that carries the messages of a stage, with the given chunks per
// buffer and the costs that count.
func network(p *plan.Plan, stage, chunks int, costs costing) check.Network {
	differ := p.Fabric.Circuits()
	node := func(rank int) int {
		if members := p.Collective.Space.Members; members != nil {
			return members[rank]
		}
		return rank
	}
	return check.Network{
		Chunk: float64(p.Collective.Size) / float64(chunks),
		Of: func(from, to int) check.Circuits {
			u, v := node(from), node(to)
			bandwidth, delay := p.Fabric.Bandwidth, p.Fabric.Delta
			if differ != nil {
				bandwidth, delay = differ.Of(u, v)
			}
			return check.Circuits{
				Count: p.Stages[stage].Topology.Count(u, v), PerByte: units.Time(8e9 / float64(bandwidth)),
				Latency: costs.alpha*p.Fabric.Alpha.Time() + costs.delta*delay.Time(),
			}
		},
		Roomy:  costs.credits == 0,
		Reduce: func(bytes float64) units.Time { return costs.gamma * p.Fabric.Gamma.Of(bytes) },
	}
}

// carriesPrograms times the programs of the stages one after the other. Within a stage, ranks
// wait only for the data that they need; between stages, for all ranks and for the circuits.
func carriesPrograms(ctx context.Context, p *plan.Plan, graphs []*check.Graph, stages []int, chunks int) (*Carried, error) {
	return timed(func(costs costing) (units.Time, error) { return programsTake(ctx, p, graphs, stages, chunks, costs) })
}

// programsTake returns that time with the costs that count.
func programsTake(ctx context.Context, p *plan.Plan, graphs []*check.Graph, stages []int, chunks int, costs costing) (units.Time, error) {
	total := costs.change * p.Cost.Reconfiguration
	for i, g := range graphs {
		took, err := g.Carry(ctx, network(p, stages[i], chunks, costs))
		if err != nil {
			return 0, fmt.Errorf("stage %d: %w", stages[i]+1, err)
		}
		total += took
	}
	return total, nil
}

// tells is the least difference of a part worth naming, relative to the plan: less is rounding.
const tells = 0.001

// Causes says why a target takes more or less time than the plan, part by part: the differences
// of the parts add up to the difference of the times.
func (c *Carried) Causes(p *plan.Plan) []string {
	cut := longest(p) > 1
	var causes []string
	add := func(part string, carried, planned units.Time, more, less string) {
		d := carried - planned
		if size := tells * p.Cost.Total(); d <= size && -d <= size {
			return
		}
		sign, why := "+", more
		if d < 0 {
			sign, why, d = "-", less, -d
		}
		causes = append(causes, strings.TrimSpace(fmt.Sprintf("%s %s%v: %s", part, sign, d, why)))
	}
	forwarded, stored := "messages wait for one another along chains that steps begin together", "what the steps of the plan send at once waits in a queue"
	if cut {
		forwarded = "every hop that a rank forwards over has a start-up of its own"
		stored = "ranks store what they forward, where the plan cuts through, and take messages in order"
	}
	const free = "no barrier holds back ranks that are ready"
	add("credits", c.Credits, 0, "a connection has room for few messages, and senders wait for receivers", free)
	add("start-up", c.Startup, p.Cost.Startup, forwarded, free)
	add("propagation", c.Propagation, p.Cost.Propagation, "hops follow one another that the plan has in one step", free)
	add("transmission", c.Transmission, p.Cost.Transmission, stored, free)
	add("reduction", c.Reduction, p.Cost.Reduction, "sums wait for one another", free)
	add("reconfiguration", c.Reconfiguration, p.Cost.Reconfiguration, "the target has whole microseconds", "ranks that have done their part begin early")
	return causes
}

// carries records how long a target takes, by which rules, and why that differs from the plan's
// time.
func (r *Result) carries(p *plan.Plan, c *Carried, how string) {
	r.Carried, r.Parts, r.How, r.Causes = c.Total(), c, how, c.Causes(p)
}

// runtimeRules says how runtimes execute programs.
const runtimeRules = "predicted: every hop is a message with its own start-up, which ranks store and forward; no barriers within a stage"

// runs records how long programs take, which are pieces of the given stages, and lifts them to a
// plan.
func (r *Result) runs(ctx context.Context, p *plan.Plan, graphs []*check.Graph, stages []int, chunks int) (err error) {
	r.Lowered, err = lowered(ctx, p, graphs, stages)
	switch {
	case errors.Is(err, lift.ErrInexpressible): // the checker has proven the programs
		r.Notes = append(r.Notes, "proven, but no plan can express its steps, so none is shown")
	case err != nil:
		return err
	}
	carried, err := carriesPrograms(ctx, p, graphs, stages, chunks)
	if err != nil {
		return err
	}
	r.carries(p, carried, runtimeRules)
	return nil
}
