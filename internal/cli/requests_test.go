package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
)

// Flags fill a request, and that is the same after a trip through JSON: whatever can be
// asked for on the command line can be asked for over HTTP.
func TestWhatFlagsAskForIsTheSameThroughJSON(t *testing.T) {
	dir := filesIn(t, map[string]string{
		"three.csv": "0,10,20\n5,0,7\n1,2,0\n", "pattern.json": reducePattern, "authors.json": demandPattern,
		"flows.csv": "src,dst,bytes,start_ns\n0,2,10000,0\n1,2,5000,1.5\n", "prices.yaml": "switches:\n  mine: {like: polatis, price: 1..2..3 USD/port}\n",
		"fabric.yaml": "nodes: 16\nalpha: 7ns\n",
		"times.csv":   "bytes,time_ns,steps\n1,5.5,2\n100,7,3\n", "mine.csv": "name,bytes,forward_ns,backward_ns\na,100,1.5,2\n",
	})
	t.Chdir(dir)
	if code, _, stderr := run(t, "plan", "allreduce", "--nodes", "8", "-o", "plan.json"); code != 0 {
		t.Fatal(stderr)
	}
	for _, line := range []string{
		"plan allreduce",
		"plan allreduce/1MiB/swing alltoall/gpus=0-3 --ports 2 --reconfig per-port:1us+10ns",
		"plan alltoall --nodes 16 --demand zipf:0.4 --seed 7 --planner exchange --strategy paper --stages 3 --chunk 64KiB",
		"plan alltoall --demand three.csv --overlap compute:3us --sync 1us --theta 1 --avoid port:1",
		"plan broadcast --gpus 0-7,9 --synthesis search --budget 1.5s --size 10GB --preset light-bends",
		"plan --pattern pattern.json --size 1KiB", "plan --pattern authors.json --initial dark",
		"plan allreduce --frontier --fabric fabric.yaml", "compare alltoall --demand moe:2 --duplex --ports 2",
		"sweep allreduce alltoall --size 1KiB..1MiB --reconfig 10ns..1us,per-port:1us+1ns --ports 1,2 --algorithm auto,swing --points 5 --duplex",
		"sweep broadcast --simulate --packet 1KiB --shard 2/3 --fabric fabric.yaml --base C(16;1,2)",
		"tune allreduce --size 1KiB..64MiB --planner harvest --for polatis,fabric.yaml --nodes 16",
		"wire --nodes 16 --technology polatis --parts prices.yaml --for allreduce/1MiB",
		"design --mix allreduce/1MiB:2,alltoall/64KiB --nodes 8 --ports 1,2 --island 1 --technology polatis,mine --parts prices.yaml --budget-cost 1e6 --budget-power 2000",
		"availability allreduce/1MiB alltoall/64KiB --nodes 8 --technology polatis --parts prices.yaml --spares 2 --spare-switches 1 --nodes-needed 7 --gpu-failures --plans 3 --seed 5",
		"advise allreduce/1MiB alltoall/64KiB --nodes 8",
		"advise alltoall --size 1MiB --nodes 8 --most-ports 3 --planner harvest",
		"verify plan.json", "explain plan.json",
		"emulate plan.json --dtype bfloat16 --slow 2.5e3 --ranks-per-process 2 --fail link:3-4@step:1 --fail gpu:2@1.5us --replan --seed 0 --patience 2s",
		"emulate plan.json --no-wait --timing asynchronous", "calibrate --nodes 4 --repeats 2", "calibrate times.csv",
		"compile plan.json --to rccl --in-place --protocol LL --min-bytes 1KiB --max-bytes 1GiB --no-fuse -o x.xml",
		"compile plan.json --to timetable -o x.scpi", "compile plan.json --to mscclpp --channel memory -o x.json",
		"check a.xml --for rccl", "check a.xml --to-plan --base K(4) --size 1MiB",
		"check a.json --to-plan --of allreduce/1MiB/ring --nodes 8 --ports 2", "check a.json --to-plan --pattern pattern.json",
		"simulate plan.json --level flow --jitter 1.5ns --seed 0 --threads 2 --packet 1KiB",
		"simulate plan.json --fail link:3-4@10us --fail gpu:5@20us --fail link:1->2@1ps",
		"simulate --topology DC(4;1) --traffic flows.csv --delta 0ns --bandwidth 100Gbps --forwarding store-and-forward",
		"topology Torus(4,4)", "schedule C(12;2,3) --chunks 4 --op allreduce --best",
		"find --nodes 12 --degree 3 --op allgather --bidirectional --alpha 1ns", "find --trace resnet50 --bucket 1MiB",
		"find --fill 9 --store x.gz", "collective allreduce --algorithm swing --nodes 16",
		"collective alltoall --algorithm shift --demand random --seed 3 --nodes 6",
		"train --trace resnet50 --topology Torus(4,4) --node-bandwidth 100Gbps --bucket 25MiB --speedup 2.5 --alltoall-first",
		"train --trace mine.csv --nodes 8 --planner static --algorithm ring",
	} {
		var seen lightpath.Request
		enough := errors.New("enough")
		var out, stderr bytes.Buffer
		s := &session{out: bufio.NewWriter(&out), err: &stderr, asked: func(r lightpath.Request) error {
			seen = r
			return enough
		}}
		s.run(context.Background(), strings.Fields(line))
		if seen == nil {
			t.Errorf("%s: nothing was asked for: %s", line, stderr.String())
			continue
		}
		data, err := json.Marshal(seen)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		again := reflect.New(reflect.TypeOf(seen).Elem()).Interface().(lightpath.Request)
		if err := json.Unmarshal(data, again); err != nil {
			t.Errorf("%s: %s: %v", line, data, err)
			continue
		}
		if !same(t, seen, again) {
			t.Errorf("%s: %s is read as %+v", line, data, again)
		}
		if err := again.Complete(); err != nil {
			t.Errorf("%s: %s is refused: %v", line, data, err)
		}
	}
	if left, err := filepath.Glob("x.gz"); err != nil || left != nil {
		t.Error("a command that was only asked about has written something")
	}
}

// same compares requests. Plans remember what their file claimed, so they are compared by
// what is in them.
func same(t *testing.T, a, b lightpath.Request) bool {
	t.Helper()
	if reflect.DeepEqual(a, b) {
		return true
	}
	x, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Equal(x, y) && bytes.Contains(x, []byte(`"plan":{`))
}
