package parts

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/units"
)

//go:embed parts.yaml
var standard []byte

// Part is an item to buy. Properties that its kind does not have, or that are unknown, are
// zero.
type Part struct {
	About string `json:"about,omitempty"`
	// Like names a part of the same kind that provides the figures missing here.
	Like string `json:"like,omitempty"`
	// Ports is the number of ports of a switch, each for both directions.
	Ports int `json:"ports,omitempty"`
	// Rate is that of a port, a transceiver or a network card, per direction.
	Rate units.Bandwidth `json:"rate,omitzero"`
	// Switching is how long an optical switch takes to change circuits.
	Switching units.Duration `json:"switching,omitzero"`
	Price     Quantity       `json:"price,omitzero"`
	Power     Quantity       `json:"power,omitzero"`
	// Loss is the optical loss in a switch, or in one section of fibre with its connectors.
	Loss Quantity `json:"loss,omitzero"`
	// Budget is how much light may be lost between two transceivers.
	Budget Quantity `json:"budget,omitzero"`
	// Failures is how often a part fails, and Repair how long it then takes until it works again.
	// PortFailures is how often a single port of an optical switch fails while its other ports
	// work.
	Failures     Quantity `json:"failures,omitzero"`
	PortFailures Quantity `json:"port_failures,omitzero"`
	Repair       Quantity `json:"repair,omitzero"`
	Source       string   `json:"source,omitempty"`
	Date         string   `json:"date,omitempty"` // of the source: 2025, 2025-09 or 2025-09-08
}

// Catalogue has parts by kind and name.
type Catalogue struct {
	Switches       map[string]Part `json:"switches,omitempty"` // optical switches, by technology
	Transceivers   map[string]Part `json:"transceivers,omitempty"`
	NICs           map[string]Part `json:"nics,omitempty"`
	Fibres         map[string]Part `json:"fibres,omitempty"`
	PacketSwitches map[string]Part `json:"packet_switches,omitempty"`
	// Islands are the switches and cables of electrical islands; a port is for one GPU.
	Islands map[string]Part `json:"islands,omitempty"`
	GPUs    map[string]Part `json:"gpus,omitempty"` // how often they fail
}

// UnmarshalJSON reads the JSON form, whose names are those of the file. It does not check which
// properties parts must have: With does.
func (c *Catalogue) UnmarshalJSON(data []byte) error {
	type plain Catalogue
	return strict.Unmarshal(data, (*plain)(c))
}

// The kinds of parts, as files and messages name them.
const (
	Switches       = "switches"
	Transceivers   = "transceivers"
	NICs           = "nics"
	Fibres         = "fibres"
	PacketSwitches = "packet_switches"
	Islands        = "islands"
	GPUs           = "gpus"
)

// kind is a kind of parts, with the properties that they must have, and those that they may
// have.
type kind struct {
	name string
	in   func(c *Catalogue) *map[string]Part
	has  []string
	may  []string
}

// says reports whether parts of the kind may have a property.
func (k *kind) says(name string) bool {
	return slices.Contains(k.has, name) || slices.Contains(k.may, name)
}

// all lists the properties that parts of the kind may have.
func (k *kind) all() string { return strings.Join(append(slices.Clone(k.has), k.may...), ", ") }

// fails are the properties of parts that can fail.
var fails = []string{"failures", "repair"}

var kinds = []kind{
	{Switches, func(c *Catalogue) *map[string]Part { return &c.Switches }, []string{"ports", "switching", "price", "power", "loss"}, []string{"failures", "port_failures", "repair"}},
	{Transceivers, func(c *Catalogue) *map[string]Part { return &c.Transceivers }, []string{"rate", "price", "power", "budget"}, fails},
	{NICs, func(c *Catalogue) *map[string]Part { return &c.NICs }, []string{"rate", "price", "power"}, fails},
	{Fibres, func(c *Catalogue) *map[string]Part { return &c.Fibres }, []string{"price", "loss"}, fails},
	{PacketSwitches, func(c *Catalogue) *map[string]Part { return &c.PacketSwitches }, []string{"ports", "rate", "price", "power"}, fails},
	{Islands, func(c *Catalogue) *map[string]Part { return &c.Islands }, []string{"ports", "rate", "price", "power"}, fails},
	{GPUs, func(c *Catalogue) *map[string]Part { return &c.GPUs }, fails, nil},
}

