package iteration

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// A plan is compared with these policies.
const (
	Best        = "best"
	Static      = string(plan.Static) // ports are divided among the kinds once and for all
	Phases      = "phases"            // all ports go to the kind that communicates, at that time
	PhasesAhead = "phases-ahead"      // phases, with ports rewired as soon as they are free
	Each        = "each"              // every collective separately, from what is up
	One         = "one"               // one topology for all kinds
)

// Policies lists the policies that a plan is compared with.
func Policies() []string { return []string{Static, Phases, PhasesAhead, Each, One} }

// only returns, for every work, the offers that pass.
func (s *search) only(pass func(work int, o *Offer) bool) [][]int {
	allowed := make([][]int, len(s.program.Works))
	for w, offers := range s.of.Offers {
		for k := range offers {
			if (s.copies || !offers[k].Copy) && pass(w, &offers[k]) {
				allowed[w] = append(allowed[w], k)
			}
		}
	}
	return allowed
}

// stays reports whether an offer begins and ends with circuits of a set, or needs none.
func (o *Offer) stays(set []bool) bool {
	return o.First == NoCircuits || o.First == o.Last && o.Changes == 0 && set[o.First]
}

// phases gives all ports to the kind that communicates.
func (s *search) phases(policy string, ahead bool) *rule {
	set := make([]bool, len(s.of.Circuits))
	for _, kind := range s.kinds {
		most := each.Max(0, kind.menus, func(m *Menu) int { return m.Ports })
		var best *Menu
		least := units.Time(math.Inf(1))
		for _, m := range kind.menus {
			if time := kind.load(s, m); m.Ports == most && time < least {
				best, least = m, time
			}
		}
		if best != nil {
			for _, c := range best.Circuits {
				set[c] = true
			}
		}
	}
	return &rule{policy: policy, ahead: ahead, offers: s.only(func(_ int, o *Offer) bool { return o.stays(set) })}
}

// each uses the fastest plan of every work, with changes on the way.
func (s *search) each() *rule {
	fastest, widest := make([]units.Time, len(s.program.Works)), make([]int, len(s.program.Works))
	for w, offers := range s.of.Offers {
		fastest[w] = units.Time(math.Inf(1))
		for k := range offers {
			fastest[w], widest[w] = min(fastest[w], offers[k].Time), max(widest[w], offers[k].Ports)
		}
	}
	return &rule{policy: Each, ahead: true, offers: s.only(func(w int, o *Offer) bool {
		return o.Time <= fastest[w] || o.First == NoCircuits || o.Ports == widest[w]
	})}
}

// kindOf has the works of a kind.
type kindOf struct {
	works []int
	menus []*Menu
}

// load returns how long the jobs of a kind take one after another over the circuits of a menu;
// infinite if one of them cannot.
func (k *kindOf) load(s *search, m *Menu) units.Time {
	set := make([]bool, len(s.of.Circuits))
	for _, c := range m.Circuits {
		set[c] = true
	}
	sum := units.Time(0)
	for _, w := range k.works {
		least := units.Time(math.Inf(1))
		for i := range s.of.Offers[w] {
			if o := &s.of.Offers[w][i]; o.stays(set) {
				least = min(least, o.Time)
			}
		}
		sum += units.Time(s.times[w]) * least
	}
	return sum
}

// static returns the best course without any change: the ports are divided among the kinds.
// Among the menus of a kind that claim the same lanes, the one with the least load represents
// all.
func (s *search) static(ctx context.Context) (dispatched, error) {
	menus := make([][]*Menu, 0, len(s.kinds)) // by kind, of those that need circuits
	for _, k := range s.kinds {
		if list := k.distinct(s); len(list) > 0 {
			menus = append(menus, list)
		}
	}
	var best dispatched
	var err error
	chosen := make([]*Menu, len(menus))
	tried := 0
	var divide func(k int, taken []int)
	divide = func(k int, taken []int) {
		if err != nil || tried >= maxDivisions {
			return
		}
		if k < len(menus) {
			for _, m := range menus[k] {
				if next := slices.Clone(taken); s.fit(m, next) {
					chosen[k] = m
					divide(k+1, next)
				}
			}
			return
		}
		if s.widens(menus, chosen, taken) {
			return
		}
		tried++
		set := make([]bool, len(s.of.Circuits))
		for _, m := range chosen {
			for _, c := range m.Circuits {
				set[c] = true
			}
		}
		var made dispatched
		made, err = dispatch(ctx, s.program, s.of, &rule{policy: Static, ahead: true, offers: s.only(func(_ int, o *Offer) bool { return o.stays(set) })}, s.tails)
		if made.course == nil || err != nil {
			return
		}
		if made.changes == 0 && (best.course == nil || made.time < best.time) {
			best = made
		}
	}
	divide(0, make([]int, s.of.Lines.Count()))
	return best, err
}

