package iteration

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

func (v *prover) ports(context.Context) (string, error) {
	var err error
	v.followed, err = v.follow(1)
	return "no port serves two at a time, none while it changes", err
}

func (v *prover) changes(context.Context) (string, error) {
	least := v.Fabric.Reconfig.Base.Time() + v.Fabric.Sync.Time()
	for i := range v.Changes {
		c := &v.Changes[i]
		if took := c.End - c.Start; math.IsNaN(float64(took)) || before(took, least) || before(least, took) {
			return "", fmt.Errorf("the change before %s takes %v, not %v", c.Before, took, least)
		}
	}
	within := v.within()
	return fmt.Sprintf("%s, each takes %v: %d between communications, %d within them", units.Count(len(v.Changes)+within, "reconfiguration"), least, len(v.Changes), within), nil
}

// within returns the number of changes within collectives.
func (v *prover) within() int {
	sum := 0
	for i := range v.nodes {
		if o := &v.Ops[v.op[i]]; o.Plan > 0 {
			sum += v.plan[o.Plan-1].Reconfigurations
		}
	}
	return sum
}

func (v *prover) steady(context.Context) (string, error) {
	if v.Fabric.Initial != fabric.InitialFree {
		if len(v.Up) > 0 {
			return "", fmt.Errorf("circuits %s are up before the iteration", v.Circuits[v.Up[0].Circuits-1].Name)
		}
		for i := range v.Changes {
			switch c := &v.Changes[i]; {
			case c.Start < 0:
				return "", fmt.Errorf("the change before %s begins before the iteration", c.Before)
			case c.Before == "":
				return "", fmt.Errorf("the change at %v is for no operation", c.Start)
			}
		}
		return "no circuits are up before the iteration", nil
	}
	_, err := v.follow(3)
	return "iterations can follow one another", err
}

// same reports an error if a value differs from the claim.
func same(what string, claimed, is units.Time) error {
	if math.IsNaN(float64(claimed)) || before(claimed, is) || before(is, claimed) {
		return fmt.Errorf("%s is %v, not %v", what, is, claimed)
	}
	return nil
}

// times checks how long the iteration takes: until its last operation has ended, every port has
// finished before it begins again, and circuits are out of use before they are set up.
func (v *prover) times(context.Context) (string, error) {
	least := units.Time(0)
	for i := range v.Ops {
		least = max(least, v.Ops[i].End)
	}
	if v.Fabric.Initial == fabric.InitialFree {
		var err error
		if least, err = v.closed(least); err != nil {
			return "", err
		}
	}
	if err := same("the time of the iteration", v.Iteration, least); err != nil {
		return "", err
	}
	_, compute := v.graph.Ends(workload.Free)
	if err := same("the longest chain of computations", v.Compute, compute); err != nil {
		return "", err
	}
	if err := same("what is exposed", v.Exposed, v.Iteration-compute); err != nil {
		return "", err
	}
	return fmt.Sprintf("%v", v.Iteration), nil
}

// closed returns the least time of an iteration for which every lane can repeat its uses and
// circuits are up in only one place at a time. It also checks what changes at its end claim.
func (v *prover) closed(least units.Time) (units.Time, error) {
	f := v.followed
	again := map[DocumentLane]bool{} // circuits are set up on it at the end
	for i := range v.Changes {
		c := &v.Changes[i]
		if c.Before != "" {
			continue
		}
		if c.Class != 0 || !slices.ContainsFunc(v.Up, func(s DocumentSeat) bool { return s.Circuits == c.Circuits && slices.Equal(s.Lanes, c.Lanes) }) {
			return 0, fmt.Errorf("the change at %v is for no operation, and sets nothing up that was up before the iteration", c.Start)
		}
		for _, l := range c.Lanes {
			if f.busy[l] > c.End {
				return 0, fmt.Errorf("the change at %v is for no operation, but port %d of class %d has one later", c.Start, l[2], l[0])
			}
			again[l] = true
		}
	}
	for _, l := range slices.SortedFunc(maps.Keys(f.busy), compareLanes) {
		end := f.busy[l]
		if until, used := f.open[l]; used && again[l] {
			end = until
		}
		least = max(least, end-f.first[l])
	}
	for circuits, start := range f.set {
		least = max(least, f.ended[circuits]-start)
	}
	open := least
	for i := range v.Changes {
		c := &v.Changes[i]
		if c.Before != "" {
			continue
		}
		whole := units.Time(0)
		for _, l := range c.Lanes {
			whole = max(whole, c.End-f.first[l])
		}
		least = max(least, whole)
		if err := same(fmt.Sprintf("what the change at %v adds to the iteration", c.Start), c.Exposed, max(0, whole-open)); err != nil {
			return 0, err
		}
	}
	return least, nil
}

