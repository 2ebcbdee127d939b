package portfolio_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// inTwo lists, for an operation, two others that accomplish it one after the other.
var inTwo = map[collective.Op][2]collective.Op{
	collective.AllReduce:  {collective.ReduceScatter, collective.AllGather},
	collective.Broadcast:  {collective.Scatter, collective.AllGather},
	collective.RootReduce: {collective.ReduceScatter, collective.Gather},
}

// No operation takes longer than two that accomplish it one after the other, with a
// reconfiguration in between, for few and for thousands of GPUs. An allreduce of 4 MiB on 65536
// GPUs with 4 ports once took 72.58 us, and its halves 28.16 us each.
func TestNoOperationTakesLongerThanTwoThatAchieveIt(t *testing.T) {
	type kase struct {
		nodes, ports int
		twoWay       bool
		size         units.Bytes
		delay        units.Duration
		ops          []collective.Op
	}
	all := []collective.Op{collective.AllReduce, collective.Broadcast, collective.RootReduce}
	reduce := all[:1]
	cases := []kase{
		{8, 1, false, units.MiB, 10 * units.Microsecond, all}, {8, 4, true, 64 * units.KiB, units.Microsecond, all},
		{128, 4, false, 4 * units.MiB, 10 * units.Microsecond, all}, {5000, 4, true, 4 * units.MiB, 10 * units.Microsecond, reduce},
	}
	if samples.Every() {
		for _, nodes := range []int{8, 128, 1000, 5000} {
			for _, ports := range []int{1, 2, 4} {
				for _, twoWay := range []bool{false, true} {
					for _, size := range []units.Bytes{64 * units.KiB, units.MiB, 4 * units.MiB, 64 * units.MiB} {
						for _, delay := range []units.Duration{units.Microsecond, 10 * units.Microsecond} {
							cases = append(cases, kase{nodes, ports, twoWay, size, delay, reduce})
						}
					}
				}
			}
		}
	}
	for _, c := range cases {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = c.nodes, c.ports, c.twoWay
		f.Reconfig.Base = c.delay
		s := search()
		known := map[collective.Op]units.Time{}
		timeOf := func(op collective.Op) units.Time {
			if known[op] == 0 {
				known[op] = fastestOf(t, s, op, f, c.size, collective.Auto).Cost.Total()
			}
			return known[op]
		}
		for _, op := range c.ops {
			first, second := inTwo[op][0], inTwo[op][1]
			if most := timeOf(first) + f.WaitFor(0) + timeOf(second); planner.Above(timeOf(op), most) {
				t.Errorf("%+v: %s %v, %s %v, %s %v", c, op, timeOf(op), first, timeOf(first), second, timeOf(second))
			}
		}
		if gather, scatter := timeOf(collective.AllGather), timeOf(collective.ReduceScatter); planner.Above(gather, scatter) || planner.Above(scatter, gather) {
			t.Errorf("%+v: an allgather takes %v, a reduce-scatter %v", c, gather, scatter)
		}
	}
}
