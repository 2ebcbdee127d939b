package retri

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// retriField returns the axes of Fig. 2 to 5: 1 KiB to 256 MiB, 1 us to 50 ms.
func retriField() claim.Field {
	f := claim.Field{Delays: claim.Decades(units.Microsecond, 50*units.Millisecond)}
	for size := units.KiB; size <= 256*units.MiB; size *= 4 {
		f.Sizes = append(f.Sizes, size)
	}
	return f
}

func retriPanels() []claim.Panel {
	const about = "400 Gbps, 1 us per hop, 1.7 us per phase, two two-way ports. The authors simulate packets, and so is done here beside the model. Static is the direct exchange over shortest paths that §4 states; the printed figures are those over ReTri without changes: see the convention of the claims."
	f := retriField()
	slow := f
	slow.Delays = append(slow.Delays, 100*units.Millisecond, 150*units.Millisecond)
	return []claim.Panel{
		{ID: "retri/fig2", Source: "ReTri, Fig. 2 and 3", About: about, Draw: retriPanel(81, 64, 1, f, true)},
		{ID: "retri/fig4", Source: "ReTri, Fig. 4", About: about, Draw: retriPanel(9, 8, 1, f, true)},
		{ID: "retri/fig5", Source: "ReTri, Fig. 5", About: about + " Times are divided by the number of GPUs.", Draw: retriPanel(243, 256, 243./256, slow, true)},
		{ID: "retri/better/alltoall", Source: "ReTri, Fig. 2", Better: true,
			About: "The axes of Fig. 2: our best plan on the same 81 GPUs chooses the algorithm, and the exchange's topologies, itself. No plan is below the bound, in this cost model.",
			Draw: scaleUp(81, "retri", 0).BetterPanel(claim.Rival{Planner: "harvest", Name: "ReTri"}, "All-to-all",
				"81 GPUs, 2 two-way ports at 400 Gbps, alpha 1.7 us, 1 us per hop", f.Every(3), 4*units.MiB)},
	}
}

// retriRow holds the times of one size: ReTri, mirrored Bruck with changes (Bridge), and the
// direct exchange on a static ring, in the model and packet by packet.
type retriRow struct {
	retri, bridge         *claim.PacketCurve
	direct, directPackets units.Time
}

func newRetriRow(ctx context.Context, nodes, bruck int, size units.Bytes, packets bool) (retriRow, error) {
	var r retriRow
	for _, c := range []struct {
		to   **claim.PacketCurve
		work claim.Work
	}{{&r.retri, scaleUp(nodes, "retri", size)}, {&r.bridge, scaleUp(bruck, "mirrored-bruck", size)}} {
		if !packets {
			plain, err := c.work.Curve(ctx)
			if err != nil {
				return r, err
			}
			*c.to = &claim.PacketCurve{Curve: *plain}
			continue
		}
		var err error
		if *c.to, err = c.work.PacketCurve(ctx); err != nil {
			return r, err
		}
	}
	p, err := scaleUp(bruck, "direct", size).Plan(ctx, "static")
	if err != nil {
		return r, err
	}
	r.direct = p.Cost.Total()
	if packets {
		r.directPackets, err = claim.SimulatedTime(ctx, p, sim.PacketLevel)
	}
	return r, err
}

// retriPanel draws the speed-ups of ReTri, with each algorithm at its own number of GPUs; each
// is the factor for the times of those on another number of GPUs.
func retriPanel(nodes, bruck int, each float64, f claim.Field, packets bool) func(context.Context, claim.Best) ([]claim.Drawing, error) {
	return func(ctx context.Context, _ claim.Best) ([]claim.Drawing, error) {
		rows := make([]retriRow, len(f.Sizes))
		for i, size := range f.Sizes {
			var err error
			if rows[i], err = newRetriRow(ctx, nodes, bruck, size, packets); err != nil {
				return nil, err
			}
		}
		ours := func(i, j int, packets bool) units.Time {
			if packets {
				best, _, _ := rows[i].retri.InPackets(f.Delays[j])
				return best
			}
			return rows[i].retri.At(f.Delays[j])
		}
		var drawings []claim.Drawing
		for _, rival := range []struct {
			part, over string
			of         func(i, j int, packets bool) units.Time
		}{
			{"static", fmt.Sprintf("direct exchange on a static ring of %d", bruck), func(i, _ int, packets bool) units.Time {
				if packets {
					return rows[i].directPackets
				}
				return rows[i].direct
			}},
			{"itself", fmt.Sprintf("ReTri without changes on %d", nodes), func(i, _ int, packets bool) units.Time {
				if packets {
					return rows[i].retri.PacketStatic / units.Time(each)
				}
				return rows[i].retri.Static / units.Time(each)
			}},
			{"bridge", fmt.Sprintf("Bridge on %d", bruck), func(i, j int, packets bool) units.Time {
				if packets {
					best, _, _ := rows[i].bridge.InPackets(f.Delays[j])
					return best
				}
				return rows[i].bridge.At(f.Delays[j])
			}},
		} {
			title := fmt.Sprintf("ReTri on %d GPUs: speed-up over %s", nodes, rival.over)
			for _, clock := range []bool{false, true} {
				if clock && !packets {
					continue
				}
				part, setting, source := "/model", claim.ByModel, "times of the model"
				if clock {
					part, setting, source = "/packets", claim.ByPackets, fmt.Sprintf("the same plans replayed in packets of %v", claim.PacketSize)
				}
				drawings = append(drawings, claim.Drawing{Part: rival.part + part, Chart: f.SpeedupMap(title, "all-to-all, 400 Gbps, "+setting, source, func(i, j int) float64 {
					return float64(rival.of(i, j, clock)/ours(i, j, clock)) * each
				})})
			}
		}
		return drawings, nil
	}
}
