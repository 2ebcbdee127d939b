package mended

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
)

// standIn lets working GPUs do the part of failed ones, chunk by chunk: the GPUs of the same
// island, or the neighbours, take the chunks that a failed GPU passes on, in turn. Chunks that
// belong to a failed GPU are not sent.
//
// So a GPU may have two roles for a chunk: its own, and that of a GPU for which it stands in. If
// both roles pass on a sum, the GPU sends it once, when the later role does and to that role's
// target; if sums end at one of the roles, they end at the GPU. If both roles receive the chunk,
// the GPU takes the first copy. Every role sends a sum after everything has been added to it, so
// no sum is sent in a circle. The plan must send whole values, and no GPU may send the same sum
// twice.
func standIn(p *plan.Plan) error {
	s, err := newStandIns(p)
	if err != nil {
		return err
	}
	for i := range p.Stages {
		for j := range p.Stages[i].Steps {
			if err := s.note(&p.Stages[i].Steps[j]); err != nil {
				return err
			}
		}
	}
	s.settle()
	s.step = 0
	for i := range p.Stages {
		steps := slices.Clone(p.Stages[i].Steps)
		for j := range steps {
			if steps[j], err = s.rewrite(&steps[j]); err != nil {
				return err
			}
		}
		p.Stages[i].Steps = steps
	}
	p.Collective.Algorithm = "mended/" + p.Collective.Algorithm
	p.Collective.Space = s.space
	return nil
}

// standIns says which GPU has which role.
type standIns struct {
	plan   *plan.Plan
	old    collective.Space
	space  collective.Space
	rank   []int // by old rank of a member: its new rank; -1: it has failed
	failed map[int]*role
	roles  []*role // by GPU; nil unless it has failed or stands in for another
	step   int
	budget int // chunks that may still be examined one by one
}

// role is the part of a GPU, by chunk. Steps count from 1.
type role struct {
	hosts []int   // GPUs that stand in for it, if it has failed
	turn  int     // of the next host
	host  []int32 // by chunk: the host that stands in; -1: not chosen yet
	sends []int32 // the step that sends a sum; 0: none
	sums  []bool  // whether something is added
	gets  []int32 // the first step that gets a copy; 0: none
	gives []bool  // whether it sends copies

	// late is the role whose sum is sent, and first the role that takes a copy; none: no role.
	late, first []int32
}

const none = -1

func newStandIns(p *plan.Plan) (*standIns, error) {
	f := &p.Fabric
	s := &standIns{plan: p, old: p.Collective.Space, space: p.Collective.Space, failed: map[int]*role{}, roles: make([]*role, f.Nodes), budget: mostChunked}
	if s.old.Members == nil {
		s.space.Members = f.Alive()
	}
	count := 0
	for i := range s.old.MembersCount() {
		s.rank = append(s.rank, count)
		if f.Avoid.GPU(s.old.Member(i)) {
			s.rank[i] = none
		} else {
			count++
		}
	}
	chunks := s.old.Chunks()
	add := func(u int) *role {
		if s.roles[u] == nil {
			s.roles[u] = &role{sends: make([]int32, chunks), sums: make([]bool, chunks), gets: make([]int32, chunks), gives: make([]bool, chunks)}
		}
		return s.roles[u]
	}
	for _, d := range f.Avoid.GPUs() {
		hosts := s.hostsOf(d)
		if len(hosts) == 0 {
			return nil, fmt.Errorf("%w: no GPU is left", planner.ErrInfeasible)
		}
		if s.budget -= chunks * (1 + len(hosts)); s.budget < 0 {
			return nil, fmt.Errorf("%w: too many chunks to look at", planner.ErrInfeasible)
		}
		r := add(d)
		r.hosts, r.host = hosts, slices.Repeat([]int32{none}, chunks)
		s.failed[d] = r
		for _, h := range hosts {
			add(h)
		}
	}
	s.budget = mostChunked
	return s, nil
}

