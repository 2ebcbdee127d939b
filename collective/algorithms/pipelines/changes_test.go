package pipelines

import "testing"

// The bound on changes counts the listed steps in which a pair sends that did not send in the
// step before, all of them if a single tree is run or repeats itself.
func TestChangesAreCountedStepByStep(t *testing.T) {
	exact := 0
	for n := 2; n <= 24; n++ {
		twins := Twins(n)
		for _, trees := range [][]Tree{{Chain(n)}, {Binary(n)}, twins[:]} {
			for ports := 1; ports <= 3; ports++ {
				times := TimesOf(n, ports, trees)
				for _, twoWay := range []bool{false, true} {
					got, before := ChangesOf(n, ports, trees, times, twoWay), 0
					for pieces := 1; pieces <= 3*n; pieces += 1 + pieces/5 {
						want, last := 0, map[[2]int]bool{}
						steps := Steps(n, pieces, ports, trees)
						for s, step := range steps {
							now, fresh := map[[2]int]bool{}, false
							for _, t := range step.Base {
								pair := [2]int{t.Src, t.Dst}
								if twoWay {
									pair = [2]int{min(t.Src, t.Dst), max(t.Src, t.Dst)}
								}
								now[pair] = true
								fresh = fresh || !last[pair]
							}
							if last = now; fresh && s > 0 {
								want++
							}
						}
						is := got.AtLeast(pieces)
						// Two trees may have a pair in common, which later pieces use in the step before.
						known := len(trees) == 1 &&
							(times.full == nil || times.Period != nil || len(steps) <= len(times.full))
						if times.full != nil && len(steps) <= len(times.full) && !twoWay && is < want*9/10 {
							t.Errorf("n=%d, %d ports, %d pieces: %d changes of %d", n, ports, pieces, is, want)
						}
						if is > want || known && is != want || is < before {
							t.Fatalf("n=%d, %d trees, %d ports, two-way %v, %d pieces: %d changes after %d with fewer, want %d", n, len(trees), ports, twoWay, pieces, is, before, want)
						}
						if before = is; known {
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
