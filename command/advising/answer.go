package advising

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// AdviseSchema names the JSON form of advice and its version.
const AdviseSchema = "lightpath.advise/v1"

// Advice is the answer of Advise.
type Advice struct {
	Schema           string        `json:"schema"`
	Fabric           fabric.Fabric `json:"fabric"`
	Op               collective.Op `json:"op,omitempty"` // absent for iterations, like the next three
	SizeBytes        int64         `json:"size_bytes,omitempty"`
	Algorithm        string        `json:"algorithm,omitempty"`
	Planner          string        `json:"planner,omitempty"`
	TotalNs          units.Time    `json:"total_ns"`
	Reconfigurations int           `json:"reconfigurations"`
	// Iteration says that TotalNs is the time of an iteration, and how it is planned.
	Iteration *AdvisedIteration `json:"iteration,omitempty"`
	// Changes of the fabric, best first.
	Changes []FabricChange `json:"changes"`
	// PaysBelow gives, for sizes from 1KiB to 1GiB, the delay below which the planner's best plan
	// reconfigures. Absent if delays do not add up.
	PaysBelow []PaysBelow `json:"pays_below,omitempty"`
	// Ports is the time for each number of ports.
	Ports []PortsTime `json:"ports"`
	// EnoughPorts is the smallest number of ports beyond which no tried number gains 5%. Absent
	// if that is not known, because the largest tried number still gains, or no other was tried.
	EnoughPorts int `json:"enough_ports,omitempty"`
	// More is the advice for each of the other operations.
	More []Advice `json:"more,omitempty"`
	// TogetherNs is the total time of all operations, each planned on its own from the fabric's
	// initial circuits. A plan of the sequence may take a different time, because each operation
	// then starts on the circuits of the previous one.
	TogetherNs units.Time `json:"together_ns,omitempty"`
	// Together is what changes save for all operations, best first, with times added up as in
	// TogetherNs. It omits changes that leave some operation without a plan.
	Together []FabricChange `json:"together,omitempty"`
}

// AdvisedIteration is the iteration of a workload.
type AdvisedIteration struct {
	Name      string     `json:"name,omitempty"` // of the workload
	Policy    string     `json:"policy"`
	ComputeNs units.Time `json:"compute_ns"` // a change of the fabric can save at most the rest
}

// FabricChange is one change of the fabric and what it saves.
type FabricChange struct {
	Change    string     `json:"change"` // in words
	Setting   string     `json:"setting"`
	Value     string     `json:"value"`
	TotalNs   units.Time `json:"total_ns,omitempty"`
	Speedup   float64    `json:"speedup,omitempty"`
	Algorithm string     `json:"algorithm,omitempty"`
	Reason    string     `json:"reason,omitempty"` // why there is no plan
}

// PaysBelow is the delay below which reconfiguring pays off for a size.
type PaysBelow struct {
	SizeBytes int64 `json:"size_bytes"`
	// ReconfigNs is 0 if reconfiguring never pays off, and absent if it always does.
	ReconfigNs *units.Time `json:"reconfig_ns,omitempty"`
}

// PortsTime is a number of ports and the time with them.
type PortsTime struct {
	Ports   int        `json:"ports"`
	TotalNs units.Time `json:"total_ns,omitempty"`
	Reason  string     `json:"reason,omitempty"`
}

// addUp finds what changes save for all operations, each planned separately.
func (a *Advice) addUp() {
	if len(a.More) == 0 {
		return
	}
	now := a.Now()
	a.TogetherNs = now
	for _, c := range a.Changes {
		sum := FabricChange{Change: c.Change, Setting: c.Setting, Value: c.Value, TotalNs: c.TotalNs}
		possible := c.Reason == ""
		for i := range a.More {
			k := slices.IndexFunc(a.More[i].Changes, func(o FabricChange) bool { return o.Change == c.Change })
			if possible = possible && k >= 0 && a.More[i].Changes[k].Reason == ""; possible {
				sum.TotalNs += a.More[i].Changes[k].TotalNs
			}
		}
		if possible {
			sum.Speedup = now.Over(sum.TotalNs)
			a.Together = append(a.Together, sum)
		}
	}
	sortChanges(a.Together)
}

// Now returns the sum of the times of all operations, each planned on its own.
func (a *Advice) Now() units.Time {
	sum := a.TotalNs
	for i := range a.More {
		sum += a.More[i].TotalNs
	}
	return sum
}

// sortChanges puts the changes that save most first, and those without a plan last.
func sortChanges(changes []FabricChange) {
	for i := range changes {
		for j := i; j > 0 && changes[j].Speedup > changes[j-1].Speedup; j-- {
			changes[j], changes[j-1] = changes[j-1], changes[j]
		}
	}
}