// Standard is the catalogue of this package. It must not be changed.
var Standard = sync.OnceValue(func() *Catalogue {
	c, err := read("parts.yaml", standard, &Catalogue{})
	if err != nil {
		panic("parts: " + err.Error())
	}
	all, err := c.over(&Catalogue{})
	if err != nil {
		panic("parts: " + err.Error())
	}
	return all
})

// With returns the catalogue of this package extended by the user's parts: new parts are added,
// and properties of existing parts are replaced. nil adds nothing.
func With(own *Catalogue) (*Catalogue, error) {
	if own == nil {
		return Standard(), nil
	}
	return own.over(Standard())
}

// over lays parts over those of a complete catalogue.
func (c *Catalogue) over(base *Catalogue) (*Catalogue, error) {
	all := &Catalogue{}
	for _, k := range kinds {
		r := &resolving{kind: &k, own: *k.in(c), base: *k.in(base), done: map[string]Part{}}
		for name := range r.base {
			r.done[name] = r.base[name]
		}
		for _, name := range slices.Sorted(maps.Keys(r.own)) {
			delete(r.done, name)
		}
		for _, name := range slices.Sorted(maps.Keys(r.own)) {
			if _, err := r.part(name, nil); err != nil {
				return nil, err
			}
		}
		*k.in(all) = r.done
	}
	return all, nil
}

// resolving completes the parts of a kind.
type resolving struct {
	kind      *kind
	own, base map[string]Part
	done      map[string]Part
}

// part completes a part; under has the parts that refer to it by Like, from the first.
func (r *resolving) part(name string, under []string) (Part, error) {
	if p, ok := r.done[name]; ok {
		return p, nil
	}
	at := field.Join(r.kind.name, label(name))
	if slices.Contains(under, name) {
		circle := ""
		for _, n := range under {
			circle += label(n) + " is like "
		}
		return Part{}, field.Errorf(r.like(under), "a circle: %s%s", circle, label(name))
	}
	own, ok := r.own[name]
	if !ok {
		return Part{}, field.Errorf(r.like(under), "there is no %s among the %s", quoted(name), r.kind.name)
	}
	if name == "" {
		return Part{}, field.Errorf(r.kind.name, "a part without a name")
	}
	from := r.base[name]
	if own.Like != "" {
		like, err := r.part(own.Like, append(slices.Clone(under), name))
		if err != nil {
			return Part{}, err
		}
		from = like
		from.Like = own.Like
	}
	full := from.with(&own)
	if err := r.kind.check(&full); err != nil {
		return Part{}, field.In(at, err)
	}
	r.done[name] = full
	return full, nil
}

// like returns the place where the last of some parts says what it is like.
func (r *resolving) like(under []string) string {
	return field.Join(r.kind.name, label(under[len(under)-1])) + ".like"
}

// with returns a part with properties replaced by another's.
func (p Part) with(own *Part) Part {
	quantity := func(a, b Quantity) Quantity {
		if a.IsZero() {
			return b
		}
		return a
	}
	return Part{
		About: cmp.Or(own.About, p.About), Like: own.Like,
		Ports: cmp.Or(own.Ports, p.Ports), Rate: cmp.Or(own.Rate, p.Rate), Switching: cmp.Or(own.Switching, p.Switching),
		Price: quantity(own.Price, p.Price), Power: quantity(own.Power, p.Power),
		Loss: quantity(own.Loss, p.Loss), Budget: quantity(own.Budget, p.Budget),
		Failures: quantity(own.Failures, p.Failures), PortFailures: quantity(own.PortFailures, p.PortFailures), Repair: quantity(own.Repair, p.Repair),
		Source: cmp.Or(own.Source, p.Source), Date: cmp.Or(own.Date, p.Date),
	}
}

