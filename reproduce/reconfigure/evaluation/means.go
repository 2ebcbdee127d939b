package evaluation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
)

// Saving is a setting of Figure 11 or 12 with the largest parts of the baselines' times that the
// paper's rule saves at any R, with everything moved in rounds as in section 5.1.
type Saving struct {
	Nodes, Ports int
	Workload     string
	// Over has, for every Reading's baselines, the largest part saved.
	Over []float64
}

// baselineSets returns the set of all published baselines, and the sets without one of them.
func baselineSets() [][]string {
	sets := [][]string{publishedBaselines}
	for i := range publishedBaselines {
		sets = append(sets, slices.Delete(slices.Clone(publishedBaselines), i, i+1))
	}
	return sets
}

// Savings plans the settings of Figure 11 or 12 up to a number of nodes; workloads have seed 1.
func Savings(ctx context.Context, figure, nodes int) ([]Saving, error) {
	chosen, err := settingsOf(figure, nodes)
	if err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("figure %d has no settings of up to %d nodes", figure, nodes)
	}
	var list []Saving
	for _, s := range chosen {
		c, err := method{rounds: true, published: true, seed: mainSeed, points: points}.plan(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", s, err)
		}
		saving := Saving{Nodes: s.nodes, Ports: s.ports, Workload: s.workload}
		for _, baselines := range baselineSets() {
			saved, _ := contest{ours: strategy.Paper, baselines: baselines}.peak(c)
			saving.Over = append(saving.Over, saved)
		}
		list = append(list, saving)
	}
	return list, nil
}

// Reading is a way to take the mean of section 5.2, which says only that it is a mean over the
// best baseline.
type Reading struct {
	Without   int  // the baseline to leave out, from 1; 0: none
	Longer    bool // how much longer the baseline takes, not how much is saved
	Ports     int  // only settings with that many ports; 0: all
	Workloads []string
}

// Stated returns the reading that section 5.2 states.
func Stated() Reading { return Reading{Workloads: workloads} }

// UnevenOnePort returns the reading with only one port and only workloads whose flows differ.
func UnevenOnePort() Reading { return Reading{Ports: 1, Workloads: workloads[1:]} }

// Readings lists all readings to try.
func Readings() []Reading {
	var list []Reading
	for without := range baselineSets() {
		for _, longer := range []bool{false, true} {
			for ports := range 3 {
				for _, w := range [][]string{workloads, workloads[:1], workloads[1:2], workloads[2:], workloads[1:], workloads[:2]} {
					list = append(list, Reading{without, longer, ports, w})
				}
			}
		}
	}
	return list
}

// String describes a reading.
func (r Reading) String() string {
	text := "time saved over the best of all baselines"
	if r.Longer {
		text = "how much longer the best of all baselines takes"
	}
	if r.Without > 0 {
		for _, rival := range Rivals() {
			if rival.Strategy == publishedBaselines[r.Without-1] {
				text += " but " + rival.Name
			}
		}
	}
	if r.Ports > 0 {
		text += fmt.Sprintf(", k = %d", r.Ports)
	}
	return text + ", " + strings.Join(r.Workloads, " and ")
}

// Mean returns the mean by a reading.
func (r Reading) Mean(list []Saving) float64 {
	sum, count := 0.0, 0
	for _, s := range list {
		if r.Ports != 0 && s.Ports != r.Ports || !slices.Contains(r.Workloads, s.Workload) {
			continue
		}
		saved := s.Over[r.Without]
		if r.Longer {
			saved = 1/(1-saved) - 1
		}
		sum += saved
		count++
	}
	return sum / float64(count)
}
