package bills

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
)

//go:embed mixnet.yaml
var mixnetPrices []byte

const (
	opus   = "Photonic Rails in ML Datacenters with Opus, arXiv 2602.12521, abstract"
	railx  = "RailX, arXiv 2507.18889, abstract"
	mixnet = "MixNet, arXiv 2501.03905 (SIGCOMM 2025), abstract"
	tpu    = "TPU v4, arXiv 2304.01433 (ISCA 2023), abstract"
)

// ours says whose line items a row uses.
const ours = "the paper's line items are not in its abstract, and were not read: prices and powers are those of parts.yaml"

// Paper lists the comparisons.
func Paper() claim.Paper {
	p := claim.Paper{Name: "bills", Title: "Published comparisons of cost and power, from line items"}
	p.Entries = append(p.Entries, opusClaims()...)
	p.Entries = append(p.Entries, railxClaim())
	p.Entries = append(p.Entries, mixnetClaims()...)
	p.Entries = append(p.Entries, tpuClaims()...)
	p.Panels = []claim.Panel{opusPanel()}
	return p
}

// sum returns the likely cost and power of lines of some kinds.
func sum(b *parts.Bill, kinds ...string) (cost, power float64) {
	for _, l := range b.Lines {
		for _, k := range kinds {
			if l.Kind == k {
				cost += l.CostUSD.Likely
				power += l.PowerW.Likely
			}
		}
	}
	return cost, power
}

// rails returns the bills of GPUs in islands of 8 with one port of 400 Gbps: rails of packet
// switches joined by upper tiers, and rails of optical switches with 320 ports.
func rails(gpus int) (electrical, optical *parts.Bill, err error) {
	const island = 8
	m := parts.Machine{Nodes: gpus, Ports: 1, Bandwidth: 400 * units.Gbps}
	c := parts.Standard()
	if electrical, _, err = c.Electrical(m, parts.RailOptimised(island)); err != nil {
		return nil, nil, err
	}
	p, err := layout.Places(island, 1).Plug(m.Nodes, m.Ports)
	if err != nil {
		return nil, nil, err
	}
	optical, err = c.Optical(m, p, "calient", p.Radix())
	return electrical, optical, err
}

// draws is the power of rails of both kinds, in W.
type draws struct{ packets, optics, packetTransceivers, opticTransceivers float64 }

// ratio returns packets over optics if only a share of the GPUs' transceivers counts. The
// optical rails have no other transceivers, and both networks have the same ones.
func (d draws) ratio(share float64) float64 {
	left := (share - 1) * d.opticTransceivers
	return (d.packets + d.packetTransceivers + left) / (d.optics + d.opticTransceivers + left)
}

// shareAt returns the share at which the ratio has the given value.
func (d draws) shareAt(ratio float64) float64 {
	between := d.packets + d.packetTransceivers - d.opticTransceivers
	return (between - ratio*d.optics) / ((ratio - 1) * d.opticTransceivers)
}

// opusDraws returns the power of the rails of opusClaims.
func opusDraws() (draws, error) {
	e, o, err := rails(2048)
	if err != nil {
		return draws{}, err
	}
	var d draws
	_, d.packets = sum(e, parts.PacketSwitches)
	_, d.packetTransceivers = sum(e, parts.Transceivers)
	_, d.optics = sum(o, parts.Switches)
	_, d.opticTransceivers = sum(o, parts.Transceivers)
	return d, nil
}