// maxDivisions limits the divisions of ports that are tried. Six kinds can share 8 ports in 1
// 287 ways.
const maxDivisions = 2000

// distinct returns the menus of a kind, one for each set of claims.
func (k *kindOf) distinct(s *search) []*Menu {
	var list []*Menu
	var loads []units.Time
	for _, m := range k.menus {
		load := k.load(s, m)
		if math.IsInf(float64(load), 1) {
			continue
		}
		same := slices.IndexFunc(list, func(o *Menu) bool { return slices.Equal(s.claims(o), s.claims(m)) })
		switch {
		case same < 0:
			list, loads = append(list, m), append(loads, load)
		case load < loads[same]:
			list[same], loads[same] = m, load
		}
	}
	return list
}

// claims returns how many lanes of each line a menu takes.
func (s *search) claims(m *Menu) []int {
	taken := make([]int, s.of.Lines.Count())
	for _, c := range m.Circuits {
		for _, claim := range s.of.Circuits[c].Claims {
			taken[claim.Line] += claim.Lanes
		}
	}
	return taken
}

// fit adds the lanes of a menu to those taken, and reports whether there are enough.
func (s *search) fit(m *Menu, taken []int) bool {
	for i, n := range s.claims(m) {
		if taken[i] += n; taken[i] > s.of.Lines.Lanes(i) {
			return false
		}
	}
	return true
}

// widens reports whether one kind could take more of the same from what the others leave: then
// there is a better division.
func (s *search) widens(menus [][]*Menu, chosen []*Menu, taken []int) bool {
	for k := range menus {
		mine := s.claims(chosen[k])
		for _, m := range menus[k] {
			more, fits := s.claims(m), true
			larger := false
			for i := range more {
				fits = fits && more[i] >= mine[i] && taken[i]-mine[i]+more[i] <= s.of.Lines.Lanes(i)
				larger = larger || more[i] > mine[i]
			}
			if fits && larger && s.kindLoad(menus, k, m) <= s.kindLoad(menus, k, chosen[k]) {
				return true
			}
		}
	}
	return false
}

func (s *search) kindLoad(menus [][]*Menu, k int, m *Menu) units.Time {
	for _, kind := range s.kinds {
		if slices.Contains(kind.menus, m) {
			return kind.load(s, m)
		}
	}
	return 0
}

// menus lists, for every kind and number of ports, circuits over which all of its works can be
// carried out: none if islands and fixed links suffice, circuits of its own, or rings for
// sends. Sends in both directions may share a ring, which takes one port, or have one each.
func (m *repertory) menus() {
	s := newSearch(m.program, m.Repertoire)
	for _, k := range s.kinds {
		kind := m.program.Works[k.works[0]].Like
		for ports := 0; ports <= m.fabric.Ports; ports++ {
			m.menu(s, k, Menu{Kind: kind, Ports: ports}, func(o *Offer) bool { return o.Ports <= ports && !m.onRing(o) })
		}
		for _, rings := range [][]int{{1, -1}, {1}, {-1}} {
			m.menu(s, k, Menu{Kind: kind, Ports: 1}, func(o *Offer) bool {
				return o.Ports <= 1 && (o.First == NoCircuits || m.Circuits[o.First].Graph != nil || slices.Contains(rings, m.Circuits[o.First].Ring))
			})
		}
	}
}

// onRing reports whether an offer uses a ring.
func (m *repertory) onRing(o *Offer) bool {
	return o.First != NoCircuits && m.Circuits[o.First].Ring != 0
}

// menu adds a menu with the best circuits for the works of each set of classes.
func (m *repertory) menu(s *search, k *kindOf, menu Menu, pass func(o *Offer) bool) {
	done := map[string]bool{}
	for _, w := range k.works {
		of := fmt.Sprint(m.program.Works[w].Classes, m.program.Works[w].IsSend())
		if done[of] {
			continue
		}
		done[of] = true
		same := &kindOf{}
		for _, other := range k.works {
			if fmt.Sprint(m.program.Works[other].Classes, m.program.Works[other].IsSend()) == of {
				same.works = append(same.works, other)
			}
		}
		best, found := NoCircuits, false
		var least units.Time
		for i := range m.Offers[w] {
			o := &m.Offers[w][i]
			if o.First != o.Last || o.Changes > 0 || !pass(o) {
				continue
			}
			only := &Menu{}
			if o.First != NoCircuits {
				only.Circuits = []int{o.First}
			}
			if load := same.load(s, only); !found || load < least {
				best, least, found = o.First, load, true
			}
		}
		if !found {
			return
		}
		if best != NoCircuits && !slices.Contains(menu.Circuits, best) {
			menu.Circuits = append(menu.Circuits, best)
		}
	}
	m.Menus = append(m.Menus, menu)
}
