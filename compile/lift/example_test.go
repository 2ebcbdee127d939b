package lift_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/lift"
	"github.com/lightpath-net/lightpath/compile/msccl"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// A hand-written program becomes a plan, which says how long it takes.
func Example() {
	const file = `<algo name="swap" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather" inplace="1" outofplace="0" minBytes="0" maxBytes="1048576">
<gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">
<tb id="0" send="1" recv="1" chan="0">
<step s="0" type="s" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="r" srcbuf="i" srcoff="-1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
<gpu id="1" i_chunks="1" o_chunks="2" s_chunks="0">
<tb id="0" send="0" recv="0" chan="0">
<step s="0" type="s" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="r" srcbuf="i" srcoff="-1" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
</algo>`
	ctx := context.Background()
	program, _, err := msccl.Read(ctx, strings.NewReader(file), "")
	if err != nil {
		fmt.Println(err)
		return
	}
	graph, err := check.NewGraph(program)
	if err != nil {
		fmt.Println(err)
		return
	}
	f := fabric.Default()
	f.Nodes = 2
	p, err := lift.Lift(ctx, []*check.Graph{graph}, lift.Options{
		Fabric: f, Size: units.MiB, Algorithm: program.Name, Planner: "by hand",
		Topologies: []*topology.Graph{topology.DirectedCirculant(2, 1)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := verify.Plan(ctx, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.OK, p.Collective.Op, p.Cost.Total())
	// Output: true allgather 6.243us
}