// opusClaims are the ratios of rails of packet switches to rails of optical ones.
func opusClaims() []claim.Entry {
	const setting = "2048 GPUs in islands of 8 with one port of 400 Gbps: rails of packet switches over rails of optical switches"
	const published = 23.0
	power := func(share float64) func(context.Context) (float64, error) {
		return func(context.Context) (float64, error) {
			d, err := opusDraws()
			if err != nil {
				return 0, err
			}
			return d.ratio(share), nil
		}
	}
	return []claim.Entry{
		{
			ID: "bills/opus/cost", Source: opus, Published: 4, Sense: claim.AtLeast, Recorded: claim.Matched, Why: ours,
			Quantity: "cost of switches, transceivers and fibres, " + setting,
			Ours: func(context.Context) (float64, error) {
				e, o, err := rails(2048)
				if err != nil {
					return 0, err
				}
				x, _ := sum(e, parts.PacketSwitches, parts.Transceivers, parts.Fibres)
				y, _ := sum(o, parts.Switches, parts.Transceivers, parts.Fibres)
				return x / y, nil
			},
		},
		{
			ID: "bills/opus/power", Source: opus, Published: published, Sense: claim.AtLeast, Recorded: claim.Differs,
			Why:      ours + "; the transceivers of GPUs, which both fabrics have, draw most of what the optical one draws. Without them it is far above 23, so the published ratio may count some other share of them",
			Quantity: "power of switches and all transceivers, " + setting,
			Best:     &claim.Reading{Name: "without the transceivers of GPUs", Recorded: claim.Matched, Ours: power(0)},
			Ours:     power(1),
			Parts: func(context.Context) ([]claim.Part, error) {
				d, err := opusDraws()
				return []claim.Part{
					{Name: "packet switches", Value: d.packets, Unit: "W"},
					{Name: "transceivers of rails of packet switches", Value: d.packetTransceivers, Unit: "W"},
					{Name: "optical switches", Value: d.optics, Unit: "W"},
					{Name: "transceivers of rails of optical switches, all at GPUs", Value: d.opticTransceivers, Unit: "W"},
					{Name: "ratio with all transceivers", Value: d.ratio(1), Unit: "times"},
					{Name: "with half of those at GPUs, in both fabrics", Value: d.ratio(0.5), Unit: "times"},
					{Name: "with none of those at GPUs", Value: d.ratio(0), Unit: "times"},
					{Name: fmt.Sprintf("share of those at GPUs with which it is %v", published), Value: 100 * d.shareAt(published), Unit: "%"},
				}, err
			},
		},
	}
}

// opusPanel draws how much cheaper rails of optical switches are, with the ranges of prices.
func opusPanel() claim.Panel {
	return claim.Panel{
		ID: "bills/better/opus", Source: opus, Better: true,
		About: "How many times cheaper rails of optical switches are than rails of packet switches, for GPUs in islands of 8 with one port of 400 Gbps. Prices are those of parts.yaml; at the ends, all of one fabric are high and all of the other low. Network cards are left out.",
		Draw: func(context.Context, claim.Best) ([]claim.Drawing, error) {
			l := &chart.Lines{
				Caption: chart.Caption{Title: "Rails of packet switches over rails of optical switches", Subtitle: "islands of 8, one port of 400 Gbps", Source: "bills of line items"},
				X:       chart.Axis{Label: "GPUs", Unit: chart.Number, Log: true}, Y: chart.Axis{Label: "times cheaper", Unit: chart.Number},
				Lines: []chart.Line{{Name: "prices as likely"}, {Name: "optical cheap, packets dear", Dashed: true}, {Name: "optical dear, packets cheap", Dashed: true}, {Name: "published"}},
			}
			for gpus := 64; gpus <= 2048; gpus *= 2 {
				e, o, err := rails(gpus)
				if err != nil {
					return nil, err
				}
				x, y := costs(e), costs(o)
				for i, v := range []float64{x.Likely / y.Likely, x.High / y.Low, x.Low / y.High, 4} {
					l.Lines[i].X, l.Lines[i].Y = append(l.Lines[i].X, float64(gpus)), append(l.Lines[i].Y, v)
				}
			}
			return []claim.Drawing{{Chart: l}}, nil
		},
	}
}

// costs returns the cost of a bill without network cards.
func costs(b *parts.Bill) parts.Range {
	var all parts.Range
	for _, l := range b.Lines {
		if l.Kind != parts.NICs {
			all = all.Plus(l.CostUSD)
		}
	}
	return all
}

// railxClaim compares the published price of RailX with a fat tree of our parts. The fat tree
// has the most GPUs that three tiers of 64 ports carry; more GPUs would not cost less per port.
func railxClaim() claim.Entry {
	const (
		price = 1.3e9 // USD for all chips, published
		chips = 200_000
		ports = 9 // of 800 Gbps: 1.8 TB/s, taken as both directions together
	)
	return claim.Entry{
		ID: "bills/railx/injection", Source: railx, Unit: "%", Published: 10, Sense: claim.AtMost, Recorded: claim.Matched,
		Why:      "what RailX costs is its own published sum; " + ours + ". 1.8 TB/s is taken as both directions together; as one direction, the share is half of that",
		Quantity: "cost of RailX per injection bandwidth (1.3 billion USD for 200 000 chips of 1.8 TB/s) over a fat tree of three tiers",
		Ours: func(context.Context) (float64, error) {
			m := parts.Machine{Nodes: 64 * 64 * 64 / 4, Ports: 1, Bandwidth: 800 * units.Gbps}
			b, tree, err := parts.Standard().Electrical(m, parts.FatTree)
			if err != nil {
				return 0, err
			}
			if tree.Tiers != 3 {
				return 0, fmt.Errorf("a fat tree of %d tiers", tree.Tiers)
			}
			cost, _ := sum(b, parts.PacketSwitches, parts.Transceivers, parts.Fibres)
			each := cost / float64(m.Nodes)
			return 100 * price / chips / (ports * each), nil
		},
	}
}