// mostPorts limits the ports of a switch.
const mostPorts = 1 << 20

// check reports properties that a part must have and lacks, or must not have.
func (k *kind) check(p *Part) error {
	for _, f := range figures {
		has := slices.Contains(k.has, f.name)
		switch said := f.said(p); {
		case has && !said:
			return field.Errorf(f.name, "missing; %s must have %s", k.name, strings.Join(k.has, ", "))
		case said && !k.says(f.name):
			return field.Errorf(f.name, "not one of what %s have: %s", k.name, k.all())
		}
	}
	if p.Ports != 0 && (p.Ports < 2 || p.Ports > mostPorts) {
		return field.Errorf("ports", "%d is not in 2..%d", p.Ports, mostPorts)
	}
	if p.Rate < 0 || p.Switching < 0 {
		return field.Errorf("rate", "a rate or a time below 0")
	}
	for _, q := range p.quantities() {
		units := q.units
		if len(units) > 1 && units[0] != PerYear && !slices.Contains(k.has, "ports") {
			units = units[:1] // for what is sold by the piece
		}
		switch {
		case q.of.IsZero():
		case !slices.Contains(units, q.of.Unit):
			return field.Errorf(q.name, "%s: wrong unit; use %s", quoted(q.of.String()), list(units))
		case !(0 <= q.of.Low && q.of.Low <= q.of.Likely && q.of.Likely <= q.of.High && q.of.High <= mostNumber):
			return field.Errorf(q.name, "%s: want 0 <= low <= likely <= high", quoted(q.of.String()))
		}
	}
	switch {
	case !p.Failures.IsZero() && p.Repair.IsZero(), !p.PortFailures.IsZero() && p.Repair.IsZero():
		return field.Errorf("repair", "missing; a part that fails is repaired, such as after 4 h")
	case !p.Repair.IsZero() && p.Failures.IsZero():
		return field.Errorf("failures", "missing; say how often the part fails, such as 0.01 /year")
	}
	for _, q := range []measured{{name: "failures", of: &p.Failures}, {name: "port_failures", of: &p.PortFailures}} {
		if often := q.of.PerHour().High; often > mostOften {
			return field.Errorf(q.name, "%s: more often than once an hour", quoted(q.of.String()))
		}
	}
	if p.Repair.High > longestRepair {
		return field.Errorf("repair", "%s: more than %d years", quoted(p.Repair.String()), longestRepair/HoursPerYear)
	}
	return field.In("date", checkDate(p.Date))
}

// mostOften limits how often a part fails per hour, and longestRepair how long its repair
// takes, in hours.
const (
	mostOften     = 1
	longestRepair = 100 * HoursPerYear
)

// PerHour returns how often something fails per hour.
func (q Quantity) PerHour() Range {
	by := 1.0 / HoursPerYear
	if q.Unit == FIT {
		by = 1e-9
	}
	return Range{q.Low * by, q.Likely * by, q.High * by}
}

// figure is a property of parts of some kinds.
type figure struct {
	name string
	said func(p *Part) bool
	set  func(p *Part, text string) error
}

