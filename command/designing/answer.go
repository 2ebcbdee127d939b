package designing

import (
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/units"
)

// DesignSchema names the JSON form of the answer and its version.
const DesignSchema = "lightpath.design/v1"

// Design is the outcome: choices with their time, cost and power, and which to take.
type Design struct {
	Schema string        `json:"schema"`
	Fabric fabric.Fabric `json:"fabric"` // with the most ports and the largest islands of all choices
	// Mix is the load, or Workload the name of the one whose iteration it is.
	Mix      []MixedOperation `json:"mix,omitempty"`
	Workload string           `json:"workload,omitempty"`
	// BudgetCost (in USD) and BudgetPower (in W) are those asked for.
	BudgetCost  float64 `json:"budget_cost,omitempty"`
	BudgetPower float64 `json:"budget_power,omitempty"`
	// Choices are the fabrics, the fastest first; those that have no plan or no bill are last.
	Choices []Choice `json:"choices"`
	// Frontier lists the choices on the frontier, by their numbers from 0: no other choice is at
	// least as good in time, likely cost and likely power, and better in one.
	Frontier []int `json:"frontier"`
	// Best is the number of the fastest choice within the budgets, of equals the cheapest; -1:
	// none.
	Best int `json:"best"`
	// Value is the number of the choice within the budgets with the least time multiplied by cost;
	// -1: none.
	Value int `json:"value"`
	// Worth is the most that a port of each technology is worth.
	Worth []Worth `json:"worth"`
	// Curves are the times of a mix on every layout as functions of the delay.
	Curves []Curve `json:"curves,omitempty"`
	// BreakEven is what a port of an optical switch is worth at most against packet fabrics, for
	// several delays.
	BreakEven []PortWorth `json:"break_even,omitempty"`
	// Changes are inputs that would change what is taken, the nearest first.
	Changes []Change `json:"changes"`
	// Answer says it in words.
	Answer string `json:"answer"`
}

// Kinds of fabrics.
const (
	Optical       = "optical"
	FatTree       = "fat-tree"
	RailOptimised = "rail-optimised"
	RailOnly      = "rail-only"
)

// Choice is a fabric that one can buy.
type Choice struct {
	Kind       string `json:"kind"` // optical | fat-tree | rail-optimised | rail-only
	Technology string `json:"technology,omitempty"`
	Ports      int    `json:"ports"`
	Island     int    `json:"island"` // 1: none
	// Layout says which ports are on the same switch, if they are optical; Tiers is the height
	// of a packet fabric.
	Layout      string       `json:"layout,omitempty"`
	Tiers       int          `json:"tiers,omitempty"`
	ReconfigNs  units.Time   `json:"reconfig_ns"`
	IterationNs units.Time   `json:"iteration_ns,omitempty"` // of the load
	TimesNs     []units.Time `json:"times_ns,omitempty"`     // of each operation of a mix, once
	Plans       []string     `json:"plans,omitempty"`        // of each: its algorithm and planner
	CostUSD     *parts.Range `json:"cost_usd,omitempty"`
	PowerW      *parts.Range `json:"power_w,omitempty"`
	Bill        []parts.Line `json:"bill,omitempty"`
	// Light says how certain it is that a link through one optical switch has enough light, and
	// LossDB what such a link loses: surely | likely | possibly | no.
	Light  Certainty    `json:"light,omitempty"`
	LossDB *parts.Range `json:"loss_db,omitempty"`
	// WithinCost and WithinPower say how certain it is that the choice is within the budgets;
	// OverBudget goes by what is likely.
	WithinCost  Certainty `json:"within_cost,omitempty"`
	WithinPower Certainty `json:"within_power,omitempty"`
	// Availability is the share of time in which all parts of the bill work, at worst, as is likely
	// and at best. With plans around failures the job runs for longer than that.
	Availability *parts.Range  `json:"availability,omitempty"`
	Stages       *parts.Stages `json:"stages,omitempty"` // optical switches that a link has light for
	OnFrontier   bool          `json:"on_frontier,omitempty"`
	OverBudget   bool          `json:"over_budget,omitempty"`
	Reason       string        `json:"reason,omitempty"` // why there is no plan, or no bill
	group        *group        // that it is planned with
	buy          func(all *parts.Catalogue) (*parts.Bill, error)
}

// Name is the choice in a few words.
func (c *Choice) Name() string {
	if c.Kind == Optical {
		return c.Technology
	}
	return c.Kind
}

// possible reports whether the choice can be bought and used.
func (c *Choice) possible() bool { return c.Reason == "" }

// criteria are what choices are compared by.
func (c *Choice) criteria() [3]float64 {
	return [3]float64{float64(c.IterationNs), c.CostUSD.Likely, c.PowerW.Likely}
}

// Worth is what a port of a technology is worth at most.
type Worth struct {
	Technology  string       `json:"technology"`
	SwitchingNs units.Time   `json:"switching_ns"`
	PriceUSD    *parts.Range `json:"price_usd,omitempty"` // of a port that is bought
	// PortUSD is the price of a port above which a choice of another technology, or a packet
	// fabric, is as fast and cheaper, whatever number of ports and islands one takes. It is
	// absent if nothing else is as fast, and below 0 if even switches for nothing would not
	// pay.
	PortUSD *float64 `json:"port_usd,omitempty"`
	// Than is the choice that is then cheaper, by its number, and Choice the one that it is
	// compared with.
	Choice int `json:"choice"`
	Than   int `json:"than"`
}

// frontier marks the choices that no other dominates, and returns their numbers. They are
// sorted by time, cost and power, so only those before one can dominate it.
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
