package parts

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/units"
)

// Failing has the parts of a fabric that fail, as on its bill.
type Failing struct {
	Switch, Transceiver, Fibre, NIC, GPU, Island Part

	Cards int // per GPU
	Ties  int // parts that join an island, 0: no islands
}

// Failing returns the parts of an optical fabric, as on its bill, with how often they fail.
func (c *Catalogue) Failing(m Machine, technology string) (*Failing, error) {
	of, err := c.Technology(technology)
	if err != nil {
		return nil, err
	}
	b := &Bill{}
	if err := c.transceivers(b, m.Bandwidth, m.Nodes*m.Ports); err != nil {
		return nil, err
	}
	c.fibres(b, 2*m.Nodes*m.Ports)
	if err := c.cards(b, m.Bandwidth, map[int]int{m.Ports: m.Nodes}); err != nil {
		return nil, err
	}
	f := &Failing{Switch: of}
	into := map[string]*Part{Transceivers: &f.Transceiver, Fibres: &f.Fibre, NICs: &f.NIC}
	names := map[string]string{Switches: technology}
	for _, l := range b.Lines {
		*into[l.Kind] = (*c.kind(l.Kind))[l.Part]
		names[l.Kind] = l.Part
	}
	f.Cards = Cards(f.NIC.Rate, m.Bandwidth, m.Ports)
	if m.Island > 1 {
		tie, err := c.Island(m.Island, m.IslandBandwidth)
		if err != nil {
			return nil, err
		}
		f.Island, f.Ties = c.Islands[tie.Part], tie.Each
		into[Islands], names[Islands] = &f.Island, tie.Part
	}
	for _, name := range slices.Sorted(maps.Keys(c.GPUs))[:min(1, len(c.GPUs))] {
		f.GPU = c.GPUs[name]
	}
	into[Switches] = &f.Switch
	for _, kind := range slices.Sorted(maps.Keys(names)) {
		if into[kind].Failures.IsZero() {
			return nil, silent(kind, names[kind])
		}
	}
	return f, nil
}

// Up returns the fraction of time in which every part of some lines of a bill works: at worst,
// probably and at best. It is all zero if some part does not say how often it fails. The ports
// of an optical switch that count are those with a transceiver.
func (c *Catalogue) Up(lines []Line) Range {
	logs := [3]float64{}
	ports := 0
	for _, l := range lines {
		if l.Kind == Transceivers {
			ports = l.Count
		}
	}
	add := func(failures, repair Quantity, count int) {
		often := failures.PerHour()
		for i, load := range []float64{often.High * repair.High, often.Likely * repair.Likely, often.Low * repair.Low} {
			logs[i] -= float64(count) * math.Log1p(load)
		}
	}
	for _, l := range lines {
		p := (*c.kind(l.Kind))[l.Part]
		if p.Failures.IsZero() {
			return Range{}
		}
		add(p.Failures, p.Repair, l.Count)
		if !p.PortFailures.IsZero() {
			add(p.PortFailures, p.Repair, ports)
		}
	}
	return Range{math.Exp(logs[0]), math.Exp(logs[1]), math.Exp(logs[2])}
}

// silent is the error for a part that does not say how often it fails.
func silent(kind, name string) error {
	return fmt.Errorf("%s.%s does not say how often it fails: failures and repair", kind, label(name))
}

// kind is the parts of a kind.
func (c *Catalogue) kind(name string) *map[string]Part {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	return kinds[i].in(c)
}

// Tie is what joins the GPUs of an island: a number of equal parts, with the ports paid for in
// each.
type Tie struct {
	Part        string
	Each, Ports int
}

// Island returns what joins the GPUs of an island of a size, each with a rate: the fewest parts
// and, among these, the cheapest. If a part has too few ports or is too slow, there are several
// of them.
func (c *Catalogue) Island(size int, rate units.Bandwidth) (Tie, error) {
	var best Tie
	price := 0.0
	for _, name := range slices.Sorted(maps.Keys(c.Islands)) {
		p := c.Islands[name]
		t := Tie{Part: name, Each: arithmetic.CeilDiv(size, p.Ports) * max(1, int(arithmetic.CeilDiv(rate, p.Rate))), Ports: min(size, p.Ports)}
		if each := p.Price.each(t.Ports).Likely; best.Part == "" || t.Each < best.Each || t.Each == best.Each && each < price {
			best, price = t, each
		}
	}
	if best.Part == "" {
		return Tie{}, fmt.Errorf("no islands in the catalogue")
	}
	return best, nil
}
