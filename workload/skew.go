package workload

import (
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
)

// back begins the skew of what returns to where it came from.
const back = "back:"

// Back is the skew of an all-to-all that returns what another brought: every pair has the bytes
// that the pair the other way round had there.
func Back(skew string) string {
	if skew == "" {
		return ""
	}
	return back + skew
}

// Demand returns the bytes of every pair of n ranks of an all-to-all with a skew, as
// collective.GenerateDemand makes them with its default seed, so that all groups of a kind have
// the same. It is nil without a skew.
func Demand(skew string, n int, size units.Bytes) (collective.Demand, error) {
	if skew == "" {
		return nil, nil
	}
	spec, returns := strings.CutPrefix(skew, back)
	d, err := collective.GenerateDemand(spec, n, size, collective.DefaultSeed)
	if err != nil || !returns {
		return d, err
	}
	turned := make(collective.Demand, n)
	for i := range turned {
		turned[i] = make([]int64, n)
		for j := range turned[i] {
			turned[i][j] = d[j][i]
		}
	}
	return turned, nil
}

// checkSkew reports a skew that makes no demand. That of one group may still fail, which Demand
// says.
func checkSkew(o *Op) error {
	if o.Skew == "" {
		return nil
	}
	if o.Op != collective.AllToAll {
		return fmt.Errorf("is for alltoall, not for %.40s", o.Op)
	}
	return collective.CheckGenerator(strings.TrimPrefix(o.Skew, back))
}
