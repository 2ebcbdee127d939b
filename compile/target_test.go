package compile_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
)

// stagesOptions are the options of a user's target.
type stagesOptions struct {
	Prefix string `json:"prefix,omitempty" help:"${TEXT} before each line" default:"-"`
	Most   int    `json:"most,omitempty"`
}

func (o *stagesOptions) Complete() error {
	if o.Most < 0 {
		return field.Errorf("most", "must not be negative")
	}
	return nil
}

// stagesTarget lists the stages of a plan. It shows all that a new target needs.
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

// A target needs only its own type and a place in the list.
func TestATargetIsAddedInOnePlace(t *testing.T) {
	all := append(compile.Known(), stagesTarget{})
	p := planned(t, collective.AllReduce, "ring", "static", 4, 1)
	r, err := all.Compile(t.Context(), p, "stages", &stagesOptions{Prefix: "> "})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := r.Files[0].Write(&text); err != nil || text.String() != "> DC(4;1)\n" || r.Format != "stages" || r.Folder() {
		t.Errorf("%q, %+v, %v", text.String(), r, err)
	}
	if _, err := all.Compile(t.Context(), p, "stages", &stagesOptions{Most: -1}); err == nil || err.Error() != "most: must not be negative" {
		t.Errorf("%v", err)
	}
	if _, err := all.Compile(t.Context(), p, compile.MSCCL, &stagesOptions{}); err == nil || !strings.Contains(err.Error(),
		"options of msccl are a *compile.XMLOptions, not a *compile_test.stagesOptions") {
		t.Errorf("%v", err)
	}
	if _, err := all.Lookup("none"); err == nil || !strings.HasSuffix(err.Error(), string(all[len(all)-2].Format())+", stages") {
		t.Errorf("%v", err)
	}
	if _, err := compile.Compile(t.Context(), p, "stages", nil); err == nil {
		t.Error("the target is known to others")
	}
}

// Every target names and describes itself, has defaults that make sense, and options with
// names; options of one name are of one type.
func TestTargetsSayWhatTheyNeed(t *testing.T) {
	formats, types := map[compile.Format]bool{}, map[string]string{}
	for _, target := range compile.Known() {
		f := target.Format()
		if formats[f] || target.About() == "" {
			t.Errorf("%s: known twice, or without a help", f)
		}
		formats[f] = true
		o := target.Options()
		if err := o.Complete(); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		for one := range field.All(o) {
			is := one.Value.Type().String()
			if was := types[one.Name]; one.Name == "" || was != "" && was != is {
				t.Errorf("%s: option %q is a %s, elsewhere a %s", f, one.Name, is, was)
			}
			types[one.Name] = is
		}
	}
}
