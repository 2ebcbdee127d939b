package msccl_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/msccl"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// The file of an exchange of two GPUs; reading it gives the program that was written.
func Example() {
	ctx := context.Background()
	f := fabric.Default()
	f.Nodes = 2
	p, err := lightpath.Plan(ctx, lightpath.PlanRequest{
		Fabric: f, Planner: "static", Operations: []lightpath.Operation{{Op: collective.AllGather, Algorithm: "ring", Size: units.MiB}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	low, err := lower.Lower(ctx, p, lower.Options{Limits: msccl.MSCCL.Limits(), Protocol: program.Simple, InPlace: true, Name: "swap", MaxBytes: 1 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := msccl.Write(&file, low.Programs[0], msccl.MSCCL); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(file.String())
	again, dialect, err := msccl.Read(ctx, &file, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(dialect, again.Name, len(again.Ranks), "ranks")
	// Output:
	// <algo name="swap" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather" inplace="1" outofplace="0" minBytes="0" maxBytes="1048576">
	// <gpu id="0" i_chunks="0" o_chunks="2" s_chunks="0">
	// <tb id="0" send="1" recv="-1" chan="0">
	// <step s="0" type="s" srcbuf="o" srcoff="0" dstbuf="i" dstoff="-1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
	// </tb>
	// <tb id="1" send="-1" recv="1" chan="0">
	// <step s="0" type="r" srcbuf="i" srcoff="-1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
	// </tb>
	// </gpu>
	// <gpu id="1" i_chunks="0" o_chunks="2" s_chunks="0">
	// <tb id="0" send="0" recv="-1" chan="0">
	// <step s="0" type="s" srcbuf="o" srcoff="1" dstbuf="i" dstoff="-1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
	// </tb>
	// <tb id="1" send="-1" recv="0" chan="0">
	// <step s="0" type="r" srcbuf="i" srcoff="-1" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
	// </tb>
	// </gpu>
	// </algo>
	// msccl swap 2 ranks
}
