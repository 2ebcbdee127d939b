package designing

import (
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/units"
)

// DesignSchema names the JSON form of the answer and its version.
const DesignSchema = "lightpath.design/v1"

// Design lists choices with their time, cost and power, and recommends one.
type Design struct {
	Schema string        `json:"schema"`
	Fabric fabric.Fabric `json:"fabric"` // with the most ports and largest islands of all choices
	// Mix is the load; if the load is an iteration, Workload is the name of its workload.
	Mix      []MixedOperation `json:"mix,omitempty"`
	Workload string           `json:"workload,omitempty"`
	// BudgetCost (in USD) and BudgetPower (in W) are the requested budgets.
	BudgetCost  float64 `json:"budget_cost,omitempty"`
	BudgetPower float64 `json:"budget_power,omitempty"`
	// Choices are the fabrics, the fastest first; those without a plan or a bill come last.
	Choices []Choice `json:"choices"`
	// Frontier lists the choices on the frontier, by their numbers from 0: no other choice is at
	// least as good in time, likely cost and likely power, and better in one.
	Frontier []int `json:"frontier"`
	// Best is the number of the fastest choice within the budgets, the cheapest of equals; -1:
	// none.
	Best int `json:"best"`
	// Value is the number of the choice within the budgets with the least time multiplied by cost;
	// -1: none.
	Value int `json:"value"`
	// Worth is the most that a port of each technology is worth.
	Worth []Worth `json:"worth"`
	// Curves are the times of a mix on every layout as functions of the delay.
	Curves []Curve `json:"curves,omitempty"`
	// BreakEven is the most that a port of an optical switch is worth against packet fabrics,
	// for several delays.
	BreakEven []PortWorth `json:"break_even,omitempty"`
	// Changes are changes of inputs that would change the choice, the nearest first.
	Changes []Change `json:"changes"`
	// Answer is the answer in words.
	Answer string `json:"answer"`
}

// Kinds of fabrics.
const (
	Optical       = "optical"
	FatTree       = "fat-tree"
	RailOptimised = "rail-optimised"
	RailOnly      = "rail-only"
)

// Choice is a fabric on offer.
type Choice struct {
	Kind       string `json:"kind"` // optical | fat-tree | rail-optimised | rail-only
	Technology string `json:"technology,omitempty"`
	Ports      int    `json:"ports"`
	Island     int    `json:"island"` // 1: none
	// Layout says which ports of an optical fabric share a switch; Tiers is the height of a
	// packet fabric.
	Layout      string       `json:"layout,omitempty"`
	Tiers       int          `json:"tiers,omitempty"`
	ReconfigNs  units.Time   `json:"reconfig_ns"`
	IterationNs units.Time   `json:"iteration_ns,omitempty"` // of the load
	TimesNs     []units.Time `json:"times_ns,omitempty"`     // of one run of each operation of a mix
	Plans       []string     `json:"plans,omitempty"`        // of each: its algorithm and planner
	CostUSD     *parts.Range `json:"cost_usd,omitempty"`
	PowerW      *parts.Range `json:"power_w,omitempty"`
	Bill        []parts.Line `json:"bill,omitempty"`
	// Light says how certain it is that a link through one optical switch has enough light
	// (surely | likely | possibly | no), and LossDB how much such a link loses.
	Light  Certainty    `json:"light,omitempty"`
	LossDB *parts.Range `json:"loss_db,omitempty"`
	// WithinCost and WithinPower say how certain it is that the choice is within the budgets;
	// OverBudget goes by the likely values.
	WithinCost  Certainty `json:"within_cost,omitempty"`
	WithinPower Certainty `json:"within_power,omitempty"`
	// Availability is the share of time in which all parts of the bill work: worst, likely and
	// best. With plans that avoid failed parts, the job runs for longer than that.
	Availability *parts.Range  `json:"availability,omitempty"`
	Stages       *parts.Stages `json:"stages,omitempty"` // optical switches that a link has light for
	OnFrontier   bool          `json:"on_frontier,omitempty"`
	OverBudget   bool          `json:"over_budget,omitempty"`
	Reason       string        `json:"reason,omitempty"` // why there is no plan, or no bill
	group        *group        // with which it is planned
	buy          func(all *parts.Catalogue) (*parts.Bill, error)
}

// Name describes the choice in a few words.
func (c *Choice) Name() string {
	if c.Kind == Optical {
		return c.Technology
	}
	return c.Kind
}

// possible reports whether the choice can be bought and used.
func (c *Choice) possible() bool { return c.Reason == "" }

// criteria returns what choices are compared by.
func (c *Choice) criteria() [3]float64 {
	return [3]float64{float64(c.IterationNs), c.CostUSD.Likely, c.PowerW.Likely}
}

// Worth is the most that a port of a technology is worth.
type Worth struct {
	Technology  string       `json:"technology"`
	SwitchingNs units.Time   `json:"switching_ns"`
	PriceUSD    *parts.Range `json:"price_usd,omitempty"` // per bought port
	// PortUSD is the price of a port above which a choice of another technology, or a packet
	// fabric, is as fast and cheaper, whatever the number of ports and the islands. It is absent
	// if nothing else is as fast, and below 0 if not even free switches would pay off.
	PortUSD *float64 `json:"port_usd,omitempty"`
	// Than is the number of the choice that is then cheaper, and Choice the number of the choice
	// that it is compared with.
	Choice int `json:"choice"`
	Than   int `json:"than"`
}

// frontier marks the choices that no other dominates, and returns their numbers. Choices are
// sorted by time, cost and power, so only earlier ones can dominate a choice.
func frontier(choices []Choice) []int {
	kept := []int{}
	for i := range choices {
		c := &choices[i]
		if !c.possible() {
			continue
		}
		mine := c.criteria()
		c.OnFrontier = !slices.ContainsFunc(kept, func(k int) bool {
			other := choices[k].criteria()
			return other[0] <= mine[0] && other[1] <= mine[1] && other[2] <= mine[2] && other != mine
		})
		if c.OnFrontier {
			kept = append(kept, i)
		}
	}
	return kept
}
