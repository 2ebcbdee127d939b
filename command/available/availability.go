package available

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric/availability"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
)

// limits bound the states to examine.
var limits = availability.Limits{Missing: 3, Remainder: 1e-9, States: 1 << 14, Draws: 1 << 12}

// AssessAvailability computes how long a fabric works at full speed, at reduced speed and not at
// all: with and without its spares, and with and without plans that avoid what has failed.
func AssessAvailability(ctx context.Context, r AvailabilityRequest, options ...command.Option) (*Availability, error) {
	e := command.NewRun(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	s := &study{AvailabilityRequest: &r, e: e}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	s.speeds.time = operations(&r, s.machine, e)
	return s.answer(ctx)
}

// study is an assessment in progress.
type study struct {
	*AvailabilityRequest
	e       *command.Run
	machine *machine
	rates   []ranged // of the groups
	spares  []int    // per pool of each group
	speeds  *speeds
	strata  *availability.Strata
}

// ranged is a rate: best, likely and worst.
type ranged [3]availability.Rate

func rangeOf(failures parts.Quantity, repair parts.Quantity) ranged {
	often := failures.PerHour()
	return ranged{{PerHour: often.Low, Hours: repair.Low}, {PerHour: often.Likely, Hours: repair.Likely}, {PerHour: often.High, Hours: repair.High}}
}

func (r ranged) with(other ranged) ranged {
	for i := range r {
		r[i] = r[i].With(other[i])
	}
	return r
}

func (r ranged) times(count int) ranged {
	for i := range r {
		r[i] = r[i].Times(count)
	}
	return r
}

// prepare lists the places where something fails.
func (s *study) prepare() error {
	all, err := parts.With(s.Parts)
	if err != nil {
		return field.In("parts", err)
	}
	f := &s.Fabric
	p, err := plugged(f)
	if err != nil {
		return err
	}
	m := &machine{fabric: f, plug: p, active: f.Nodes - f.Spares.Islands*max(1, f.Island.Size), needed: s.NodesNeeded, shut: map[string][]int{}}
	s.machine = m
	if err := s.places(all); err != nil {
		return err
	}
	rooted := false
	for _, o := range s.For {
		rooted = rooted || o.Op.Rooted()
	}
	m.symmetry = newSymmetry(m, rooted)
	s.speeds = &speeds{machine: m, states: map[string]*state{}}
	return nil
}

// add adds a group of places.
func (s *study) add(name string, r ranged, spares int, pools [][][]thing) {
	if len(pools) == 0 || len(pools[0]) == 0 || r[worst].PerHour*r[worst].Hours == 0 {
		return
	}
	s.machine.group(name, pools)
	s.rates = append(s.rates, r)
	s.spares = append(s.spares, spares)
}

// places adds all groups.
func (s *study) places(all *parts.Catalogue) error {
	f, m := &s.Fabric, s.machine
	of, err := all.Failing(parts.Machine{Nodes: f.Nodes, Ports: f.Ports, Bandwidth: f.Bandwidth, Island: f.Island.Size, IslandBandwidth: f.Island.Bandwidth}, s.Technology)
	if err != nil {
		return field.In("parts", err)
	}
	var ports [][]thing
	onSwitch := make([][][]thing, m.plug.Switches())
	for u := range m.active {
		for port := range f.Ports {
			if k := m.plug.Switch(u, port); k >= 0 {
				here := []thing{{portLost, u, port, k, -1}}
				ports = append(ports, here)
				onSwitch[k] = append(onSwitch[k], here)
			}
		}
	}
	fibre := rangeOf(of.Fibre.Failures, of.Fibre.Repair)
	s.add("transceivers and fibres", rangeOf(of.Transceiver.Failures, of.Transceiver.Repair).with(fibre.times(2)), 0, [][][]thing{ports})
	if !of.Switch.PortFailures.IsZero() {
		bySize := map[int][][][]thing{}
		for _, pool := range onSwitch {
			bySize[len(pool)] = append(bySize[len(pool)], pool)
		}
		for _, size := range slices.Sorted(maps.Keys(bySize)) {
			s.add("ports of switches", rangeOf(of.Switch.PortFailures, of.Switch.Repair), f.Spares.Ports, bySize[size])
		}
	}
	var switches [][]thing
	for k := range onSwitch {
		switches = append(switches, []thing{{switchLost, -1, -1, k, -1}})
	}
	s.add("switches", rangeOf(of.Switch.Failures, of.Switch.Repair), s.SpareSwitches, [][][]thing{switches})
	s.gpus(of)
	if f.Island.Size > 1 {
		var ties [][]thing
		for i := range m.active / f.Island.Size {
			ties = append(ties, []thing{{islandLost, -1, -1, -1, i}})
		}
		s.add("islands", rangeOf(of.Island.Failures, of.Island.Repair).times(of.Ties), f.Spares.Islands, [][][]thing{ties})
	}
	return nil
}

// gpus adds network cards and GPUs. A card with all ports of its GPU takes the GPU with it.
func (s *study) gpus(of *parts.Failing) {
	f, m := &s.Fabric, s.machine
	var lost, cards [][]thing
	each := (f.Ports + of.Cards - 1) / of.Cards
	for u := range m.active {
		lost = append(lost, []thing{{gpuLost, u, -1, -1, -1}})
		for card := range of.Cards {
			var here []thing
			if of.Cards > f.Ports { // several cards make up a port
				here = s.port(u, card*f.Ports/of.Cards)
			}
			for port := card * each; of.Cards <= f.Ports && port < min(f.Ports, (card+1)*each); port++ {
				here = append(here, s.port(u, port)...)
			}
			if len(here) > 0 {
				cards = append(cards, here)
			}
		}
	}
	card, gpu := rangeOf(of.NIC.Failures, of.NIC.Repair), rangeOf(of.GPU.Failures, of.GPU.Repair)
	alone := of.Cards == 1 && f.Island.Size <= 1
	switch {
	case alone && s.GPUFailures:
		s.add("network cards and GPUs", card.with(gpu), f.Spares.Islands, [][][]thing{lost})
		return
	case alone:
		s.add("network cards", card, f.Spares.Islands, [][][]thing{lost})
		return
	}
	s.add("network cards", card, 0, [][][]thing{cards})
	if s.GPUFailures {
		s.add("GPUs", gpu, f.Spares.Islands, [][][]thing{lost})
	}
}

// port returns what is lost with a port, nothing if it is not plugged in.
func (s *study) port(u, port int) []thing {
	if k := s.machine.plug.Switch(u, port); k >= 0 {
		return []thing{{portLost, u, port, k, -1}}
	}
	return nil
}

// scenario returns the scenario of one setting of the rates, with or without spares.
func (s *study) scenario(end int, spares bool) availability.Scenario {
	c := availability.Scenario{Spares: make([]int, len(s.spares))}
	if spares {
		c.Spares = s.spares
	}
	for _, r := range s.rates {
		c.Rates = append(c.Rates, r[end])
	}
	return c
}

const best, likely, worst = 0, 1, 2

// answer plans states and summarizes the result.
func (s *study) answer(ctx context.Context) (*Availability, error) {
	whole, err := s.speeds.time(ctx, nil)
	if err != nil {
		return nil, err
	}
	s.speeds.whole = whole
	var scenarios []availability.Scenario
	for end := range 3 {
		scenarios = append(scenarios, s.scenario(end, false), s.scenario(end, true))
	}
	with := limits
	with.Seed = s.Seed
	s.strata = availability.Divide(s.machine.groups, scenarios, with, func(places []availability.Place) string {
		return s.speeds.see(s.machine.lost(places))
	})
	if err := s.plan(ctx); err != nil {
		return nil, s.e.Unfinished(ctx, err, func() (any, string) {
			return s.summary(), fmt.Sprintf("%d of at most %d states were planned", s.speeds.plans, s.Plans)
		})
	}
	return s.summary(), nil
}

// negligible is a share of time not worth a plan: half a minute a year.
const negligible = 1e-6

// plan plans the states that matter most, by the product of their probability and the
// uncertainty of their speed.
func (s *study) plan(ctx context.Context) error {
	spare, none := s.scenario(likely, true), s.scenario(likely, false)
	weights := s.strata.Weights(&none)
	for key, w := range s.strata.Weights(&spare) {
		weights[key] = max(weights[key], w)
	}
	for _, key := range slices.Sorted(maps.Keys(weights)) {
		if without := s.speeds.leaving(s.speeds.states[key]); without != "" {
			weights[without] = max(weights[without], weights[key])
		}
	}
	keys := slices.Sorted(maps.Keys(weights))
	for s.speeds.plans < s.Plans {
		s.speeds.settle()
		next, most := "", 0.0
		for _, key := range keys {
			x := s.speeds.states[key]
			if gain := weights[key] * (x.speed.High - x.speed.Low); !x.planned && gain > max(most, negligible) {
				next, most = key, gain
			}
		}
		if next == "" {
			break
		}
		s.e.Report(s.speeds.plans, s.Plans)
		if err := s.speeds.plan(ctx, s.speeds.states[next]); err != nil {
			return err
		}
	}
	s.speeds.settle()
	return nil
}

// summary assembles the answer.
func (s *study) summary() *Availability {
	s.speeds.settle()
	f := &s.Fabric
	a := &Availability{
		Schema: AvailabilitySchema, Fabric: *f, For: s.For, Technology: s.Technology, Layout: cmp.Or(f.Layout.String(), layout.Ideal),
		NodesNeeded: s.NodesNeeded, SpareSwitches: s.SpareSwitches, Seed: s.Seed, WholeNs: s.speeds.whole, Causes: []Cause{}, States: []PlannedState{}, Missing: s.strata.Missing,
		Kinds: len(s.speeds.states), Planned: s.speeds.plans,
	}
	replanned := func(key string) availability.Speed { return s.speeds.states[key].speed }
	stopped := func(key string) availability.Speed {
		if len(s.speeds.states[key].lost) > 0 {
			return availability.Speed{}
		}
		return availability.Speed{Low: 1, High: 1}
	}
	for _, spares := range []bool{false, true} {
		if spares && !slices.ContainsFunc(s.spares, func(k int) bool { return k > 0 }) {
			continue
		}
		for _, replanning := range []bool{false, true} {
			speed := stopped
			if replanning {
				speed = replanned
			}
			ends := [3]availability.Shares{}
			for end := range ends {
				scenario := s.scenario(end, spares)
				ends[end] = s.strata.Shares(&scenario, speed)
			}
			a.Cases = append(a.Cases, Case{Spares: spares, Replanning: replanning, Shares: ends[likely], Low: ends[worst], High: ends[best]})
		}
	}
	s.causes(a)
	spare := s.scenario(likely, true)
	weights := s.strata.Weights(&spare)
	for key, x := range s.speeds.states {
		if x.open() {
			a.Open++
		}
		if x.planned && len(x.lost) > 0 {
			a.States = append(a.States, PlannedState{Lost: list(x.lost), TotalNs: x.taken, Speed: x.speed.Low, Chance: weights[key]})
		}
	}
	slices.SortFunc(a.States, func(x, y PlannedState) int {
		return cmp.Or(-cmp.Compare(x.Chance, y.Chance), cmp.Compare(x.Lost, y.Lost))
	})
	a.States = a.States[:min(len(a.States), mostStates)]
	a.Answer = a.sentence()
	return a
}

// list writes what is lost.
func list(lost []thing) string {
	texts := each.Of(lost, thing.String)
	return strings.Join(texts, ",")
}

// mostStates is how many states the answer lists.
const mostStates = 100

// causes summarizes the groups.
func (s *study) causes(a *Availability) {
	for i, g := range s.machine.groups {
		r := s.rates[i][likely]
		c := Cause{
			Name: g.Name, Places: g.Places(), Spares: s.spares[i], Pools: g.Pools,
			PerYear: r.PerHour * parts.HoursPerYear * float64(g.Places()), RepairHours: r.Hours, SpeedLow: 1,
		}
		seen := map[string]bool{}
		for place := range g.Places() {
			key := s.machine.symmetry.key(s.machine.lost([]availability.Place{{Group: i, Number: place}}))
			if x := s.speeds.states[key]; x != nil && !seen[key] {
				seen[key] = true
				c.SpeedLow, c.SpeedHigh = min(c.SpeedLow, x.speed.Low), max(c.SpeedHigh, x.speed.High)
			}
		}
		alone := availability.Scenario{Spares: s.spares[i : i+1], Rates: []availability.Rate{r}}
		c.LostHours = (1 - availability.Whole(s.machine.groups[i:i+1], &alone)) * parts.HoursPerYear
		a.Causes = append(a.Causes, c)
	}
}

// sentence returns the answer in words.
func (a *Availability) sentence() string {
	c := a.Cases[len(a.Cases)-1]
	year := func(share float64) string { return perYear(share * parts.HoursPerYear) }
	text := fmt.Sprintf("The fabric is at full speed for %s of the time, slower for %s and down for %s",
		percent(c.Shares.Full), year(c.Shares.Reduced), year(c.Shares.Down))
	if c.Shares.Unknown > 1e-9 {
		text += fmt.Sprintf("; for another %s its state is not known", year(c.Shares.Unknown))
	}
	first := a.Cases[0]
	text += fmt.Sprintf(". On average it runs at %s of full speed", percent(c.Shares.SpeedLow))
	if len(a.Cases) > 1 {
		ways := "replanning"
		if c.Spares {
			ways = "spares and " + ways
		}
		text += fmt.Sprintf("; without %s, at %s", ways, percent(first.Shares.SpeedLow))
	}
	if len(a.Causes) == 0 {
		return text + ". No part ever fails."
	}
	worst := slices.MaxFunc(a.Causes, func(x, y Cause) int {
		return cmp.Compare(x.LostHours*(1-x.SpeedLow), y.LostHours*(1-y.SpeedLow))
	})
	return text + fmt.Sprintf(". Most of the loss is due to %s.", worst.Name)
}

// perYear formats hours of a year.
func perYear(hours float64) string {
	switch {
	case hours >= 1:
		return fmt.Sprintf("%.3g h a year", hours)
	case hours >= 1.0/60:
		return fmt.Sprintf("%.3g min a year", hours*60)
	}
	return fmt.Sprintf("%.2g s a year", hours*3600)
}

// percent formats a share with enough digits to show how far it is from 100%.
func percent(share float64) string {
	for digits := 2; digits < 9; digits++ {
		if text := fmt.Sprintf("%.*f%%", digits, 100*share); text != fmt.Sprintf("%.*f%%", digits, 100.0) || share == 1 {
			return text
		}
	}
	return "100%"
}
