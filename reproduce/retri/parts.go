package retri

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/staged/subring"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
)

// partsOfCost returns C(R) for 81 GPUs as printed and for whole phases: start-ups and hops.
func partsOfCost(changes int, size units.Bytes) ([]claim.Part, error) {
	const radix, phases = 3, 4
	s, err := subring.New(radix, phases, 1./radix)
	if err != nil {
		return nil, err
	}
	segments, err := s.Segments(changes)
	if err != nil {
		return nil, err
	}
	start, hop := phaseCosts(phases, 1./radix, size)
	printed := printedHops(radix, phases, changes)
	parts := []claim.Part{
		{Name: fmt.Sprintf("start-ups of %d phases", phases), Value: start, Unit: "us"},
		{Name: "a hop: its latency, and a third of the bytes over a circuit", Value: hop, Unit: "us"},
		{Name: "phases of a segment as printed", Value: phases / float64(changes+1)},
		{Name: "hops as printed, all segments", Value: printed},
		{Name: "start-ups and hops as printed", Value: start + hop*printed, Unit: "us"},
	}
	hops := 0
	for _, g := range segments {
		of, jump := 0, 1
		for range g.Last - g.First + 1 {
			of, jump = of+jump, jump*radix
		}
		name := fmt.Sprintf("hops of whole phases: phases %d to %d on one ring", g.First+1, g.Last+1)
		if g.First == g.Last {
			name = fmt.Sprintf("hops of whole phases: phase %d on its own ring", g.First+1)
		}
		parts = append(parts, claim.Part{Name: name, Value: float64(of)})
		hops += of
	}
	return append(parts, claim.Part{Name: "start-ups and hops of whole phases", Value: start + hop*float64(hops), Unit: "us"}), nil
}

// partsOfLeast returns the parts of the times of the smallest size, the speed-ups at both ends,
// and from which size on they are what the paper says of all sizes.
func partsOfLeast(ctx context.Context, least float64, phases int, delay units.Duration, sizes []units.Bytes) ([]claim.Part, error) {
	small := sizes[0]
	s, err := subring.New(3, phases, 1./3)
	if err != nil {
		return nil, err
	}
	f := scaleUp(4, "", small).Fabric
	f.Reconfig.Base = delay
	changes, total := s.Search(subring.TimingOf(&f), small)
	start, _ := phaseCosts(phases, 1./3, small)
	waits := float64(changes) * float64(delay.Time()) / 1e3
	direct, err := directTime(ctx, phases, small)
	if err != nil {
		return nil, err
	}
	parts := []claim.Part{
		{Name: fmt.Sprintf("%s, ReTri: start-ups of %d phases", decimal(small), phases), Value: start, Unit: "us"},
		{Name: fmt.Sprintf("%s, ReTri: %s of %v", decimal(small), units.Count(changes, "change"), delay), Value: waits, Unit: "us"},
		{Name: fmt.Sprintf("%s, ReTri: hops and bytes", decimal(small)), Value: float64(total)/1e3 - start - waits, Unit: "us"},
		{Name: fmt.Sprintf("%s, ReTri: together", decimal(small)), Value: float64(total) / 1e3, Unit: "us"},
		{Name: fmt.Sprintf("%s, direct exchange on a static ring", decimal(small)), Value: float64(direct) / 1e3, Unit: "us"},
	}
	for _, baseline := range []struct {
		name   string
		direct bool
	}{{"as stated", true}, {"by the convention", false}} {
		from := -1
		for i, size := range sizes {
			best, static, err := bestAndStatic(ctx, baseline.direct, phases, delay, size)
			if err != nil {
				return nil, err
			}
			ratio := float64(static / best)
			if ratio < least {
				from = -1
			} else if from < 0 {
				from = i
			}
			if i == 0 || i == len(sizes)-1 {
				parts = append(parts, claim.Part{Name: fmt.Sprintf("speed-up at %s, %s", decimal(size), baseline.name), Value: ratio, Unit: "times"})
			}
		}
		if from >= 0 {
			parts = append(parts, claim.Part{Name: fmt.Sprintf("size from which on it is %g or more, %s", least, baseline.name), Value: float64(sizes[from]) / float64(units.KB), Unit: "KB"})
		}
	}
	return parts, nil
}

