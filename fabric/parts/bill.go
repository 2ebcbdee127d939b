package parts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/units"
)

// Line is a line of a bill: a number of equal parts.
type Line struct {
	Kind    string `json:"kind"`
	Part    string `json:"part"`
	Count   int    `json:"count"`
	CostUSD Range  `json:"cost_usd"`
	PowerW  Range  `json:"power_w"`
}

// String writes the count and the part.
func (l Line) String() string { return fmt.Sprintf("%dx%s", l.Count, l.Part) }

// Bill lists what a fabric is made of.
type Bill struct {
	Lines   []Line `json:"lines"`
	CostUSD Range  `json:"cost_usd"`
	PowerW  Range  `json:"power_w"`
}

// add adds a line; ports are the ports of a switch that are paid for.
func (b *Bill) add(kind, name string, p *Part, count, ports int) {
	l := Line{Kind: kind, Part: name, Count: count, CostUSD: p.Price.each(ports).Times(count), PowerW: p.Power.each(ports).Times(count)}
	b.Lines = append(b.Lines, l)
	b.CostUSD, b.PowerW = b.CostUSD.Plus(l.CostUSD), b.PowerW.Plus(l.PowerW)
}

// Count returns how many parts of a kind are on the bill.
func (b *Bill) Count(kind string) int {
	sum := 0
	for _, l := range b.Lines {
		if l.Kind == kind {
			sum += l.Count
		}
	}
	return sum
}

// Machine describes the GPUs: their number, the ports of each, and the rate of a port.
type Machine struct {
	Nodes, Ports int
	Bandwidth    units.Bandwidth
	// Island is how many GPUs share an electrical switch, 0 or 1 for none, and IslandBandwidth the
	// rate at which each sends there.
	Island          int
	IslandBandwidth units.Bandwidth
}

// Optical writes the bill of a fabric whose ports are plugged into optical switches of a
// technology. radix is the number of ports bought per switch, including spares; a technology
// that is sold by the piece is bought whole. Several switches of the layout share one that is
// bought whole if they fit on it. Every plugged-in port has a transceiver and two fibres;
// optical switches need none of their own.
func (c *Catalogue) Optical(m Machine, p *layout.Plugging, technology string, radix int) (*Bill, error) {
	of, err := c.Technology(technology)
	if err != nil {
		return nil, err
	}
	if radix > of.Ports {
		return nil, fmt.Errorf("switches of %d ports; %s has %d", radix, technology, of.Ports)
	}
	if p.Radix() > radix {
		return nil, fmt.Errorf("%d ports on one switch of %d", p.Radix(), radix)
	}
	b := &Bill{}
	count := p.Switches()
	if radix == of.Ports {
		each := radix / max(1, p.Radix())
		count = arithmetic.CeilDiv(count, each)
	}
	b.add(Switches, technology, &of, count, radix)
	plugged, cards := 0, map[int]int{}
	for u := range m.Nodes {
		ports := p.Plugged(u)
		plugged += ports
		cards[ports]++
	}
	if err := c.transceivers(b, m.Bandwidth, plugged); err != nil {
		return nil, err
	}
	c.fibres(b, p.Fibres())
	if err := c.islands(b, m); err != nil {
		return nil, err
	}
	return b, c.cards(b, m.Bandwidth, cards)
}

// islands adds what joins the GPUs of islands. The last island may be smaller, but costs as
// much as the others.
func (c *Catalogue) islands(b *Bill, m Machine) error {
	if m.Island <= 1 {
		return nil
	}
	tie, err := c.Island(m.Island, m.IslandBandwidth)
	if err != nil {
		return err
	}
	of := c.Islands[tie.Part]
	b.add(Islands, tie.Part, &of, arithmetic.CeilDiv(m.Nodes, m.Island)*tie.Each, tie.Ports)
	return nil
}

// transceivers adds the cheapest ones that are fast enough: a port is one fibre pair.
func (c *Catalogue) transceivers(b *Bill, rate units.Bandwidth, count int) error {
	name := suitable(c.Transceivers, rate)
	if name == "" {
		return fmt.Errorf("no transceiver of the catalogue sends %v", rate)
	}
	of := c.Transceivers[name]
	b.add(Transceivers, name, &of, count, 1)
	return nil
}

// suitable returns the cheapest part that is fast enough, "" if there is none.
func suitable(parts map[string]Part, rate units.Bandwidth) string {
	best := ""
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if p := parts[name]; p.Rate >= rate && (best == "" || p.Price.Likely < parts[best].Price.Likely) {
			best = name
		}
	}
	return best
}

// fibres adds the cheapest ones.
func (c *Catalogue) fibres(b *Bill, count int) {
	if name := suitable(c.Fibres, 0); name != "" {
		of := c.Fibres[name]
		b.add(Fibres, name, &of, count, 1)
	}
}

// cards adds network cards for GPUs, given the number of GPUs with each number of ports, of the
// kind that is cheapest for all of them. A fast card has several ports; a port may have several
// slow cards.
func (c *Catalogue) cards(b *Bill, rate units.Bandwidth, gpus map[int]int) error {
	best, fewest, price := "", 0, 0.0
	for _, name := range slices.Sorted(maps.Keys(c.NICs)) {
		p := c.NICs[name]
		count := 0
		for ports, n := range gpus {
			count += n * Cards(p.Rate, rate, ports)
		}
		if all := p.Price.Likely * float64(count); best == "" || all < price {
			best, fewest, price = name, count, all
		}
	}
	if best == "" {
		return fmt.Errorf("no network card in the catalogue")
	}
	of := c.NICs[best]
	b.add(NICs, best, &of, fewest, 1)
	return nil
}

