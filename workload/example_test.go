package workload_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/lightpath-net/lightpath/workload"
)

// Four ranks: two pipeline stages of two tensor-parallel ranks.
const small = `{"schema":"lightpath.workload/v1","ranks":4,
"kinds":{"pp":[[0,2],[1,3]],"tp":[[0,1],[2,3]]},
"blocks":{"layer":[
 {"id":"x","compute_ns":1000},
 {"id":"sum","op":"allreduce","size_bytes":4096,"kind":"tp","after":["x"]}]},
"programs":[
{"ranks":"0-1","ops":[
 {"id":"f","block":"layer"},
 {"id":"s","send_to":"+2","size_bytes":2048,"kind":"pp","after":["f"]}]},
{"ranks":"2-3","ops":[
 {"id":"r","receive":"s","from":"-2","kind":"pp"},
 {"id":"f","block":"layer","after":["r"]}]}]}
`

func Example() {
	w, err := workload.Read(strings.NewReader(small))
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := w.Graph(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	_, compute := g.Ends(workload.Free)
	fmt.Println(len(g.Classes), "classes of ranks, chain of computation", compute)
	for _, t := range g.Totals() {
		fmt.Println(t.Kind, t.Op, t.Most, t.MostBytes)
	}
	// Output:
	// 2 classes of ranks, chain of computation 2.000us
	// pp send 1 2KiB
	// tp allreduce 1 4KiB
}

func ExampleWorkload_Write() {
	w, err := workload.Read(strings.NewReader(`{"schema":"lightpath.workload/v1","ranks":2,"kinds":{"dp":[[0,1]]},
		"programs":[{"ranks":"0,1","ops":[{"id":"g","op":"allreduce","size":"4KiB","kind":"dp"}]}]}`))
	if err == nil {
		err = w.Write(os.Stdout)
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"schema":"lightpath.workload/v1","ranks":2,
	// "kinds":{
	// "dp":[[0,1]]},
	// "programs":[
	// {"ranks":"0,1","ops":[
	//  {"id":"g","op":"allreduce","size_bytes":4096,"kind":"dp"}]}]}
}