// hostsOf lists the GPUs that stand in for a failed one: for a root the new root, otherwise the
// GPUs of its island, its neighbours, or any GPU.
func (s *standIns) hostsOf(d int) []int {
	f := &s.plan.Fabric
	if s.plan.Collective.Op.Rooted() && d == s.old.Member(0) {
		return s.space.Members[:1]
	}
	var hosts []int
	add := func(v int) {
		if !f.Avoid.GPU(v) && !slices.Contains(hosts, v) {
			hosts = append(hosts, v)
		}
	}
	if size := f.Island.Size; size > 0 {
		for v := d - d%size; v < d-d%size+size; v++ {
			if f.InIsland(v) {
				add(v)
			}
		}
	}
	if len(hosts) > 0 {
		return hosts
	}
	if block := f.Fixed.Links.Block(); block != nil {
		to, _ := block.Row(d % block.Nodes())
		for _, v := range to {
			add(d - d%block.Nodes() + int(v))
		}
	}
	to, _ := s.plan.Stages[0].Topology.Row(d)
	for _, v := range to {
		add(int(v))
	}
	for u := 1; u < f.Nodes && len(hosts) == 0; u++ {
		add((d + u) % f.Nodes)
	}
	return hosts
}

// lives returns the new number of a chunk, and whether it still belongs to GPUs that take part.
func (s *standIns) lives(c int) (int, bool) {
	parts := s.old.Parts
	switch s.old.Kind {
	case collective.Whole:
		return c, true
	case collective.Pairs:
		n := s.old.MembersCount()
		from, to := s.rank[c/parts/n], s.rank[c/parts%n]
		return (from*s.space.MembersCount()+to)*parts + c%parts, from != none && to != none
	}
	at := s.rank[c/parts]
	return at*parts + c%parts, at != none
}

// of returns the GPU that plays the role of u for a chunk: u itself unless it has failed.
func (s *standIns) of(u, c int) int {
	r := s.failed[u]
	if r == nil {
		return u
	}
	if r.host[c] == none {
		r.host[c] = int32(r.hosts[r.turn%len(r.hosts)])
		r.turn++
	}
	return int(r.host[c])
}

// note records which roles send and get what in a step.
func (s *standIns) note(step *plan.Step) error {
	s.step++
	for i := range step.Base {
		if t := &step.Base[i]; t.Part != collective.WholePart || t.Action != collective.Copy && t.Action != collective.Reduce {
			return fmt.Errorf("%w: values are not whole", planner.ErrInfeasible)
		}
	}
	concerned := func(src, dst int) bool { return s.roles[src] != nil || s.roles[dst] != nil }
	for t := range step.Among(s.old, concerned) {
		from, to := s.roles[t.Src], s.roles[t.Dst]
		if s.budget -= t.Chunks.Len(); s.budget < 0 {
			return fmt.Errorf("%w: too many chunks to look at", planner.ErrInfeasible)
		}
		for c := range t.Chunks.All() {
			if from != nil {
				s.of(t.Src, c)
				switch {
				case t.Action == collective.Copy:
					from.gives[c] = true
				case from.sends[c] != 0:
					return fmt.Errorf("%w: a sum is sent twice", planner.ErrInfeasible)
				default:
					from.sends[c] = int32(s.step)
				}
			}
			if to != nil {
				s.of(t.Dst, c)
				switch {
				case t.Action == collective.Reduce:
					to.sums[c] = true
				case to.gets[c] == 0:
					to.gets[c] = int32(s.step)
				}
			}
		}
	}
	return nil
}

