package check_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/msccl"
)

// Two ranks exchange their data. The second forgets to wait before it overwrites data that it
// still has to send.
func Example() {
	const file = `<algo name="exchange" proto="Simple" nchannels="1" nchunksperloop="1" ngpus="2" coll="allreduce" inplace="1" outofplace="0" minBytes="0" maxBytes="1024">
<gpu id="0" i_chunks="1" o_chunks="0" s_chunks="0">
<tb id="0" send="1" recv="1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
<gpu id="1" i_chunks="1" o_chunks="0" s_chunks="0">
<tb id="0" send="0" recv="-1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
<tb id="1" send="-1" recv="0" chan="0">
<step s="0" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
</algo>`
	p, dialect, err := msccl.Read(context.Background(), strings.NewReader(file), "")
	if err != nil {
		fmt.Println(err)
		return
	}
	bad := check.Programs(string(dialect), dialect.Limits(), p).First()
	fmt.Printf("%s: %s\n", bad.Name, bad.Detail)
	// Output: races: rank 1, thread block 1, step 0 writes chunk 0 of the buffer of rank 1, which rank 1, thread block 0, step 0 reads: nothing orders the two
}

// A program runs on random numbers, with its steps in a random order that its waits allow, and
// every rank ends with the result that defines the collective.
func ExampleInterpret() {
	const file = `<algo name="exchange" proto="Simple" nchannels="1" nchunksperloop="1" ngpus="2" coll="allreduce" inplace="1" outofplace="0" minBytes="0" maxBytes="1024">
<gpu id="0" i_chunks="1" o_chunks="0" s_chunks="0">
<tb id="0" send="1" recv="1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
<gpu id="1" i_chunks="1" o_chunks="0" s_chunks="0">
<tb id="0" send="0" recv="0" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
</algo>`
	p, _, err := msccl.Read(context.Background(), strings.NewReader(file), "")
	if err != nil {
		fmt.Println(err)
		return
	}
	for seed := range uint64(3) {
		fmt.Println(check.Interpret(seed, p))
	}
	// Output:
	// <nil>
	// <nil>
	// <nil>
}
