package collective_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/units"
)

func TestOperationWords(t *testing.T) {
	for text, want := range map[string]collective.Operation{
		"allreduce":                     {Op: collective.AllReduce},
		"allreduce/64MiB/swing:8x8":     {Op: collective.AllReduce, Size: 64 * units.MiB, Algorithm: "swing:8x8"},
		"alltoall/gpus=0-3,8":           {Op: collective.AllToAll, GPUs: collective.Members{0, 1, 2, 3, 8}},
		"broadcast/gpus=4,2/chain/10GB": {Op: collective.Broadcast, GPUs: collective.Members{4, 2}, Algorithm: "chain", Size: 10 * units.GB},
	} {
		got, err := collective.ParseOperation(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if again, err := collective.ParseOperation(got.String()); err != nil || !reflect.DeepEqual(again, want) {
			t.Errorf("%s, written as %s: %+v, %v", text, got, again, err)
		}
	}
	for text, want := range map[string]string{
		"": "unknown operation", "sum": "unknown operation", "allreduce/": "nothing between", "allreduce/1MiB/2MiB": "two sizes",
		"allreduce/ring/swing": "two algorithms", "allreduce/gpus=0-1/gpus=2-3": "two lists", "allreduce/0B": "above 0B",
		"allreduce/5": "no unit", "allreduce/gpus=x": "range",
	} {
		if _, err := collective.ParseOperation(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func FuzzParseOperation(f *testing.F) {
	f.Add("allreduce/64MiB/swing:8x8")
	f.Add("alltoall/gpus=0-7,9/1.5KiB")
	f.Fuzz(func(t *testing.T, text string) {
		o, err := collective.ParseOperation(text)
		if err != nil {
			return
		}
		if again, err := collective.ParseOperation(o.String()); err != nil || !reflect.DeepEqual(again, o) {
			t.Errorf("%q is %+v, written as %q is %+v, %v", text, o, o.String(), again, err)
		}
	})
}

// randomOperation draws an operation for tests of requests.
func randomOperation(rng *rand.Rand) collective.Operation {
	o := collective.Operation{Op: collective.Ops()[rng.IntN(len(collective.Ops()))], Size: units.Bytes(rng.Int64N(1 << 50))}
	if rng.IntN(2) == 0 {
		o.Algorithm = "swing:8x8"
	}
	if rng.IntN(2) == 0 {
		o.GPUs = collective.Members(rng.Perm(8)[:5])
	}
	switch rng.IntN(3) {
	case 0:
		seed := rng.Uint64()
		o.Generator, o.Seed = "zipf:0.4", &seed
	case 1:
		o.Demand = collective.Demand{{0, rng.Int64N(1 << 40)}, {rng.Int64N(1 << 40), 0}}
	}
	return o
}

func TestOperationsThroughJSONAreTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		o := randomOperation(rng)
		data, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		var again collective.Operation
		if err := json.Unmarshal(data, &again); err != nil || !reflect.DeepEqual(again, o) {
			t.Fatalf("%s: %+v, %v, want %+v", data, again, err, o)
		}
	}
	for text, want := range map[string]collective.Operation{
		`"allreduce/1MiB"`:                         {Op: collective.AllReduce, Size: units.MiB},
		`{"op":"allreduce","size":"1MiB"}`:         {Op: collective.AllReduce, Size: units.MiB},
		`{"op":"allreduce","gpus":"0-2"}`:          {Op: collective.AllReduce, GPUs: collective.Members{0, 1, 2}},
		`{"op":"alltoall","demand":"moe:2"}`:       {Op: collective.AllToAll, Generator: "moe:2"},
		`{"op":"alltoall","demand":[[0,1],[2,0]]}`: {Op: collective.AllToAll, Demand: collective.Demand{{0, 1}, {2, 0}}},
	} {
		var o collective.Operation
		if err := json.Unmarshal([]byte(text), &o); err != nil || !reflect.DeepEqual(o, want) {
			t.Errorf("%s: %+v, %v", text, o, err)
		}
	}
}

func TestWrongOperationsNameTheField(t *testing.T) {
	seed := uint64(3)
	for path, o := range map[string]collective.Operation{
		"op":         {Op: "sum"},
		"size_bytes": {Op: collective.AllReduce, Size: -1},
		"gpus":       {Op: collective.AllReduce, GPUs: collective.Members{0, 9}},
		"demand":     {Op: collective.AllReduce, Generator: "random"},
		"seed":       {Op: collective.AllToAll, Seed: &seed},
	} {
		err := o.Complete(8)
		var e *field.Error
		if !errors.As(err, &e) || e.Path != path {
			t.Errorf("%s: %v", path, err)
		}
	}
	o := collective.Operation{Op: collective.AllReduce}
	if err := o.Complete(8); err != nil || o.Size != collective.DefaultSize {
		t.Errorf("%+v, %v", o, err)
	}
}

// A pattern is the same after a trip through JSON, whichever schema it came from.
func TestPatternsThroughJSONAreTheSame(t *testing.T) {
	for _, text := range []string{ours, operation, authors} {
		p, err := collective.ReadPattern(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var again collective.PatternFile
		if err := json.Unmarshal(data, &again); err != nil || !reflect.DeepEqual(&again, p) {
			t.Errorf("%s: %+v, %v, want %+v", data, again, err, p)
		}
	}
}