// settle decides, for every GPU with several roles, which role sends and which gets.
func (s *standIns) settle() {
	chunks := s.old.Chunks()
	for u, r := range s.roles {
		if r != nil {
			r.late, r.first = slices.Repeat([]int32{int32(u)}, chunks), slices.Repeat([]int32{int32(u)}, chunks)
		}
	}
	for _, d := range s.plan.Fabric.Avoid.GPUs() {
		other := s.failed[d]
		for c, h := range other.host {
			if h == none {
				continue
			}
			own := s.roles[h]
			if now := own.late[c]; now != none {
				switch r := s.roles[now]; {
				case r.sums[c] && r.sends[c] == 0 || other.sums[c] && other.sends[c] == 0:
					own.late[c] = none // sums end here
				case other.sends[c] > r.sends[c]:
					own.late[c] = int32(d)
				}
			}
			if now := own.first[c]; now != none {
				switch r := s.roles[now]; {
				case r.gives[c] && r.gets[c] == 0 || other.gives[c] && other.gets[c] == 0:
					own.first[c] = none // the GPU has the value already
				case other.gets[c] > 0 && (r.gets[c] == 0 || other.gets[c] < r.gets[c]):
					own.first[c] = int32(d)
				}
			}
		}
	}
}

// rewrite returns a step without failed GPUs.
func (s *standIns) rewrite(step *plan.Step) (plan.Step, error) {
	s.step++
	made := plan.Step{}
	changed := map[[3]int][]int{} // by source, target and action: chunks
	var order [][3]int
	for t := range step.All(s.old) {
		if s.roles[t.Src] == nil && s.roles[t.Dst] == nil {
			if t.Chunks = s.renumbered(t.Chunks); s.budget < 0 {
				return made, fmt.Errorf("%w: too many chunks to look at", planner.ErrInfeasible)
			}
			if len(t.Chunks) > 0 {
				made.Base = append(made.Base, t)
			}
			continue
		}
		var stay []int
		for c := range t.Chunks.All() {
			now, lives := s.lives(c)
			src, dst := s.of(t.Src, c), s.of(t.Dst, c)
			if !lives || src == dst || !s.keeps(&t, c, src, dst) {
				continue
			}
			if src == t.Src && dst == t.Dst {
				stay = append(stay, now)
				continue
			}
			key := [3]int{src, dst}
			if t.Action == collective.Reduce {
				key[2] = 1
			}
			if changed[key] == nil {
				order = append(order, key)
			}
			changed[key] = append(changed[key], now)
		}
		if len(stay) > 0 {
			t.Chunks = collective.Of(stay)
			made.Base = append(made.Base, t)
		}
	}
	for _, key := range order {
		ids := changed[key]
		slices.Sort(ids)
		action := collective.Copy
		if key[2] == 1 {
			action = collective.Reduce
		}
		made.Base = append(made.Base, plan.Transfer{Transfer: collective.Transfer{
			Src: key[0], Dst: key[1], Action: action, Chunks: collective.Of(slices.Compact(ids)),
		}})
	}
	return made, nil
}

// keeps reports whether a chunk is still sent between the GPUs that play the roles.
func (s *standIns) keeps(t *plan.Transfer, c, src, dst int) bool {
	if t.Action == collective.Reduce {
		r := s.roles[src]
		return r == nil || r.late[c] == int32(t.Src)
	}
	r := s.roles[dst]
	return r == nil || r.first[c] == int32(t.Dst)
}

// renumbered returns chunks with their new numbers, without those that are no longer sent.
func (s *standIns) renumbered(chunks collective.Chunks) collective.Chunks {
	if s.old.Kind == collective.Whole {
		return chunks
	}
	made := make(collective.Chunks, 0, len(chunks)) // the number of runs rarely changes
	for _, run := range chunks {
		last := run.First + (run.Count-1)*run.Stride
		from, fromLives := s.lives(run.First)
		to, toLives := s.lives(last)
		if s.old.Kind == collective.Blocks && fromLives && toLives && to-from == last-run.First {
			run.First = from
			made = append(made, run)
			continue
		}
		s.budget -= run.Count
		var ids []int
		for i := range run.Count {
			if now, lives := s.lives(run.First + i*run.Stride); lives {
				ids = append(ids, now)
			}
		}
		if len(ids) > 0 {
			made = append(made, collective.Of(ids)...)
		}
	}
	return made
}
