package pipelines

import (
	"maps"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
)

// The changes of a pipeline are those that its listed steps show: in one of them pairs send that
// did not send in the step before or, if circuits are one-way, the other way round.
func TestChangesAreCountedStepByStep(t *testing.T) {
	exact := 0
	for n := 2; n <= 24; n++ {
		twins := Twins(n)
		for _, trees := range [][]Tree{{Chain(n)}, {Binary(n)}, twins[:]} {
			for ports := 1; ports <= 3; ports++ {
				times := TimesOf(n, ports, trees)
				for _, twoWay := range []bool{false, true} {
					changes, risen := ChangesOf(n, ports, trees, times, twoWay), 0
					for pieces := 1; pieces <= 3*n; pieces += 1 + pieces/5 {
						steps := Steps(n, pieces, ports, trees)
						want := changesOf(steps, twoWay)
						got, rising := changes.Of(pieces)
						all := times.full == nil || times.Period != nil || len(steps) <= len(times.full)
						if got > want || all && got != want || rising > want || rising < risen {
							t.Fatalf("n=%d, %d trees, %d ports, two-way %v, %d pieces: %d changes and %d rising from %d, want %d",
								n, len(trees), ports, twoWay, pieces, got, rising, risen, want)
						}
						if risen = rising; all {
							exact++
						}
					}
				}
			}
		}
	}
	if exact < 1000 {
		t.Errorf("only %d cases are exact", exact)
	}
}

// changesOf counts the steps with other pairs than the step before.
func changesOf(steps []collective.Step, twoWay bool) (changes int) {
	var last map[[2]int]bool
	for s, step := range steps {
		now := map[[2]int]bool{}
		for _, t := range step.Base {
			pair := [2]int{t.Src, t.Dst}
			if twoWay {
				pair = [2]int{min(t.Src, t.Dst), max(t.Src, t.Dst)}
			}
			now[pair] = true
		}
		same := maps.Equal(now, last)
		if twoWay { // pairs may have gone
			same = true
			for pair := range now {
				same = same && last[pair]
			}
		}
		if last = now; s > 0 && !same {
			changes++
		}
	}
	return changes
}