// Cards returns the number of network cards of a rate that a GPU with the given ports needs.
func Cards(card, port units.Bandwidth, ports int) int {
	if each := int(card / port); each > 0 {
		return arithmetic.CeilDiv(ports, each)
	}
	return ports * int(arithmetic.CeilDiv(port, card))
}

// Stages is how many optical switches a link can pass in series: for certain (all losses high,
// the budget low), probably, and at best.
type Stages struct {
	Low    int `json:"low"`
	Likely int `json:"likely"`
	High   int `json:"high"`
}

// LossBudget is the optical budget of a link: what it may lose, and the losses of a switch and
// of a section of fibre.
type LossBudget struct {
	Transceiver string `json:"transceiver"`
	BudgetDB    Range  `json:"budget_db"`
	SwitchDB    Range  `json:"switch_db"`
	FibreDB     Range  `json:"fibre_db"`
	Stages      Stages `json:"stages"`
}

// mostStages is the answer if nothing is lost.
const mostStages = 1000

// rounding is how far off sums of decibels may be.
const rounding = 1e-9

// Light returns the loss budget of links between ports of a rate over switches of a technology.
// A link over k switches has k+1 sections of fibre.
func (c *Catalogue) Light(rate units.Bandwidth, technology string) (*LossBudget, error) {
	of, err := c.Technology(technology)
	if err != nil {
		return nil, err
	}
	name := suitable(c.Transceivers, rate)
	if name == "" {
		return nil, fmt.Errorf("no transceiver of the catalogue sends %v", rate)
	}
	l := &LossBudget{Transceiver: name, BudgetDB: c.Transceivers[name].Budget.Range, SwitchDB: of.Loss.Range}
	if fibre := suitable(c.Fibres, 0); fibre != "" {
		l.FibreDB = c.Fibres[fibre].Loss.Range
	}
	l.Stages = Stages{
		Low:    stages(l.BudgetDB.Low, l.SwitchDB.High, l.FibreDB.High),
		Likely: stages(l.BudgetDB.Likely, l.SwitchDB.Likely, l.FibreDB.Likely),
		High:   stages(l.BudgetDB.High, l.SwitchDB.Low, l.FibreDB.Low),
	}
	return l, nil
}

// stages returns the largest k with k switches and k+1 fibres within a budget.
func stages(budget, each, fibre float64) int {
	if budget-fibre < -rounding {
		return 0
	}
	if each+fibre <= 0 {
		return mostStages
	}
	return int(min(mostStages, max(0, (budget-fibre)/(each+fibre)+rounding)))
}

// packetSwitch returns the switch with the cheapest ports of a rate, by the likely price of a
// port.
func (c *Catalogue) packetSwitch(rate units.Bandwidth) (string, error) {
	best, price := "", 0.0
	for _, name := range slices.Sorted(maps.Keys(c.PacketSwitches)) {
		p := c.PacketSwitches[name]
		if each := p.Price.each(p.Ports).Likely / float64(p.Ports); p.Rate >= rate && (best == "" || each < price) {
			best, price = name, each
		}
	}
	if best == "" {
		return "", fmt.Errorf("no packet switch of the catalogue has ports of %v", rate)
	}
	return best, nil
}

// Electrical writes the bill of a packet fabric of trees laid out by plan. It has one network
// for each port of a GPU, or for several of them, whichever is cheapest. Links between switches
// and to GPUs have a transceiver at both ends and two fibres.
func (c *Catalogue) Electrical(m Machine, plan func(endpoints, radix int) (Tree, error)) (*Bill, Tree, error) {
	name, err := c.packetSwitch(m.Bandwidth)
	if err != nil {
		return nil, Tree{}, err
	}
	var best *Bill
	var tree Tree
	for networks := m.Ports; networks >= 1; networks-- {
		if m.Ports%networks != 0 {
			continue
		}
		t, err := plan(m.Nodes*m.Ports/networks, c.PacketSwitches[name].Ports)
		if err != nil {
			if networks == m.Ports {
				return nil, Tree{}, err
			}
			continue // too large for so few
		}
		t = t.times(networks)
		b, err := c.packets(m, name, t)
		if err != nil {
			return nil, Tree{}, err
		}
		if best == nil || Cheaper(b, best) < 0 {
			best, tree = b, t
		}
	}
	return best, tree, nil
}

// packets writes the bill of trees of packet switches.
func (c *Catalogue) packets(m Machine, name string, t Tree) (*Bill, error) {
	of := c.PacketSwitches[name]
	b := &Bill{}
	b.add(PacketSwitches, name, &of, t.Switches(), of.Ports)
	if err := c.transceivers(b, m.Bandwidth, 2*t.Links); err != nil {
		return nil, err
	}
	c.fibres(b, 2*t.Links)
	if err := c.islands(b, m); err != nil {
		return nil, err
	}
	return b, c.cards(b, m.Bandwidth, map[int]int{m.Ports: m.Nodes})
}

// Cheaper orders bills by their likely cost, then by power.
func Cheaper(a, b *Bill) int {
	return cmp.Or(cmp.Compare(a.CostUSD.Likely, b.CostUSD.Likely), cmp.Compare(a.PowerW.Likely, b.PowerW.Likely))
}
