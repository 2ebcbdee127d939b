package input

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

type addedOptions struct {
	InPlace bool        `json:"in_place,omitempty" help:"for buffers that are the same"`
	Bucket  units.Bytes `json:"bucket_bytes,omitzero" help:"${SIZE} of a bucket"`
	Kind    string      `json:"kind,omitempty" help:"${KIND} of bucket" default:"round"`
	Hidden  string      `json:"hidden,omitempty"`
}

func (*addedOptions) Complete() error { return nil }

type addedTarget struct{}

func (addedTarget) Format() compile.Format   { return "added" }
func (addedTarget) Carries() compile.Content { return compile.Transfers }
func (addedTarget) About() string {
	return "buckets of one's own, with a description that does not fit into one line of the help"
}
func (addedTarget) Options() compile.Options { return &addedOptions{} }
func (addedTarget) Compile(context.Context, *plan.Plan, compile.Options) (*compile.Result, error) {
	return &compile.Result{}, nil
}

// Flags and help are made from the targets: one that is added has them, too.
func TestAnAddedTargetHasFlagsAndHelp(t *testing.T) {
	flags := func() (*Targets, *cobra.Command) {
		f := &Targets{All: append(compile.Known(), addedTarget{})}
		c := &cobra.Command{Use: "compile"}
		f.Add(c)
		return f, c
	}
	f, c := flags()
	help := f.About() + c.Flags().FlagUsages()
	for _, want := range []string{
		"  added      buckets of one's own, with a description that does not fit into\n             one line of the help\n",
		"--bucket SIZE", "added: SIZE of a bucket", "added: KIND of bucket (default round)",
		"msccl, rccl, mscclpp, torch, added: input and output share a buffer",
	} {
		if !strings.Contains(help, want) {
			t.Errorf("%q is not in the help:\n%s", want, help)
		}
	}
	if strings.Contains(help, "hidden") {
		t.Error("an option without a help has a flag")
	}
	for _, c := range []struct {
		to    compile.Format
		line  string
		want  compile.Options
		wrong string
	}{
		{"added", "", nil, ""},
		{"added", "--bucket 1KiB --kind square", &addedOptions{Bucket: 1024, Kind: "square"}, ""},
		{"added", "--in-place", &addedOptions{InPlace: true}, ""},
		{"added", "--protocol LL", nil, "--protocol: added has no such option; use it with msccl, rccl"},
		{"msccl", "--bucket 1KiB", nil, "--bucket: msccl has no such option; use it with added"},
		{"mscclpp", "--in-place --channel memory", &compile.MSCCLPPOptions{BufferOptions: compile.BufferOptions{InPlace: true}, Channel: "memory"}, ""},
		{"mscclpp", "--channel cable", nil, `--channel: "cable" is not port or memory`},
	} {
		f, command := flags()
		if err := command.ParseFlags(strings.Fields(c.line)); err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		got, err := f.Options(command, c.to)
		switch {
		case c.wrong != "" && (err == nil || err.Error() != c.wrong):
			t.Errorf("%s %s: %v; want %s", c.to, c.line, err, c.wrong)
		case c.wrong == "" && (err != nil || !reflect.DeepEqual(got, c.want)):
			t.Errorf("%s %s: %+v, %v", c.to, c.line, got, err)
		}
	}
}
