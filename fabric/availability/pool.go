package availability

import "math"

// Rate is how often a part fails and how long it is then repaired.
type Rate struct {
	PerHour float64 // failures of a part that is in use
	Hours   float64 // of a repair, on average
}

// With is the rate of a part that two rates take out of use: it fails by either, and is repaired
// as the one that it failed by.
func (r Rate) With(other Rate) Rate {
	sum := r.PerHour + other.PerHour
	if sum == 0 {
		return Rate{}
	}
	return Rate{sum, (r.PerHour*r.Hours + other.PerHour*other.Hours) / sum}
}

// Times is the rate of several parts in a row that count as one.
func (r Rate) Times(count int) Rate { return Rate{r.PerHour * float64(count), r.Hours} }

// Group is pools of the same size: the places Each*i to Each*(i+1)-1 are of pool i.
type Group struct {
	Name  string
	Pools int
	Each  int // parts in use in a pool
}

// Places counts the parts in use.
func (g Group) Places() int { return g.Pools * g.Each }

// Missing returns how likely it is that so many parts of a pool are missing: of n in use, with
// spares. The list ends with all of them.
func Missing(n, spares int, r Rate) []float64 {
	load := r.PerHour * r.Hours
	logs := make([]float64, n+spares+1) // of what is proportional to the probabilities
	most := 0.0
	for j := 1; j <= n+spares; j++ {
		if load == 0 {
			logs[j] = math.Inf(-1)
			continue
		}
		logs[j] = logs[j-1] + math.Log(load) + math.Log(float64(min(n, n+spares-j+1))) - math.Log(float64(j))
		most = max(most, logs[j])
	}
	sum := 0.0
	for _, x := range logs {
		sum += math.Exp(x - most)
	}
	missing := make([]float64, n+1)
	for j := n + spares; j >= 0; j-- { // the small ones first
		missing[max(0, j-spares)] += math.Exp(logs[j]-most) / sum
	}
	return missing
}