func compareLanes(a, b DocumentLane) int { return slices.Compare(a[:], b[:]) }

// claims checks the claims about the whole iteration.
func (v *prover) claims(context.Context) (string, error) {
	bound := boundOf(NewProgram(v.graph), &v.Fabric)
	if err := same("the bound", v.Bound, bound); err != nil {
		return "", err
	}
	if before(v.Iteration, v.Bound) {
		return "", fmt.Errorf("the bound of %v is above the time of %v", v.Bound, v.Iteration)
	}
	if gap := v.Iteration.Over(v.Bound) - 1; !(math.Abs(gap-v.Gap) <= slack) {
		return "", fmt.Errorf("the gap is %v, not %v", gap, v.Gap)
	}
	hidden, within := 0, v.within()
	for i := range v.Changes {
		if v.Changes[i].Exposed <= 0 {
			hidden++
		}
	}
	if v.Reconfigurations != len(v.Changes)+within || v.Hidden != hidden {
		return "", fmt.Errorf("%d reconfigurations, %d hidden; there are %d and %d", v.Reconfigurations, v.Hidden, len(v.Changes)+within, hidden)
	}
	if err := v.shares(); err != nil {
		return "", err
	}
	if err := v.policy(within); err != nil {
		return "", err
	}
	return fmt.Sprintf("bound %v, gap %.1f%%, %d hidden, policy %s", v.Bound, 100*v.Gap, hidden, v.Policy), nil
}

// shares checks what is exposed by kind.
func (v *prover) shares() error {
	l, err := newLinkedDocument(v.Document, v.graph)
	if err != nil {
		return err
	}
	is := l.exposed(v.Exposed)
	for _, kind := range slices.Sorted(maps.Keys(v.ExposedByKind)) {
		if _, ok := is[kind]; !ok {
			return fmt.Errorf("nothing of %.40q is exposed", kind)
		}
	}
	return each.Try(slices.Sorted(maps.Keys(is)), func(kind string) error {
		return same("what is exposed of "+kind, v.ExposedByKind[kind], is[kind])
	})
}

// policy checks what the policy promises, and that baselines do not contradict it.
func (v *prover) policy(within int) error {
	if v.Policy != Best && !slices.Contains(Policies(), v.Policy) {
		return fmt.Errorf("there is no policy %.40q", v.Policy)
	}
	if v.Baselines == nil {
		return fmt.Errorf("the times of other policies are missing")
	}
	for _, policy := range slices.Sorted(maps.Keys(v.Baselines)) {
		time := v.Baselines[policy]
		switch {
		case !slices.Contains(Policies(), policy):
			return fmt.Errorf("there is no policy %.40q", policy)
		case math.IsNaN(float64(time)) || before(time, v.Bound):
			return fmt.Errorf("%v by policy %s is below the bound", time, policy)
		case v.Policy == Best && before(time, v.Iteration):
			return fmt.Errorf("the policy %s takes %v, less than the best", policy, time)
		}
	}
	if v.Policy == Best {
		return nil
	}
	if err := same("the time by policy "+v.Policy, v.Baselines[v.Policy], v.Iteration); err != nil {
		return err
	}
	switch {
	case v.Policy == Static && len(v.Changes) > 0:
		return fmt.Errorf("%s by policy %s", units.Count(len(v.Changes), "change"), Static)
	case v.Policy != Each && within > 0:
		return fmt.Errorf("%s within collectives by policy %s", units.Count(within, "change"), v.Policy)
	}
	for i := range v.nodes {
		o := &v.Ops[v.op[i]]
		switch {
		case v.Policy == One && o.Circuits > 0 && v.Circuits[o.Circuits-1].Jumps == nil:
			return fmt.Errorf("%s of class %d has circuits of its own by policy %s", o.ID, o.Class, One)
		case v.Policy != One && v.Policy != Each && o.Circuits > 0 && v.Circuits[o.Circuits-1].Jumps != nil:
			return fmt.Errorf("%s of class %d has shared circuits by policy %s", o.ID, o.Class, v.Policy)
		}
	}
	if v.Policy == Phases {
		return v.late()
	}
	return nil
}

// late checks that no change begins before the operation that needs it is ready.
func (v *prover) late() error {
	ready := map[[2]any]units.Time{}
	for i := range v.nodes {
		o, at := &v.Ops[v.op[i]], units.Time(0)
		at = each.Max(at, v.nodes[i].After, func(b int) units.Time { return v.Ops[v.op[b]].End })
		ready[[2]any{o.Class, o.ID}] = at
	}
	for i := range v.Changes {
		if c := &v.Changes[i]; c.Before != "" && before(c.Start, ready[[2]any{c.Class, c.Before}]) {
			return fmt.Errorf("the change before %s of class %d is ahead, by policy %s", c.Before, c.Class, Phases)
		}
	}
	return nil
}
