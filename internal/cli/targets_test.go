package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/schema"
)

// stagesOptions are those of a target that the test adds.
type stagesOptions struct {
	Prefix string `json:"prefix,omitempty" help:"${TEXT} before each line" default:"-"`
	Most   int    `json:"most,omitempty" help:"at most ${N} lines"`
}

func (o *stagesOptions) Complete() error {
	if o.Most < 0 {
		return field.Errorf("most", "must not be negative")
	}
	return nil
}

// stagesTarget lists the stages of a plan: all that a new target needs.
type stagesTarget struct{}

func (stagesTarget) Format() compile.Format   { return "stages" }
func (stagesTarget) Carries() compile.Content { return compile.Transfers }
func (stagesTarget) About() string            { return "a line for each stage" }
func (stagesTarget) Options() compile.Options { return &stagesOptions{} }

func (stagesTarget) Compile(_ context.Context, p *plan.Plan, o compile.Options) (*compile.Result, error) {
	options := o.(*stagesOptions)
	return &compile.Result{Files: []compile.File{{Write: func(w io.Writer) error {
		for i := range p.Stages {
			fmt.Fprintf(w, "%s%s\n", options.Prefix, p.Stages[i].Topology.Name())
		}
		return nil
	}}}}, nil
}

// A target that is added to the list has flags and help, its options are fields of the request in
// JSON and in the schema, and its files are written.
func TestATargetIsFollowedFromFlagsToItsFiles(t *testing.T) {
	added := compile.Targets{stagesTarget{}}
	var asked *lightpath.CompileRequest
	line := func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		s := &session{out: bufio.NewWriter(&out), err: &errs, targets: added, asked: func(r lightpath.Request) error {
			asked, _ = r.(*lightpath.CompileRequest)
			return nil
		}}
		return s.run(t.Context(), args), out.String(), errs.String()
	}
	_, help, _ := line("compile", "--help")
	for _, want := range []string{"stages     a line for each stage", "--prefix TEXT", "stages: TEXT before each line (default -)", "stages: at most N lines"} {
		if !strings.Contains(help, want) {
			t.Errorf("%q is not in the help:\n%s", want, help)
		}
	}
	dir := t.TempDir()
	made, written := filepath.Join(dir, "plan.json"), filepath.Join(dir, "stages.txt")
	if code, _, errs := line("plan", "allreduce", "--nodes", "4", "--algorithm", "ring", "--planner", "static", "-o", made); code != 0 {
		t.Fatal(errs)
	}
	for _, c := range []struct{ args, wrong string }{
		{"--to stages --protocol LL", "lightpath: --protocol: stages has no such option; use it with msccl, rccl\n"},
		{"--to msccl --prefix >", "lightpath: --prefix: msccl has no such option; use it with stages\n"},
		{"--to stages --most -1", "lightpath: --most: must not be negative\n"},
		{"--to steps", "lightpath: --to: unknown format \"steps\"; use msccl, rccl, mscclpp, torch, astra, harvest, dot, edges, timetable, stages\n"},
	} {
		args := append([]string{"compile", made, "-o", written}, strings.Fields(c.args)...)
		if code, _, errs := line(args...); code != exitUsage || errs != c.wrong {
			t.Errorf("%s: exit %d, %q", c.args, code, errs)
		}
	}
	if code, _, errs := line("compile", made, "--to", "stages", "--prefix", "# ", "-o", written); code != 0 {
		t.Fatal(errs)
	}
	if text, err := os.ReadFile(written); err != nil || string(text) != "# DC(4;1)\n" {
		t.Errorf("%q, %v", text, err)
	}

	asked.Plan, asked.PlanID = nil, "p"
	text, err := json.Marshal(asked)
	if want := `{"plan":{"id":"p"},"to":"stages","prefix":"# "}`; err != nil || string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
	again := &lightpath.CompileRequest{Targets: asked.Targets}
	if err := json.Unmarshal(text, again); err != nil || !reflect.DeepEqual(again, asked) {
		t.Errorf("%+v, %v; want %+v", again, err, asked)
	}
	if err := json.Unmarshal(text, &lightpath.CompileRequest{}); err == nil {
		t.Error("the target is known to others")
	}

	own := lightpath.NewCommand("stages", "Compile to stages", "{}", lightpath.Compile, command.Beside(asked.Targets.Options()...))
	described, err := json.Marshal(schema.All(own)["stages.request"])
	if err != nil || !strings.Contains(string(described), `"prefix"`) || !strings.Contains(string(described), "before each line") || !strings.Contains(string(described), `"protocol"`) {
		t.Errorf("the schema has no prefix: %s, %v", described, err)
	}
}
