package availability

import (
	"math"

	"github.com/lightpath-net/lightpath/internal/each"
)

// Rate says how often a part fails and how long its repair takes.
type Rate struct {
	PerHour float64 // failures of a part in use
	Hours   float64 // of a repair, on average
}

// With returns the rate of a part that two kinds of failures take out of use: it fails by
// either, and takes the repair of the one it failed by.
func (r Rate) With(other Rate) Rate {
	sum := r.PerHour + other.PerHour
	if sum == 0 {
		return Rate{}
	}
	return Rate{sum, (r.PerHour*r.Hours + other.PerHour*other.Hours) / sum}
}

// Times returns the rate of several parts in series that count as one.
func (r Rate) Times(count int) Rate { return Rate{r.PerHour * float64(count), r.Hours} }

// Group is a set of pools of the same size: places Each*i to Each*(i+1)-1 belong to pool i.
type Group struct {
	Name  string
	Pools int
	Each  int // parts in use in a pool
}

// Places returns the number of parts in use.
func (g Group) Places() int { return g.Pools * g.Each }

// Missing returns how likely each number of missing parts of a pool is, for n in use with
// spares. The list ends with all n missing.
func Missing(n, spares int, r Rate) []float64 {
	load := r.PerHour * r.Hours
	logs := make([]float64, n+spares+1) // of numbers proportional to the probabilities
	most := 0.0
	for j := 1; j <= n+spares; j++ {
		if load == 0 {
			logs[j] = math.Inf(-1)
			continue
		}
		logs[j] = logs[j-1] + math.Log(load) + math.Log(float64(min(n, n+spares-j+1))) - math.Log(float64(j))
		most = max(most, logs[j])
	}
	sum := each.Sum(logs, func(x float64) float64 { return math.Exp(x - most) })
	missing := make([]float64, n+1)
	for j := n + spares; j >= 0; j-- { // small ones first
		missing[max(0, j-spares)] += math.Exp(logs[j]-most) / sum
	}
	return missing
}
