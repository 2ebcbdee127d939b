package verify

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// digitPlan carries out an operation digit by digit, on numbers with two digits: along random
// trees within the first digit, the same for all values of the second, and then within the
// second. For an allreduce the second may be an exchange.
func digitPlan(random *rand.Rand, op collective.Op, points [2]int, parts int) *plan.Plan {
	n := points[0] * points[1]
	p := &plan.Plan{Collective: plan.Collective{Op: op, Space: collective.SpaceOf(op, n, parts)}}
	p.Fabric.Nodes = n
	weight := [2]int{points[1], 1}
	step := func(digit int, base []plan.Transfer) {
		group := topology.Translations{Dims: points[:], Stride: []int{1, 1}}
		group.Stride[digit] = points[digit]
		p.Stages = append(p.Stages, plan.Stage{Steps: []plan.Step{{Group: group, Base: base}}})
	}
	send := func(digit, src, dst, shard int, action collective.Action) plan.Transfer {
		chunks := collective.Every(shard*parts, 1, parts)
		if digit == 0 {
			chunks = collective.Every(shard*points[1]*parts, 1, points[1]*parts)
		}
		return plan.Transfer{Transfer: collective.Transfer{Src: src * weight[digit], Dst: dst * weight[digit], Action: action, Chunks: chunks}}
	}
	// trees makes one step after another. In each, every shard moves on along one edge.
	trees := func(digit int, action collective.Action) {
		edges := make([][][2]int, points[digit])
		for shard := range edges {
			order := random.Perm(points[digit])
			k := slices.Index(order, shard)
			order[0], order[k] = order[k], order[0]
			for i := 1; i < len(order); i++ {
				edges[shard] = append(edges[shard], [2]int{order[random.IntN(i)], order[i]})
			}
			if action == collective.Reduce {
				slices.Reverse(edges[shard])
			}
		}
		for i := range points[digit] - 1 {
			var base []plan.Transfer
			for shard := range edges {
				e := edges[shard][i]
				if action == collective.Reduce {
					e[0], e[1] = e[1], e[0]
				}
				base = append(base, send(digit, e[0], e[1], shard, action))
			}
			step(digit, base)
		}
	}
	exchange := func() {
		var base []plan.Transfer
		for shard := range points[1] {
			for src := range points[1] {
				for dst := range points[1] {
					if src != dst {
						base = append(base, send(1, src, dst, shard, collective.Reduce))
					}
				}
			}
		}
		step(1, base)
	}
	if op != collective.AllGather {
		trees(0, collective.Reduce)
		if op == collective.AllReduce && random.IntN(2) == 0 {
			exchange()
			trees(0, collective.Copy)
			return p
		}
		trees(1, collective.Reduce)
	}
	if op != collective.ReduceScatter {
		trees(1, collective.Copy)
		trees(0, collective.Copy)
	}
	return p
}

// spoil changes or removes a transfer of a plan.
func spoil(random *rand.Rand, p *plan.Plan) {
	step := &p.Stages[random.IntN(len(p.Stages))].Steps[0]
	k := random.IntN(len(step.Base))
	t := &step.Base[k]
	switch random.IntN(6) {
	case 0:
		if len(step.Base) > 1 {
			step.Base = slices.Delete(slices.Clone(step.Base), k, k+1)
		}
	case 1:
		t.Action = []collective.Action{collective.Copy, collective.Reduce, collective.Replace}[random.IntN(3)]
	case 2:
		t.Dst = (t.Src + 1 + random.IntN(p.Fabric.Nodes-1)) % p.Fabric.Nodes
	case 3:
		t.Chunks = collective.Single(random.IntN(p.Collective.Space.Chunks()))
	case 4:
		other := &p.Stages[random.IntN(len(p.Stages))].Steps[0]
		step.Base, other.Base, step.Group, other.Group = other.Base, step.Base, other.Group, step.Group
	case 5:
		t.Part = collective.Parts()[random.IntN(3)]
	}
}

// Phases prove plans that process one digit after the other, and none that running every chunk
// without symmetry shows to be wrong. If phases prove nothing, the intersection of the groups
// gives the same result.
func TestPhasesProveOnlyWhatEveryChunkShows(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	proven, wrong := 0, 0
	for trial := range 600 {
		op := []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter}[random.IntN(3)]
		p := digitPlan(random, op, [2]int{2 + random.IntN(4), 2 + random.IntN(4)}, 1+random.IntN(3))
		for range trial % 3 {
			spoil(random, p)
		}
		got, err := byPhases(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		shared, err := runData(t.Context(), p, eventsAtOnce)
		if err != nil {
			t.Fatal(err)
		}
		listed := *p
		listed.Stages = nil
		for _, stage := range p.Stages {
			step := stage.Steps[0]
			step.Unfold(p.Collective.Space)
			listed.Stages = append(listed.Stages, plan.Stage{Steps: []plan.Step{step}})
		}
		every, err := runData(t.Context(), &listed, eventsAtOnce)
		if err != nil {
			t.Fatal(err)
		}
		right := every == dataReport{}
		if right != (shared == dataReport{}) {
			t.Fatalf("trial %d: %+v one by one, %+v by what groups have in common", trial, every, shared)
		}
		switch {
		case got && !right:
			t.Fatalf("trial %d: %s is proven, but %+v", trial, op, every)
		case !got && trial%3 == 0:
			t.Fatalf("trial %d: %s is right, but not proven: %+v", trial, op, every)
		case got:
			proven++
		case !right:
			wrong++
		}
	}
	if proven < 200 || wrong < 100 {
		t.Errorf("%d were proven and %d wrong: too few to say much", proven, wrong)
	}
}

// A phase whose result is not invariant under the next group proves nothing.
func TestPhasesNeedWhatTheNextGroupKeeps(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	p := digitPlan(random, collective.AllGather, [2]int{3, 4}, 1)
	p.Stages = slices.Delete(p.Stages, 0, 1) // the second digit is not complete
	if proven, err := byPhases(t.Context(), p); proven || err != nil {
		t.Errorf("proven: %t, %v", proven, err)
	}
}