// mixnetSetting is the part of the setting that the abstract of MixNet does not give.
type mixnetSetting struct {
	rate  units.Bandwidth
	ports int // of a packet switch
	tree  int // ports of a server's 8 on packet switches; the others are on optical ones
}

// bills returns the bills of a fat tree and of both networks of MixNet: 1024 GPUs with one port
// each.
func (s mixnetSetting) bills() (whole, part, rest *parts.Bill, err error) {
	own, err := parts.Read("mixnet.yaml", mixnetPrices)
	if err != nil {
		return nil, nil, nil, err
	}
	c, err := parts.With(own)
	if err != nil {
		return nil, nil, nil, err
	}
	delete(c.PacketSwitches, "32x100G") // c is not shared
	for name, p := range c.PacketSwitches {
		p.Ports = s.ports
		c.PacketSwitches[name] = p
	}
	const gpus = 1024
	on := gpus / 8 * s.tree
	if whole, _, err = c.Electrical(parts.Machine{Nodes: gpus, Ports: 1, Bandwidth: s.rate}, parts.FatTree); err != nil {
		return nil, nil, nil, err
	}
	if part, _, err = c.Electrical(parts.Machine{Nodes: on, Ports: 1, Bandwidth: s.rate}, parts.FatTree); err != nil {
		return nil, nil, nil, err
	}
	m := parts.Machine{Nodes: gpus - on, Ports: 1, Bandwidth: s.rate}
	p, err := layout.Places(m.Nodes/256, 1).Plug(m.Nodes, m.Ports) // 256 ports on a switch
	if err != nil {
		return nil, nil, nil, err
	}
	rest, err = c.Optical(m, p, "calient", p.Radix())
	return whole, part, rest, err
}

// ratio returns the cost of the fat tree over the cost of MixNet, without parts of some kinds.
func (s mixnetSetting) ratio(without ...string) (float64, error) {
	whole, part, rest, err := s.bills()
	if err != nil {
		return 0, err
	}
	cost := func(b *parts.Bill) float64 {
		left, _ := sum(b, without...)
		return b.CostUSD.Likely - left
	}
	return cost(whole) / (cost(part) + cost(rest)), nil
}

// parts returns the line items of both, and the ratio in other settings.
func (s mixnetSetting) parts(context.Context) ([]claim.Part, error) {
	whole, part, rest, err := s.bills()
	if err != nil {
		return nil, err
	}
	var list []claim.Part
	for _, k := range []struct{ kind, name string }{
		{parts.PacketSwitches, "packet switches"}, {parts.Switches, "optical switches"}, {parts.Transceivers, "transceivers"}, {parts.Fibres, "fibres"}, {parts.NICs, "network cards"},
	} {
		tree, _ := sum(whole, k.kind)
		x, _ := sum(part, k.kind)
		y, _ := sum(rest, k.kind)
		if tree > 0 {
			list = append(list, claim.Part{Name: "fat tree: " + k.name, Value: tree, Unit: "USD"})
		}
		list = append(list, claim.Part{Name: "MixNet: " + k.name, Value: x + y, Unit: "USD"})
	}
	fewer := s
	fewer.ports = 32
	for _, c := range []struct {
		name    string
		setting mixnetSetting
		without []string
	}{
		{fmt.Sprintf("fat tree over MixNet, packet switches of %d ports", s.ports), s, nil},
		{"the same without network cards", s, []string{parts.NICs}},
		{fmt.Sprintf("packet switches of %d ports, network cards included", fewer.ports), fewer, nil},
	} {
		ratio, err := c.setting.ratio(c.without...)
		if err != nil {
			return nil, err
		}
		list = append(list, claim.Part{Name: c.name, Value: ratio, Unit: "times"})
	}
	return list, nil
}

