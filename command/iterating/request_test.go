package iterating_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/field"
)

// TestRequestsThatCannotBePlanned: a workload without programs and an iteration of one rank are
// refused before planning, and the error names the wrong field.
func TestRequestsThatCannotBePlanned(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ request, path string }{
		{`{}`, "workload"},
		{`{"workload":{"ranks":4}}`, "workload.programs"},
		{`{"workload":{"ranks":4,"programs":[]},"fabric":{"nodes":4}}`, "workload.programs"},
		{`{"workload":{}}`, "workload.ranks"},
		{`{"workload":{"ranks":1,"programs":[{"name":"a","ranks":"0","ops":[]}]}}`, "workload.ranks"},
		{`{"model":"llama3-8b"}`, "dp"},
		{`{"model":"llama3-8b","fabric":{"nodes":4}}`, "dp"},
		{`{"model":"llama3-8b","dp":2,"fabric":{"nodes":4}}`, "fabric.nodes"},
	} {
		var r iterating.IterateRequest
		if err := json.Unmarshal([]byte(c.request), &r); err != nil {
			t.Errorf("%s: %v", c.request, err)
			continue
		}
		var wrong *field.Error
		if err := r.Complete(); !errors.As(err, &wrong) || wrong.Path != c.path {
			t.Errorf("%s: %v, want an error of %s", c.request, err, c.path)
		}
	}
}
