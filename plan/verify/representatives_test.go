package verify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// firstWrong returns the first stage in which something is sent that is not there or is counted
// twice; 0 if there is none.
func (r *dataReport) firstWrong() (first int) {
	for _, err := range []error{r.missing, r.counted} {
		stage := 0
		if err == nil {
			continue
		}
		if _, err := fmt.Sscanf(err.Error(), "stage %d", &stage); err == nil && (first == 0 || stage < first) {
			first = stage
		}
	}
	return first
}

// Errors in the data of plans that share a group are found in the same step in two ways: by
// running identical neighbours at once and counting, and by running every chunk that stands for
// its orbit. If a step has several errors, the first that is reported may differ.
func TestHomedMovesShowWhatTheirChunksDo(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	groups := []topology.Translations{
		topology.Rotations(12, 1), topology.Rotations(12, 3),
		{Dims: []int{3, 4}, Stride: []int{1, 4}}, {Dims: []int{4, 3}, Stride: []int{4, 1}},
		{Dims: []int{2, 2, 3}, Stride: []int{1, 2, 1}},
	}
	kinds := map[string]int{}
	for round := range 200 {
		group := groups[random.IntN(len(groups))]
		op := []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter}[random.IntN(3)]
		p := &plan.Plan{Collective: plan.Collective{Op: op, Space: collective.SpaceOf(op, 12, 1+random.IntN(5))}}
		p.Fabric.Nodes = 12
		total := p.Collective.Space.Chunks()
		for _, m := range randomMoves(random, 12, total, 1+random.IntN(4)) {
			if int(m.step) == len(p.Stages) {
				p.Stages = append(p.Stages, plan.Stage{Steps: []plan.Step{{Group: group}}})
			}
			step := &p.Stages[m.step].Steps[0]
			step.Base = append(step.Base, plan.Transfer{Transfer: *m.Transfer})
		}
		fast, err := runData(t.Context(), p, eventsAtOnce)
		if err != nil {
			t.Fatal(err)
		}
		f := &follower{run: newDataRun(p)}
		if f.run.moves, err = moves(t.Context(), p, group); err != nil {
			t.Fatal(err)
		}
		if err := f.followHomes(t.Context(), p, group, homesAtOnce); err != nil {
			t.Fatal(err)
		}
		slow := f.report()
		if fast.firstWrong() != slow.firstWrong() || fast == (dataReport{}) != (slow == dataReport{}) {
			t.Fatalf("round %d: %v, chunk by chunk %v", round, fast, slow)
		}
		for i, err := range []error{fast.missing, fast.counted, fast.result} {
			if err != nil {
				kinds[fmt.Sprint("kind ", i)]++
			}
		}
	}
	if len(kinds) != 3 {
		t.Errorf("violations of %v, want all three kinds", kinds)
	}
}

// A large number of chunks is too many to run only if they differ.
func TestChunksThatAreAlikeAreNotTooMany(t *testing.T) {
	p := &plan.Plan{Collective: plan.Collective{Op: collective.AllGather, Space: collective.SpaceOf(collective.AllGather, 8, 1<<20)}}
	p.Fabric.Nodes = 8
	step := plan.Step{Index: 1, Group: topology.Rotations(8, 1)}
	for i := range 7 {
		for range 10 {
			step.Base = append(step.Base, plan.Transfer{Transfer: collective.Transfer{Src: 0, Dst: i + 1, Action: collective.Copy, Chunks: collective.Every(0, 1, 8<<20)}})
		}
	}
	p.Stages = []plan.Stage{{Steps: []plan.Step{step}}}
	if err := checkMoves(t.Context(), p); err != nil {
		t.Error(err)
	}
	for i := range step.Base {
		step.Base[i].Chunks = collective.Every(0, 2, 4<<20)
	}
	if err := checkMoves(t.Context(), p); err == nil {
		t.Error("millions of chunks that differ are followed")
	}
}

// Chunks without symmetry are too many if few runs stand for many different ones. They are not
// if each run stands for some, because the plan itself is then as large, or if they are
// identical.
func TestChunksOfManyRunsAreNotTooMany(t *testing.T) {
	const runs, each, long = 1 << 21, 130, 1 << 20
	p := &plan.Plan{Collective: plan.Collective{Op: collective.AllGather, Space: collective.SpaceOf(collective.AllGather, 8, 2*long)}}
	p.Fabric.Nodes = 8
	many := make(collective.Chunks, runs)
	for i := range many {
		many[i] = collective.Run{First: i, Count: each, Stride: 1}
	}
	few := slices.Repeat(collective.Every(0, 1, long), runs*each/long)
	gaps := slices.Repeat(collective.Every(0, 2, long), runs*each/long)
	for _, c := range []struct {
		chunks collective.Chunks
		wrong  bool
	}{{many, false}, {few, false}, {gaps, true}} {
		p.Stages = []plan.Stage{{Steps: []plan.Step{{Index: 1, Base: []plan.Transfer{{Transfer: collective.Transfer{Src: 0, Dst: 1, Action: collective.Copy, Chunks: c.chunks}}}}}}}
		if got := c.chunks.Len(); got <= maxMoves {
			t.Fatalf("%d chunks say nothing", got)
		}
		if err := checkMoves(t.Context(), p); (err != nil) != c.wrong {
			t.Errorf("%d runs: %v, want wrong %t", len(c.chunks), err, c.wrong)
		}
	}
}

// An all-to-all of so many GPUs that events cannot distinguish its chunks is checked by the
// chunks that stand for their orbits, and errors in it are found.
func TestManyPairsAreFollowedByThoseThatStandForAll(t *testing.T) {
	const n = 46_349 // n*n is above maxChunksAtOnce
	p := &plan.Plan{Collective: plan.Collective{Op: collective.AllToAll, Space: collective.SpaceOf(collective.AllToAll, n, 1)}}
	p.Fabric.Nodes = n
	step := plan.Step{Group: topology.Rotations(n, 1)}
	for k := 1; k < n; k++ {
		step.Base = append(step.Base, plan.Transfer{Transfer: collective.Transfer{Src: 0, Dst: k, Action: collective.Copy, Chunks: collective.Single(k)}})
	}
	p.Stages = []plan.Stage{{Steps: []plan.Step{step}}}
	if r, err := runData(t.Context(), p, eventsAtOnce); err != nil || r != (dataReport{}) {
		t.Fatal(r, err)
	}
	p.Stages[0].Steps[0].Base = step.Base[1:]
	if r, err := runData(t.Context(), p, eventsAtOnce); err != nil || r.result == nil {
		t.Errorf("nothing is wrong without a transfer: %v, %v", r, err)
	}
}
