package availability_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/fabric/availability"
)

// Four switches that fail once in 10 years and are repaired in two days; a job with one switch
// missing runs at three quarters of its speed.
func Example() {
	groups := []availability.Group{{Name: "switches", Pools: 1, Each: 4}}
	rates := []availability.Rate{{PerHour: 0.1 / 8766, Hours: 48}}
	without := availability.Scenario{Spares: []int{0}, Rates: rates}
	with := availability.Scenario{Spares: []int{1}, Rates: rates}
	count := func(missing []availability.Place) string { return fmt.Sprint(len(missing)) }
	strata := availability.Divide(groups, []availability.Scenario{without, with}, availability.Limits{Missing: 4, States: 1000}, count)
	speed := func(key string) availability.Speed {
		v := map[string]float64{"0": 1, "1": 0.75, "2": 0.5}[key]
		return availability.Speed{Low: v, High: v}
	}
	for _, s := range []availability.Scenario{without, with} {
		a := strata.Shares(&s, speed)
		fmt.Printf("full %.4f%%, reduced %.4f%%, down %.6f%%\n", 100*a.Full, 100*a.Reduced, 100*a.Down)
	}
	// Output:
	// full 99.7813%, reduced 0.2187%, down 0.000000%
	// full 99.9998%, reduced 0.0002%, down 0.000000%
}