var figures = []figure{
	{"ports", func(p *Part) bool { return p.Ports != 0 }, setPorts},
	{"rate", func(p *Part) bool { return p.Rate != 0 }, func(p *Part, text string) (err error) {
		p.Rate, err = units.ParsePositiveBandwidth(text)
		return err
	}},
	{"switching", func(p *Part) bool { return p.Switching != 0 }, func(p *Part, text string) (err error) {
		p.Switching, err = units.ParsePositiveDuration(text)
		return err
	}},
	{"price", func(p *Part) bool { return !p.Price.IsZero() }, setQuantity(func(p *Part) *Quantity { return &p.Price })},
	{"power", func(p *Part) bool { return !p.Power.IsZero() }, setQuantity(func(p *Part) *Quantity { return &p.Power })},
	{"loss", func(p *Part) bool { return !p.Loss.IsZero() }, setQuantity(func(p *Part) *Quantity { return &p.Loss })},
	{"budget", func(p *Part) bool { return !p.Budget.IsZero() }, setQuantity(func(p *Part) *Quantity { return &p.Budget })},
	{"failures", func(p *Part) bool { return !p.Failures.IsZero() }, setQuantity(func(p *Part) *Quantity { return &p.Failures })},
	{"port_failures", func(p *Part) bool { return !p.PortFailures.IsZero() }, setQuantity(func(p *Part) *Quantity { return &p.PortFailures })},
	{"repair", func(p *Part) bool { return !p.Repair.IsZero() }, setQuantity(func(p *Part) *Quantity { return &p.Repair })},
}

func setQuantity(of func(p *Part) *Quantity) func(p *Part, text string) error {
	return func(p *Part, text string) error { return of(p).UnmarshalText([]byte(text)) }
}

// measured is a quantity of a part with the units that it may have, the unit by the piece
// first.
type measured struct {
	name  string
	of    *Quantity
	units []Unit
}

func (p *Part) quantities() []measured {
	return []measured{
		{"price", &p.Price, []Unit{Dollars, DollarsPerPort}},
		{"power", &p.Power, []Unit{Watts, WattsPerPort}},
		{"loss", &p.Loss, []Unit{Decibels}},
		{"budget", &p.Budget, []Unit{Decibels}},
		{"failures", &p.Failures, []Unit{PerYear, FIT}},
		{"port_failures", &p.PortFailures, []Unit{PerYear, FIT}},
		{"repair", &p.Repair, []Unit{Hours}},
	}
}

// each returns what one part costs or draws, counting the given number of ports.
func (q Quantity) each(ports int) Range {
	if q.Unit == DollarsPerPort || q.Unit == WattsPerPort {
		return q.Times(ports)
	}
	return q.Range
}

// Find returns the part of a kind with a name.
func (c *Catalogue) Find(of, name string) (Part, bool) {
	for _, k := range kinds {
		if k.name == of {
			p, ok := (*k.in(c))[name]
			return p, ok
		}
	}
	return Part{}, false
}

// Replacing returns the catalogue with one part of a kind replaced.
func (c *Catalogue) Replacing(of, name string, p Part) (*Catalogue, error) {
	all := *c
	for _, k := range kinds {
		if k.name == of {
			if err := k.check(&p); err != nil {
				return nil, field.In(field.Join(of, label(name)), err)
			}
			other := maps.Clone(*k.in(c))
			other[name] = p
			*k.in(&all) = other
			return &all, nil
		}
	}
	return nil, fmt.Errorf("there are no %s among parts", quoted(of))
}

// Technologies lists the optical switches by name, the slowest first.
func (c *Catalogue) Technologies() []string {
	return slices.SortedFunc(maps.Keys(c.Switches), func(a, b string) int {
		return cmp.Or(-cmp.Compare(c.Switches[a].Switching, c.Switches[b].Switching), cmp.Compare(a, b))
	})
}

// Technology returns an optical switch by name.
func (c *Catalogue) Technology(name string) (Part, error) {
	if p, ok := c.Switches[name]; ok {
		return p, nil
	}
	return Part{}, fmt.Errorf("unknown technology %s; use %s", quoted(name), strings.Join(c.Technologies(), ", "))
}

// Cheapest returns the technology with the lowest likely price per port that has at least the
// given ports and switches within a delay, "" if there is none.
func (c *Catalogue) Cheapest(ports int, within units.Duration) string {
	best, price := "", 0.0
	for _, name := range c.Technologies() {
		p := c.Switches[name]
		if p.Ports < ports || p.Switching > within {
			continue
		}
		if each := p.Price.each(ports).Likely; best == "" || each < price {
			best, price = name, each
		}
	}
	return best
}
