package bind

import (
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// request has a field of every kind.
type request struct {
	Size    units.Bytes      `json:"size_bytes,omitzero" help:"size" default:"4KiB"`
	Rest    units.Duration   `json:"rest_ns,omitzero" help:"pause" default:"0ns"`
	Delta   *units.Duration  `json:"delta_ns,omitempty" help:"delay"`
	Level   string           `json:"level,omitempty" help:"simulation ${LEVEL}: packet | flow" default:"packet"`
	Points  int              `json:"points,omitempty" help:"${K} points" least:"2"`
	Threads int              `json:"threads,omitempty" help:"${N} threads; 0: any" default:"0"`
	Seed    *uint64          `json:"seed,omitempty" help:"seed of ${to_plan}"`
	Slow    float64          `json:"slow,omitempty" help:"${K} times slower" default:"auto"`
	ToPlan  bool             `json:"to_plan,omitempty" help:"lift it"`
	Fail    []replay.Failure `json:"fail,omitempty" help:"failure"`
	Rows    [][]int          `json:"rows,omitempty" help:"a matrix"`
	Odd     string           `json:"odd_name" flag:"of" placeholder:"THING" help:"what"`
	Hidden  int              `json:"-"`
}

func filled(t *testing.T, args ...string) (*request, error) {
	t.Helper()
	c := &cobra.Command{Use: "x", RunE: func(*cobra.Command, []string) error { return nil }, SilenceErrors: true, SilenceUsage: true}
	binder, r := &Binder{}, &request{}
	binder.Flags(c, r)
	c.SetArgs(args)
	if err := c.Execute(); err != nil {
		return r, err
	}
	return r, binder.Fill(c, r)
}

func TestFlagsFillFields(t *testing.T) {
	r, err := filled(t, "--size", "1MiB", "--rest", "0ns", "--delta", "0ns", "--level", "flow", "--points", "2", "--threads", "0", "--seed", "0",
		"--slow", "2.5", "--to-plan", "--fail", "gpu:1@1us", "--fail", "gpu:2@1us", "--rows", "[[1,2],[3]]", "--of", "this")
	if err != nil {
		t.Fatal(err)
	}
	if r.Size != units.MiB || r.Delta == nil || *r.Delta != 0 || r.Level != "flow" || r.Points != 2 || r.Seed == nil || *r.Seed != 0 ||
		r.Slow != 2.5 || !r.ToPlan || len(r.Fail) != 2 || len(r.Rows) != 2 || r.Odd != "this" {
		t.Errorf("%+v", r)
	}
	if r, err := filled(t); err != nil || !reflect.DeepEqual(r, &request{}) {
		t.Errorf("nothing given: %+v, %v", r, err)
	}
	if r, err := filled(t, "--slow", "auto"); err != nil || r.Slow != 0 {
		t.Errorf("the default as a word: %+v, %v", r, err)
	}
}

// What is zero would mean that it was not given.
func TestWrongValuesNameTheirFlag(t *testing.T) {
	for args, want := range map[string]string{
		"--size 0B": "--size: must be above 0B", "--size 5": "--size: \"5\"", "--points 1": "--points: 1; want 2 or more",
		"--points 0": "--points: 0; want 2 or more", "--slow x": `--slow: "x"; want a number above 0, or auto`,
		"--slow 0": "--slow: \"0\"; want a number above 0, or auto", "--fail sun": "--fail: ", "--rows {": "--rows: ",
		"--seed -1": `"--seed"`, "--threads x": `"--threads"`, "--to-plan=maybe": `"--to-plan"`,
	} {
		if _, err := filled(t, strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

func TestHelpIsThatOfTheFields(t *testing.T) {
	c := &cobra.Command{Use: "x"}
	(&Binder{Prefix: func(flag string) string { return flag + "! " }}).Flags(c, &request{}, "size_bytes")
	help := c.Flags().FlagUsages()
	for _, want := range []string{
		"--rest TIME", "level! simulation LEVEL: packet | flow (default packet)", "--seed N", "seed of --to-plan", "--fail TEXT", "--rows JSON", "--of THING",
	} {
		if !strings.Contains(help, want) {
			t.Errorf("%q is not in\n%s", want, help)
		}
	}
	if strings.Contains(help, "--size") || strings.Contains(help, "hidden") {
		t.Error(help)
	}
}

// What a field says that its default is, Complete fills in.
func TestDefaultsAreTrue(t *testing.T) {
	checked := 0
	for _, c := range lightpath.Commands() {
		asked, err := c.Read([]byte(c.Example))
		if err != nil {
			t.Fatal(err)
		}
		whole, err := c.Read([]byte(c.Example))
		if err == nil {
			err = whole.Complete()
		}
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		before, after := (&Binder{}).fields(asked, nil), (&Binder{}).fields(whole, nil)
		for i, f := range after {
			filledIn := before[i].value.IsZero() && !f.value.IsZero()
			if f.Default == "" || !filledIn {
				continue
			}
			want := reflect.New(f.value.Type()).Elem()
			if err := read(want, f.Default); err != nil {
				t.Errorf("%s --%s: default %s: %v", c.Name, f.flag, f.Default, err)
			} else if !reflect.DeepEqual(want.Interface(), f.value.Interface()) {
				t.Errorf("%s --%s: says that its default is %s, which is %v", c.Name, f.flag, f.Default, f.value)
			}
			checked++
		}
	}
	if checked < 20 {
		t.Errorf("only %d defaults were looked at", checked)
	}
}

// What the library calls a field the command line calls a flag; other quotations stay.
func TestMessagesMentionFlagsOnTheCommandLine(t *testing.T) {
	for text, want := range map[string]string{
		"exceed 10; `simulate` follows them":   "exceed 10; --simulate follows them",
		"want `most_ports` below 9":            "want --most-ports below 9",
		"the `odd_name` of `rows`":             "the --of of --rows",
		"as `lightpath plan allreduce` says":   "as `lightpath plan allreduce` says",
		"a name such as `Ring(4)`, or nothing": "a name such as `Ring(4)`, or nothing",
	} {
		if got := Spell(&request{}, text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
