package lightpath_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
)

// Whatever a client sends, a request is refused in one line or is the same after a trip
// through JSON, and completing it twice changes nothing more.
func FuzzRequests(f *testing.F) {
	for _, text := range []string{
		`{"operations":[{"op":"allreduce","size_bytes":4194304}],"fabric":{"nodes":64,"ports":2,"reconfig":"10us"}}`,
		`{"operations":["alltoall/gpus=0-7/1MiB"],"fabric":{"preset":"light-bends"},"budget":"3s","chunk":"1KiB"}`,
		`{"pattern":{"schema":"collective_pattern/v1","n":4,"steps":[{"demand":[[0,1,10]]}]}}`,
		`{"plan":{"id":"abc"},"fail":["gpu:1@1us"],"seed":3}`, `{"topology":"K(4)","traffic":[{"src":0,"dst":1,"bytes":5,"start_ns":0.5}]}`,
		`{"trace":{"layers":[{"name":"a","bytes":1,"forward_ns":2,"backward_ns":3}]},"topology":"Torus(2,2)","node_bandwidth":"1Gbps"}`,
		`{"op":"alltoall","algorithm":"shift","demand":"zipf:1","nodes":6}`, `{"nodes":12,"alpha":"10us"}`, `[]`, `{"fabric":{"overlap":{"kind":"ports"}}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range []lightpath.Request{
			&lightpath.PlanRequest{}, &lightpath.CompareRequest{}, &lightpath.FrontierRequest{}, &lightpath.SimulateRequest{},
			&lightpath.TrainRequest{}, &lightpath.FindRequest{}, &lightpath.FillRequest{}, &lightpath.ScheduleRequest{},
			&lightpath.TopologyRequest{}, &lightpath.CollectiveRequest{}, &lightpath.VerifyRequest{}, &lightpath.ExplainRequest{},
		} {
			if err := json.Unmarshal([]byte(text), r); err != nil {
				if strings.Contains(err.Error(), "\n") {
					t.Errorf("%T: %q", r, err)
				}
				continue
			}
			same(t, r)
			if err := r.Complete(); err != nil {
				if strings.Contains(err.Error(), "\n") {
					t.Errorf("%T: %q", r, err)
				}
				continue
			}
			same(t, r)
			before, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Complete(); err != nil {
				t.Errorf("%T: %s is complete, but: %v", r, before, err)
			}
			if after, err := json.Marshal(r); err != nil || string(after) != string(before) {
				t.Errorf("%T: %s completed again is %s, %v", r, before, after, err)
			}
		}
	})
}

// same reports a request that is another after a trip through JSON.
func same(t *testing.T, r lightpath.Request) {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	again := reflect.New(reflect.TypeOf(r).Elem()).Interface().(lightpath.Request)
	if err := json.Unmarshal(data, again); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	if second, err := json.Marshal(again); err != nil || string(second) != string(data) {
		t.Errorf("%s became %s, %v", data, second, err)
	}
}