// decimal writes a size in KB or MB, as in the paper.
func decimal(size units.Bytes) string {
	if size >= units.MB {
		return fmt.Sprintf("%g MB", float64(size)/float64(units.MB))
	}
	return fmt.Sprintf("%g KB", float64(size)/float64(units.KB))
}

// nearestShown is the number of conventions shown.
const nearestShown = 4

// partsOfConventions returns the ends of Fig. 3 that the nearest conventions give.
func partsOfConventions(list []triedConvention) []claim.Part {
	var parts []claim.Part
	for i, c := range list[:min(nearestShown, len(list))] {
		parts = append(parts,
			claim.Part{Name: fmt.Sprintf("least, nearest reading %d: %v", i+1, c.retriConvention), Value: c.least, Unit: "times"},
			claim.Part{Name: fmt.Sprintf("largest, nearest reading %d", i+1), Value: c.most, Unit: "times"},
			claim.Part{Name: fmt.Sprintf("the farther end of reading %d is off by", i+1), Value: 100 * c.off, Unit: "%"})
	}
	return parts
}

// sentEachWay returns the fraction of a GPU's bytes that every phase of an algorithm sends in
// each direction: half of what the busiest sender sends in it.
func sentEachWay(algorithm string, nodes int) ([]float64, error) {
	c, err := algorithms.New(collective.AllToAll, algorithm, nodes, 2)
	if err != nil {
		return nil, err
	}
	phases := make([]float64, len(c.Steps))
	for i := range c.Steps {
		sent := make([]int, nodes)
		for t := range c.Steps[i].All(c.Space) {
			sent[t.Src] += t.Chunks.Len()
		}
		for _, blocks := range sent {
			phases[i] = max(phases[i], float64(blocks)/float64(2*nodes*c.Space.Parts))
		}
	}
	return phases, nil
}

// transmissions returns the bytes of the phases of ReTri and of mirrored Bruck.
func transmissions() (retri, bruck []float64, err error) {
	if retri, err = sentEachWay("retri", 81); err != nil {
		return nil, nil, err
	}
	bruck, err = sentEachWay("mirrored-bruck", 64)
	return retri, bruck, err
}

// transmission returns the transmission time of Bruck over that of ReTri, with every phase on
// its own circuits.
func transmission(context.Context) (float64, error) {
	retri, bruck, err := transmissions()
	return arithmetic.Sum(bruck) / arithmetic.Sum(retri), err
}

// partsOfTransmission returns the bytes of every phase, joining phases that send the same.
func partsOfTransmission(context.Context) ([]claim.Part, error) {
	retri, bruck, err := transmissions()
	if err != nil {
		return nil, err
	}
	var parts []claim.Part
	for _, a := range []struct {
		name   string
		phases []float64
	}{{"ReTri on 81 GPUs", retri}, {"mirrored Bruck on 64 GPUs", bruck}} {
		for first := 0; first < len(a.phases); {
			next := first + 1
			for next < len(a.phases) && math.Abs(a.phases[next]-a.phases[first]) < 1e-12 {
				next++
			}
			parts = append(parts, claim.Part{Name: fmt.Sprintf("%s: of a GPU's bytes each way, in each of phases %d to %d", a.name, first+1, next), Value: a.phases[first]})
			first = next
		}
		parts = append(parts, claim.Part{Name: a.name + ": all phases", Value: arithmetic.Sum(a.phases)})
	}
	// On n GPUs there are log3 n and log2 n phases.
	equal := bruck[0] * math.Log2(3) / retri[0]
	return append(parts, claim.Part{Name: "Bruck over ReTri on 64 and 81 GPUs", Value: arithmetic.Sum(bruck) / arithmetic.Sum(retri), Unit: "times"},
		claim.Part{Name: "Bruck over ReTri on equally many GPUs", Value: equal, Unit: "times"}), nil
}
