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

// ours says whose line items a row has.
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

// sum adds up what lines of some kinds cost and draw, likely.
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

// rails are the bills of GPUs in islands of 8 with one port of 400 Gbps: rails of packet switches
// that upper tiers join, and rails of optical switches of 320 ports.
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

// opusClaims are the ratios of rails of packet switches to rails of optical ones.
func opusClaims() []claim.Entry {
	const setting = "2048 GPUs in islands of 8 with one port of 400 Gbps: rails of packet switches over rails of optical switches"
	ratio := func(of func(electrical, optical *parts.Bill) float64) func(context.Context) (float64, error) {
		return func(context.Context) (float64, error) {
			e, o, err := rails(2048)
			if err != nil {
				return 0, err
			}
			return of(e, o), nil
		}
	}
	return []claim.Entry{
		{
			ID: "bills/opus/cost", Source: opus, Published: 4, Sense: claim.AtLeast, Recorded: claim.Matched, Why: ours,
			Quantity: "cost of switches, transceivers and fibres, " + setting,
			Ours: ratio(func(e, o *parts.Bill) float64 {
				x, _ := sum(e, parts.PacketSwitches, parts.Transceivers, parts.Fibres)
				y, _ := sum(o, parts.Switches, parts.Transceivers, parts.Fibres)
				return x / y
			}),
		},
		{
			ID: "bills/opus/power", Source: opus, Published: 23, Sense: claim.AtLeast, Recorded: claim.Differs,
			Why:      ours + "; the transceivers of GPUs, which both fabrics have, draw most of what the optical one draws. Without them it is far above 23, so the published ratio may count some other share of them",
			Quantity: "power of switches and all transceivers, " + setting,
			Best: &claim.Reading{Name: "without the transceivers of GPUs", Recorded: claim.Matched, Ours: ratio(func(e, o *parts.Bill) float64 {
				_, x := sum(e, parts.PacketSwitches, parts.Transceivers)
				_, all := sum(o, parts.Switches, parts.Transceivers)
				_, own := sum(o, parts.Switches)
				return (x - (all - own)) / own // transceivers of GPUs are the same in both
			})},
			Ours: ratio(func(e, o *parts.Bill) float64 {
				_, x := sum(e, parts.PacketSwitches, parts.Transceivers)
				_, y := sum(o, parts.Switches, parts.Transceivers)
				return x / y
			}),
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

// costs are those of a bill without network cards.
func costs(b *parts.Bill) parts.Range {
	var all parts.Range
	for _, l := range b.Lines {
		if l.Kind != parts.NICs {
			all = all.Plus(l.CostUSD)
		}
	}
	return all
}

// railxClaim compares the published price of RailX with a fat tree of our parts. The fat tree has
// the most GPUs that three tiers of 64 ports carry: what more GPUs need, per port, costs no less.
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

// mixnetClaims are the costs of fat trees over those of MixNet: a quarter of the ports of a server
// on a fat tree, the others on optical switches. Performance is published as comparable.
func mixnetClaims() []claim.Entry {
	entry := func(rate units.Bandwidth, least, most float64, recorded claim.Verdict, why string) claim.Entry {
		return claim.Entry{
			ID: fmt.Sprintf("bills/mixnet/%v", rate), Source: mixnet, Published: (least + most) / 2, Tolerance: (most - least) / 2, Recorded: recorded, Why: why,
			Reason:   fmt.Sprintf("published is a range of four models, %.1f to %.1f", least, most),
			Quantity: fmt.Sprintf("performance per dollar over a fat tree at %v: 1024 GPUs, 2 of 8 ports of a server on packet switches, 6 on optical ones; equal performance", rate),
			Ours: func(context.Context) (float64, error) {
				own, err := parts.Read("mixnet.yaml", mixnetPrices)
				if err != nil {
					return 0, err
				}
				c, err := parts.With(own)
				if err != nil {
					return 0, err
				}
				delete(c.PacketSwitches, "32x100G") // c is not shared
				whole, _, err := c.Electrical(parts.Machine{Nodes: 1024, Ports: 1, Bandwidth: rate}, parts.FatTree)
				if err != nil {
					return 0, err
				}
				quarter, _, err := c.Electrical(parts.Machine{Nodes: 256, Ports: 1, Bandwidth: rate}, parts.FatTree)
				if err != nil {
					return 0, err
				}
				m := parts.Machine{Nodes: 768, Ports: 1, Bandwidth: rate}
				p, err := layout.Places(3, 1).Plug(m.Nodes, m.Ports) // 256 ports on a switch
				if err != nil {
					return 0, err
				}
				rest, err := c.Optical(m, p, "calient", p.Radix())
				if err != nil {
					return 0, err
				}
				return whole.CostUSD.Likely / (quarter.CostUSD.Likely + rest.CostUSD.Likely), nil
			},
		}
	}
	const notes = "prices are those of the paper's table from notes; how ports are divided, the number of GPUs and the ports of packet switches (64) are assumed"
	return []claim.Entry{
		entry(100*units.Gbps, 1.2, 1.5, claim.Differs, notes+". With switches of 32 ports, the fat tree has a third tier and the ratio is above the range"),
		entry(400*units.Gbps, 1.9, 2.3, claim.Matched, notes),
	}
}

// tpuClaims are the shares of optics in a machine of 4096 chips.
func tpuClaims() []claim.Entry {
	const (
		cubes   = 64
		links   = 96 // of a cube: 6 faces of 4x4
		devices = 48
		chip    = 192.0 // W, from notes
		host    = 100.0 // W of a host for each chip, assumed
	)
	return []claim.Entry{
		{
			ID: "bills/tpu-v4/power", Source: tpu, Unit: "%", Published: 3, Sense: claim.AtMost, Recorded: claim.Differs,
			Why:      "the power of its parts is not published: transceivers of 400 Gbps and switches are those of parts.yaml, a chip draws 192 W (from notes) and a host 100 W for each of its chips (assumed). Transceivers draw nearly all of the share; Google's own may draw less",
			Quantity: "share of optical switches and transceivers in the power of 4096 chips: 48 switches of 136 ports, 64 cubes with 96 optical links each",
			Ours: func(context.Context) (float64, error) {
				c := parts.Standard()
				ocs, err := c.Technology("palomar")
				if err != nil {
					return 0, err
				}
				optics := devices*ocs.Power.Likely + cubes*links*c.Transceivers["400G-FR4"].Power.Likely
				return 100 * optics / (optics + 64*cubes*(chip+host)), nil
			},
		},
		{
			ID: "bills/tpu-v4/cost", Source: tpu, Unit: "%", Published: 5, Sense: claim.AtMost, Recorded: claim.NotCheckable,
			Why:      "neither the price of the machine nor that of its optics is published, and neither is sold",
			Quantity: "share of optical switches and what belongs to them in the cost of 4096 chips",
		},
	}
}