// mixnetClaims are the costs of fat trees over those of MixNet: a quarter of the ports of a server
// on a fat tree, the others on optical switches. Performance is published as comparable.
func mixnetClaims() []claim.Entry {
	entry := func(rate units.Bandwidth, least, most float64, recorded claim.Verdict, why string) claim.Entry {
		s := mixnetSetting{rate: rate, ports: 64, tree: 2}
		return claim.Entry{
			ID: fmt.Sprintf("bills/mixnet/%v", rate), Source: mixnet, Published: (least + most) / 2, Tolerance: (most - least) / 2, Recorded: recorded, Why: why,
			Reason:   fmt.Sprintf("published is a range of four models, %.1f to %.1f", least, most),
			Quantity: fmt.Sprintf("performance per dollar over a fat tree at %v: 1024 GPUs, 2 of 8 ports of a server on packet switches, 6 on optical ones; equal performance", rate),
			Ours:     func(context.Context) (float64, error) { return s.ratio() },
			Parts:    s.parts,
		}
	}
	const notes = "prices are those of the paper's table from notes; how ports are divided, the number of GPUs and the ports of packet switches (64) are assumed"
	return []claim.Entry{
		entry(100*units.Gbps, 1.2, 1.5, claim.Differs, notes+". Network cards, the same in both, are nearly half of what MixNet costs: without them the ratio is within the range. With switches of 32 ports, the fat tree has a third tier and it is above the range"),
		entry(400*units.Gbps, 1.9, 2.3, claim.Matched, notes),
	}
}

// tpuDraws is the power of a machine of 4096 chips, in W.
type tpuDraws struct{ switches, transceivers, chips, hosts float64 }

// share returns the share of switches and transceivers, in percent.
func (d tpuDraws) share() float64 {
	optics := d.switches + d.transceivers
	return 100 * optics / (optics + d.chips + d.hosts)
}

// tpuClaims are the shares of optics in a machine of 4096 chips.
func tpuClaims() []claim.Entry {
	const (
		cubes     = 64
		links     = 96 // of a cube: 6 faces of 4x4
		devices   = 48
		chips     = 64 * cubes
		chip      = 192.0 // W, from notes
		host      = 100.0 // W of a host for each chip, assumed
		published = 3.0
	)
	draw := func() (d tpuDraws, least float64, err error) {
		c := parts.Standard()
		ocs, err := c.Technology("palomar")
		if err != nil {
			return tpuDraws{}, 0, err
		}
		transceiver := c.Transceivers["400G-FR4"].Power
		return tpuDraws{devices * ocs.Power.Likely, cubes * links * transceiver.Likely, chips * chip, chips * host}, cubes * links * transceiver.Low, nil
	}
	return []claim.Entry{
		{
			ID: "bills/tpu-v4/power", Source: tpu, Unit: "%", Published: published, Sense: claim.AtMost, Recorded: claim.Differs,
			Why:      "the power of its parts is not published: transceivers of 400 Gbps and switches are those of parts.yaml, a chip draws 192 W (from notes) and a host 100 W for each of its chips (assumed). Transceivers draw nearly all of the share; Google's own may draw less",
			Quantity: "share of optical switches and transceivers in the power of 4096 chips: 48 switches of 136 ports, 64 cubes with 96 optical links each",
			Ours: func(context.Context) (float64, error) {
				d, _, err := draw()
				if err != nil {
					return 0, err
				}
				return d.share(), nil
			},
			Parts: func(context.Context) ([]claim.Part, error) {
				d, least, err := draw()
				if err != nil {
					return nil, err
				}
				low, none, double := d, d, d
				low.transceivers, none.transceivers, double.hosts = least, 0, 2*d.hosts
				others := d.chips + d.hosts
				enough := published/(100-published)*others - d.switches // of all transceivers
				return []claim.Part{
					{Name: "optical switches", Value: d.switches, Unit: "W"},
					{Name: "transceivers", Value: d.transceivers, Unit: "W"},
					{Name: "chips", Value: d.chips, Unit: "W"},
					{Name: "hosts", Value: d.hosts, Unit: "W"},
					{Name: "share of switches and transceivers", Value: d.share(), Unit: "%"},
					{Name: "with transceivers at the low end of their range", Value: low.share(), Unit: "%"},
					{Name: "with hosts that draw twice as much", Value: double.share(), Unit: "%"},
					{Name: "of switches alone", Value: none.share(), Unit: "%"},
					{Name: "a transceiver, as assumed", Value: d.transceivers / (cubes * links), Unit: "W"},
					{Name: fmt.Sprintf("a transceiver with which the share is %v%%", published), Value: enough / (cubes * links), Unit: "W"},
				}, nil
			},
		},
		{
			ID: "bills/tpu-v4/cost", Source: tpu, Unit: "%", Published: 5, Sense: claim.AtMost, Recorded: claim.NotCheckable,
			Why:      "neither the price of the machine nor that of its optics is published, and neither is sold",
			Quantity: "share of optical switches and what belongs to them in the cost of 4096 chips",
		},
	}
}
