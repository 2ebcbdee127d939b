package plan_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// onGrid returns the file of a plan on a grid of 2x2 GPUs: recursive doubling, digit by digit.
func onGrid(t *testing.T, duplex bool) string {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex = 4, 2, duplex
	if err := f.Set("switches", "2x2"); err != nil {
		t.Fatal(err)
	}
	return fileOf(t, f, "halving-doubling")
}

// fileOf returns the file of a plan for an allreduce on a fabric.
func fileOf(t *testing.T, f fabric.Fabric, algorithm string) string {
	t.Helper()
	c, err := algorithms.New(collective.AllReduce, algorithm, f.Nodes, f.Ports)
	if err != nil {
		t.Fatal(err)
	}
	p, err := staged.Harvest(staged.HarvestOptions{}).Plan(t.Context(), planner.Request{Fabric: f, Collective: c, Size: units.MiB})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := p.Encode(&file); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// whyRefused returns the check that a file fails, or the error of reading it; "" if it is
// accepted.
func whyRefused(t *testing.T, file string) string {
	t.Helper()
	p, err := plan.Decode(strings.NewReader(file))
	if err != nil {
		return err.Error()
	}
	report, err := verify.Plan(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if bad := report.First(); bad != nil {
		return bad.Name + ": " + bad.Detail
	}
	return ""
}

// The file of a plan has the ports and switches of every circuit, and changing them is
// detected.
func TestFilesSayHowSwitchesAreSet(t *testing.T) {
	for _, duplex := range []bool{false, true} {
		file := onGrid(t, duplex)
		if why := whyRefused(t, file); why != "" {
			t.Fatalf("the plan itself is refused: %s", why)
		}
		if !strings.Contains(file, `"requires": ["switches"]`) || !strings.Contains(file, `"circuits":[[0,`) {
			t.Fatalf("the file does not say it: %.600s", file)
		}
		first := file[strings.Index(file, `"circuits":[`)+len(`"circuits":[`):]
		first = first[:strings.Index(first, "]")+1] // of one circuit
		numbers := strings.Split(strings.Trim(first, "[]"), ",")
		with := func(change ...string) string {
			changed := append([]string(nil), numbers...)
			for i := 0; i < len(change); i += 2 {
				changed[int(change[i][0]-'0')] = change[i+1]
			}
			return "[" + strings.Join(changed, ",") + "]"
		}
		other := map[string]string{"0": "1", "1": "0"}[numbers[1]]
		rest := file[strings.Index(file, first)+len(first):]
		second := rest[strings.Index(rest, "["):]
		second = second[:strings.Index(second, "]")+1]
		for name, mutant := range map[string]struct{ old, new, want string }{
			"a wrong switch":               {first, with("4", "3"), "switches: stage 1: circuit"},
			"a port of another switch":     {first, with("1", other), "plugged into switch"},
			"both ports of another":        {first, with("1", other, "3", other), "plugged into switch"},
			"a port that is not there":     {first, with("1", "7"), "there is no port 7"},
			"a negative port":              {first, with("3", "-1"), "there is no port -1"},
			"a GPU that is not there":      {first, with("0", "9"), "of GPU 9"},
			"a circuit twice":              {first, first + "," + first, "has two circuits"},
			"a circuit less":               {first + ",", "", "switches: stage 1: the switches set"},
			"another circuit in its place": {first, second, "has two circuits"},
			"too few numbers":              {first, "[" + strings.Join(numbers[:4], ",") + "]", "circuits"},
			"too many numbers":             {first, "[" + strings.Join(append(numbers, "1"), ",") + "]", "circuits"},
			"no circuits":                  {between(file, ",\n     \"circuits\"", "]]"), "", `no "circuits"`},
			"another layout":               {`"switches":"2x2"`, `"switches":"rails"`, "plugged into switch"},
			"a layout for other GPUs":      {`"switches":"2x2"`, `"switches":"2x4"`, "2x4 is for 8 GPUs"},
			"no layout":                    {`"switches":"2x2"`, `"switches":""`, `the fabric has no layout`},
			"not required":                 {`"requires": ["switches"]`, `"requires": []`, `does not say that it requires "switches"`},
			"a radix that is too small":    {`"switches":"2x2"`, `"switches":"2x2","radix":1`, "plugs 2 ports into one switch"},
		} {
			if !strings.Contains(file, mutant.old) {
				t.Errorf("%s: the file has no %s", name, mutant.old)
				continue
			}
			why := whyRefused(t, strings.Replace(file, mutant.old, mutant.new, 1))
			if !strings.Contains(why, mutant.want) {
				t.Errorf("two-way %v: %s: %q; want %q", duplex, name, why, mutant.want)
			}
		}
	}
}

// Even if other jobs hold ports, a circuit on a port that does not exist is refused with an
// error.
func TestCircuitsOnNoPortAreRefusedBesideHeldPorts(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = 4, 2
	for name, value := range map[string]string{"switches": "rails", "held": "3.1"} {
		if err := f.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	file := fileOf(t, f, "ring")
	if why := whyRefused(t, file); why != "" {
		t.Fatalf("the plan itself is refused: %s", why)
	}
	first := file[strings.Index(file, `"circuits":[`)+len(`"circuits":[`):]
	first = first[:strings.Index(first, "]")+1]
	for i, wrong := range []string{"-1", "7"} {
		for at, want := range map[int]string{0: "of GPU " + wrong, 1: "no port " + wrong, 2: "of GPU " + wrong, 3: "no port " + wrong} {
			numbers := strings.Split(strings.Trim(first, "[]"), ",")
			numbers[at] = wrong
			why := whyRefused(t, strings.Replace(file, first, "["+strings.Join(numbers, ",")+"]", 1))
			if !strings.Contains(why, want) {
				t.Errorf("%d: number %d is %s: %q; want %q", i, at, wrong, why, want)
			}
		}
	}
}

// between returns the text from one place to the end of another.
func between(text, from, to string) string {
	text = text[strings.Index(text, from):]
	return text[:strings.Index(text, to)+len(to)]
}

// A file requires islands and fixed links if and only if its fabric has some: a reader that
// does not know them would send over circuits that are not up.
func TestFilesRequireWhatTheirFabricHas(t *testing.T) {
	for name, set := range map[string]func(f *fabric.Fabric) error{
		"islands": func(f *fabric.Fabric) error {
			f.Island = fabric.Island{Size: 2, Bandwidth: units.Tbps}
			return nil
		},
		"fixed": func(f *fabric.Fabric) error { return f.Set("fixed", "Mesh(2)") },
	} {
		f := fabric.Default()
		f.Nodes = 4
		if err := set(&f); err != nil {
			t.Fatal(err)
		}
		file := fileOf(t, f, "ring")
		named := `"requires": ["` + name + `"]`
		if !strings.Contains(file, named) {
			t.Fatalf("the file does not say %s", named)
		}
		if _, err := plan.Decode(strings.NewReader(file)); err != nil {
			t.Fatal(err)
		}
		_, err := plan.Decode(strings.NewReader(strings.Replace(file, named, `"requires": []`, 1)))
		if err == nil || !strings.Contains(err.Error(), `does not say that it requires "`+name+`"`) {
			t.Errorf("%s: %v", name, err)
		}
		f.Island, f.Fixed = fabric.Island{}, fabric.Fixed{}
		without := strings.Replace(fileOf(t, f, "ring"), `"fabric"`, named+`, "fabric"`, 1)
		if _, err := plan.Decode(strings.NewReader(without)); err == nil || !strings.Contains(err.Error(), `requires: "`+name+`"`) {
			t.Errorf("%s, which there are none of: %v", name, err)
		}
	}
}
