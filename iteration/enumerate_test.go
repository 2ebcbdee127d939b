package iteration

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// chained is a random program of one class: a chain of computations and communications of some
// kinds, each over one or more ports, with circuits of its own or with those of its kind.
func chained(random *rand.Rand, jobs, kinds, lanes int) (*Program, *Repertoire) {
	p := &Program{Classes: []Class{{Ranks: []int{0, 1, 2, 3}}}}
	r := &Repertoire{Lines: LinesOf(1, lanes, true), Classes: 1, Shared: NoCircuits, Delay: units.Time(random.IntN(100))}
	for k := range kinds {
		kind := fmt.Sprint("kind ", k)
		p.Works = append(p.Works, Work{Kind: kind, Like: kind, Op: "allreduce", Size: 1, Classes: []int{0}, Groups: [][]int{{0, 1, 2, 3}}})
		var offers []Offer
		alone := units.Time(20 + random.IntN(100))
		for ports := 1; ports <= lanes; ports++ {
			c := len(r.Circuits)
			r.Circuits = append(r.Circuits, Circuits{Name: fmt.Sprint(kind, ports), Kind: kind, Claims: []Claim{{0, ports}}})
			offers = append(offers, Offer{First: c, Last: c, Time: 5 + alone/units.Time(ports), Ports: ports})
			r.Menus = append(r.Menus, Menu{Kind: kind, Circuits: []int{c}, Ports: ports})
		}
		r.Offers = append(r.Offers, offers)
	}
	for j := range jobs {
		var after []int
		if j > 0 {
			after = []int{2*j - 1}
		}
		p.Jobs = append(p.Jobs, Job{ID: fmt.Sprint("c", j), Compute: units.Time(random.IntN(80)), Work: Computes, After: after},
			Job{ID: fmt.Sprint("x", j), Work: random.IntN(kinds), After: []int{2 * j}})
	}
	r.finish()
	return p, r
}

// enumerated returns the least time of all courses of a chain: every offer of every job on all
// lanes, for every state in which an iteration can begin.
func enumerated(p *Program, r *Repertoire) units.Time {
	least := units.Time(math.Inf(1))
	states := map[string][][]Lane{"": make([][]Lane, len(r.Circuits))}
	done := map[string]bool{}
	for len(done) < len(states) {
		for key, initial := range states {
			if done[key] {
				continue
			}
			done[key] = true
			c := &Course{Initial: initial, Ahead: true}
			var from func(j int)
			from = func(j int) {
				if j == len(p.Jobs) {
					least = min(least, c.Time(p, r).Iteration)
					b := newOccupancy(r)
					replay(b, p, r, c)
					final := b.state()
					states[fmt.Sprint(final)] = slices.Clone(final)
					return
				}
				if p.Jobs[j].Work == Computes {
					from(j + 1)
					return
				}
				b := newOccupancy(r)
				replay(b, p, r, c)
				for k := range r.Offers[p.Jobs[j].Work] {
					o := &r.Offers[p.Jobs[j].Work][k]
					takes := [][]Lane{nil}
					if !b.up(o.First) {
						takes = choices(r.Circuits[o.First].Claims[0], r.Lines.Lanes(0))
					}
					for _, take := range takes {
						c.Moves = append(c.Moves, Move{Job: j, Offer: k, Take: take})
						from(j + 1)
						c.Moves = c.Moves[:len(c.Moves)-1]
					}
				}
			}
			from(0)
		}
	}
	return least
}

// replay brings lanes to the state after the moves of a course, ignoring times.
func replay(b *occupancy, p *Program, r *Repertoire, c *Course) {
	for i, lanes := range c.Initial {
		if lanes != nil {
			b.sit(i, lanes)
		}
	}
	for _, m := range c.Moves {
		b.do(&r.Offers[p.Jobs[m.Job].Work][m.Offer], m.Take, span{}, span{})
	}
}

// choices lists the ways to take lanes of a line.
func choices(c Claim, lanes int) [][]Lane {
	var list [][]Lane
	for set := range 1 << lanes {
		var take []Lane
		for i := range lanes {
			if set>>i&1 == 1 {
				take = append(take, Lane{c.Line, i})
			}
		}
		if len(take) == c.Lanes {
			list = append(list, take)
		}
	}
	return list
}

// TestFastestIsThatOfAllCourses: on chains of up to 5 communications, of 3 kinds on 2 ports,
// the result is the best of all courses, by enumeration.
func TestFastestIsThatOfAllCourses(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 4))
	for range samples.Draws(40, 100) {
		p, r := chained(random, 2+random.IntN(4), 1+random.IntN(3), 1+random.IntN(2))
		made, err := Fastest(t.Context(), p, r, Best)
		if err != nil {
			t.Fatal(err)
		}
		if least := enumerated(p, r); math.Abs(float64(made.Iteration/least)-1) > 1e-9 {
			t.Errorf("it takes %v, the best of all courses %v", made.Iteration, least)
		}
	}
}

// TestDispatchedTimeIsTheCourses: a dispatcher's time for its course is that of the course's
// own timetable, with all jobs as early as possible, also for an iteration that begins dark.
func TestDispatchedTimeIsTheCourses(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 5))
	for range 200 {
		p, r := chained(random, 2+random.IntN(12), 1+random.IntN(4), 1+random.IntN(3))
		r.Cold = random.IntN(4) == 0
		s := newSearch(p, r)
		for _, rule := range s.rules(8) {
			made, err := dispatch(t.Context(), p, r, rule, s.tails)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := made.course.run(p, r, &clock{}, nil, 0)
			if made.time != want.Iteration || made.changes != len(want.Changes) || made.time < made.course.length(p, r) {
				t.Fatalf("it says %v and %d changes, its timetable %v and %d", made.time, made.changes, want.Iteration, len(want.Changes))
			}
		}
	}
}
