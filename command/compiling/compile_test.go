package compiling

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

type addedOptions struct {
	Bucket units.Bytes `json:"bucket_bytes,omitzero"`
}

func (*addedOptions) Complete() error { return nil }

type addedTarget struct{}

func (addedTarget) Format() compile.Format   { return "added" }
func (addedTarget) Carries() compile.Content { return compile.Transfers }
func (addedTarget) About() string            { return "added" }
func (addedTarget) Options() compile.Options { return &addedOptions{} }
func (addedTarget) Compile(context.Context, *plan.Plan, compile.Options) (*compile.Result, error) {
	return &compile.Result{}, nil
}

// A request has the fields of its target, even of a user's target, and no others.
func TestCompileRequestsHaveTheOptionsOfTheirTarget(t *testing.T) {
	t.Parallel()
	targets := append(compile.Known(), addedTarget{})
	for _, c := range []struct{ text, again, wrong string }{
		{`{"plan":{"id":"a"},"to":"added","bucket":"1KiB"}`, `{"plan":{"id":"a"},"to":"added","bucket_bytes":1024}`, ""},
		{`{"plan":{"id":"a"},"to":"msccl","protocol":"LL","in_place":true,"min":"1KiB"}`,
			`{"plan":{"id":"a"},"to":"msccl","in_place":true,"min_bytes":1024,"protocol":"LL"}`, ""},
		{`{"plan":{"id":"a"},"to":"dot","inline":true}`, `{"plan":{"id":"a"},"to":"dot","inline":true}`, ""},
		{`{"to":"msccl","bucket":"1KiB"}`, "", "bucket: msccl has no such option; use it with added"},
		{`{"to":"dot","protocol":"LL"}`, "", "protocol: dot has no such option; use it with msccl, rccl"},
		{`{"to":"timetable","min_bytes":1}`, "", "min_bytes: timetable has no such option; use it with msccl, rccl, mscclpp"},
		{`{"to":"nccl","protocol":"LL"}`, "", `to: unknown format "nccl"`},
		{`{"protocol":"LL"}`, "", `to: unknown format ""`},
		{`{"to":"msccl","nonsense":1}`, "", "nonsense: unknown; want plan, iteration, to, inline, in_place"},
		{`{"to":"msccl","protocol":"LL","protocol":"LL"}`, "", "twice"},
		{`{"to":"msccl","protocol":5}`, "", "protocol: "},
		{`{"to":5}`, "", "to: "},
		{`[]`, "", "not a request in JSON"},
	} {
		r := CompileRequest{Targets: targets}
		err := r.UnmarshalJSON([]byte(c.text))
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: %v; want %s", c.text, err, c.wrong)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if data, err := json.Marshal(r); err != nil || string(data) != c.again {
			t.Errorf("%s: %s, %v", c.text, data, err)
		}
	}
}
