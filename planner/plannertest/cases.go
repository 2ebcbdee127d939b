package plannertest

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Cases returns cases that are small enough for all planners to take only seconds for all of
// them: every operation, one port and several, one-way and two-way circuits, every model of the
// delay, and every start.
func Cases() []Case {
	with := func(nodes, ports int, change func(f *fabric.Fabric)) fabric.Fabric {
		f := fabric.Default()
		f.Nodes, f.Ports = nodes, ports
		if change != nil {
			change(&f)
		}
		return f
	}
	return []Case{
		{"ring allreduce", with(6, 1, nil), collective.AllReduce, "ring", units.MiB},
		{"recursive doubling", with(8, 1, func(f *fabric.Fabric) { f.Initial = fabric.InitialDark }), collective.AllReduce, "recursive-doubling", 256 * units.KiB},
		{"swing on two ports", with(8, 2, nil), collective.AllReduce, "swing", 256 * units.KiB},
		{"swing two-way", with(8, 2, func(f *fabric.Fabric) { f.Duplex = true }), collective.ReduceScatter, "swing", units.MiB},
		{"gather from a base", with(6, 2, func(f *fabric.Fabric) {
			f.Initial, f.Reconfig = fabric.InitialBase, fabric.Reconfig{Model: fabric.PerPort, Base: 2 * units.Microsecond, Each: 300 * units.Nanosecond}
		}), collective.AllGather, "bruck", 300 * units.KiB},
		{"shifts", with(5, 1, nil), collective.AllToAll, "shift", units.MiB},
		{"a bulk exchange", with(6, 2, func(f *fabric.Fabric) {
			f.Reconfig = fabric.Reconfig{Model: fabric.PerCircuit, Base: units.Microsecond, Each: 100 * units.Nanosecond}
		}), collective.AllToAll, "direct", 4 * units.MiB},
		{"a tree", with(9, 1, func(f *fabric.Fabric) { f.Initial = fabric.InitialDark }), collective.Broadcast, "binomial", 64 * units.KiB},
		{"a reduction, stored and forwarded", with(8, 2, func(f *fabric.Fabric) { f.Forwarding = fabric.StoreAndForward }), collective.RootReduce, "binomial", 128 * units.KiB},
		{"two switches", with(8, 2, func(f *fabric.Fabric) {
			f.Reconfig = fabric.Reconfig{Model: fabric.PerSwitch, Base: 3 * units.Microsecond, Switches: 2}
		}), collective.AllReduce, "recursive-doubling", units.MiB},
	}
}
