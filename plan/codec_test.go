package plan_test

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/plantest"
)

func decoded(t testing.TB, text string) *plan.Plan {
	t.Helper()
	p, err := plan.Decode(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFilesSayWhetherRoutesAreOptimal: a reader of a plan learns whether faster routes may exist.
func TestFilesSayWhetherRoutesAreOptimal(t *testing.T) {
	p := plantest.SpacePlan(t, plantest.Few)
	for _, approximate := range []bool{false, true} {
		p.Approximate = approximate
		if read := decoded(t, encoded(t, p)); read.Approximate != approximate {
			t.Errorf("%v became %v", approximate, read.Approximate)
		}
	}
}

// TestPlansSurviveTheirFile: reading returns what was written, including the symmetry, and
// writes the same bytes again.
func TestPlansSurviveTheirFile(t *testing.T) {
	for i, m := range sweep().made {
		if i%3 != 0 || i%15 != 0 && m.request.Fabric.Nodes > 5 {
			continue // a sample is enough
		}
		text := encoded(t, m.plan)
		p := decoded(t, text)
		if again := encoded(t, p); again != text {
			t.Errorf("%s: written again it differs:\n%s", m.name, difference(text, again))
		}
		if len(p.Stages) != len(m.plan.Stages) || p.Cost != m.plan.Cost || p.Bound != m.plan.Bound ||
			!p.Fabric.Equal(m.plan.Fabric) || !reflect.DeepEqual(p.Collective, m.plan.Collective) || p.Planner != m.plan.Planner ||
			p.Baselines != m.plan.Baselines || p.Reconfigurations != m.plan.Reconfigurations {
			t.Errorf("%s: read as another plan", m.name)
			continue
		}
		for s := range p.Stages {
			a, b := &p.Stages[s], &m.plan.Stages[s]
			if !a.Topology.Equal(b.Topology) || a.Topology.Name() != b.Topology.Name() || len(a.Steps) != len(b.Steps) {
				t.Errorf("%s: stage %d is another", m.name, s+1)
				continue
			}
			for j := range a.Steps {
				x, y := &a.Steps[j], &b.Steps[j]
				if y.Group.Trivial() != x.Group.Trivial() ||
					!y.Group.Trivial() && (!slices.Equal(x.Group.Dims, y.Group.Dims) || !slices.Equal(x.Group.Stride, y.Group.Stride)) ||
					len(x.Base) != len(y.Base) {
					t.Errorf("%s: stage %d, step %d: %d transfers under %v became %d under %v",
						m.name, s+1, j+1, len(y.Base), y.Group, len(x.Base), x.Group)
				}
			}
		}
	}
}

func difference(a, b string) string {
	left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(left), len(right)) {
		if left[i] != right[i] {
			return left[i] + "\n" + right[i]
		}
	}
	return "one is longer"
}

// An expanded plan has no symmetry to save, and does not change.
func TestExpandedPlansStayExpanded(t *testing.T) {
	for _, name := range []string{mesh, rewired, twoWay, blocks} {
		text := encoded(t, expand(goodPlan(t, name)))
		p := decoded(t, text)
		if symmetric(p) || encoded(t, p) != text {
			t.Errorf("%s: is folded, or differs", name)
		}
	}
}

// A file lists every transfer: without its symmetry it is the file of the expanded plan.
func TestFilesListEveryTransfer(t *testing.T) {
	for _, name := range []string{mesh, rewired, twoWay, blocks} {
		p := goodPlan(t, name)
		folded, whole := parsed(t, encoded(t, p)), parsed(t, encoded(t, expand(p)))
		for s := range folded["stages"].([]any) {
			for j := range stageOf(folded, s)["steps"].([]any) {
				step := stepOf(folded, s, j)
				if step["symmetry"] == nil {
					t.Errorf("%s: stage %d, step %d has lost its symmetry", name, s+1, j+1)
				}
				delete(step, "symmetry")
			}
		}
		a, _ := json.Marshal(folded)
		b, _ := json.Marshal(whole)
		if string(a) != string(b) {
			t.Errorf("%s: the files differ", name)
		}
	}
}

// An unknown key may change what a plan means, wherever it is.
func TestKeysOfLaterVersionsAreRefused(t *testing.T) {
	for _, name := range []string{mesh, rewired, twoWay, blocks} {
		text := encoded(t, goodPlan(t, name))
		for i := range 10 {
			doc := parsed(t, text)
			at := []object{
				doc, doc["fabric"].(object), doc["collective"].(object), doc["cost_ns"].(object), stageOf(doc, 0), stepOf(doc, 0, 0),
				stepOf(doc, 0, 0)["symmetry"].(object), transferOf(doc, 0, 0, 0), transferOf(doc, 0, 0, 1),
				transferOf(doc, 0, 0, 0)["routes"].([]any)[0].(object),
			}[i]
			at["a_later_one"] = []any{nil, true, -1.5, "text", []any{[]any{}}, object{"nested": object{"src": i}}}[i%6]
			if _, err := recoded(doc); err == nil || !strings.Contains(err.Error(), "a_later_one") {
				t.Errorf("%s, place %d: %v", name, i, err)
			}
		}
	}
}

// Transfers are formatted by our own code, but as the standard library would.
func TestTransfersAreWrittenAsTheStandardLibraryWould(t *testing.T) {
	type route struct {
		Share float64 `json:"share"`
		Path  []int32 `json:"path"`
	}
	type transfer struct {
		Src    int               `json:"src"`
		Dst    int               `json:"dst"`
		Action collective.Action `json:"action"`
		Chunks collective.Chunks `json:"chunks"`
		Bytes  float64           `json:"bytes"`
		Routes []route           `json:"routes"`
	}
	p := clone(goodPlan(t, mesh))
	shares := []float64{1, 0, -0.5, 1e-7, 1.5e-9, 1e21, 123456789e30, 1.0 / 3, 5e-324, 1.7976931348623157e308, 1e20, 9.99e-7}
	for i, share := range shares {
		p.Stages[0].Steps[0].Base[0].Routes[0].Share = share
		for line := range strings.SplitSeq(encoded(t, p), "\n") {
			line = strings.TrimSuffix(strings.TrimSpace(line), ",")
			if !strings.HasPrefix(line, `{"src"`) {
				continue
			}
			var doc transfer
			if err := json.Unmarshal([]byte(line), &doc); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if again, err := json.Marshal(doc); err != nil || string(again) != line {
				t.Fatalf("share %d: %s, the standard library has %s, %v", i, line, again, err)
			}
		}
	}
}

func TestSummariesLeaveOutCircuitsAndTransfers(t *testing.T) {
	p := goodPlan(t, rewired)
	var b strings.Builder
	if err := p.EncodeSummary(&b); err != nil {
		t.Fatal(err)
	}
	doc := parsed(t, b.String())
	if len(doc["stages"].([]any)) != len(p.Stages) || strings.Contains(b.String(), "links") || strings.Contains(b.String(), "transfers") {
		t.Errorf("summary: %s", b.String())
	}
	sorted, err := json.Marshal(doc) // as other tools might write it: keys in another order
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{b.String(), string(sorted)} {
		if _, err := plan.Decode(strings.NewReader(text)); !errors.Is(err, plan.ErrSummary) {
			t.Errorf("a summary is read as a plan: %v", err)
		}
	}
}

// TestReadersMayBeSlowOrFail: a plan can come byte by byte, and a reader's error is not
// mistaken for the end of the file.
func TestReadersMayBeSlowOrFail(t *testing.T) {
	text := encoded(t, goodPlan(t, mesh))
	p, err := plan.Decode(iotest.OneByteReader(strings.NewReader(text)))
	if err != nil || encoded(t, p) != text {
		t.Errorf("byte by byte: %v", err)
	}
	for _, cut := range []int{0, 100, len(text) / 2, len(text) - 2, len(text)} {
		r := io.MultiReader(strings.NewReader(text[:cut]), iotest.ErrReader(io.ErrClosedPipe))
		if _, err := plan.Decode(r); err == nil || !strings.Contains(err.Error(), io.ErrClosedPipe.Error()) {
			t.Errorf("after %d bytes: %v", cut, err)
		}
	}
}

// Numbers that JSON cannot hold are an error, not a broken file.
func TestPlansThatJSONCannotHoldAreNotWritten(t *testing.T) {
	for name, change := range map[string]func(p *plan.Plan){
		"bound": func(p *plan.Plan) { p.Bound = nan },
		"step":  func(p *plan.Plan) { stepAt(p, 1).Cost.Congestion = float64(nan) },
		"start": func(p *plan.Plan) { p.Stages[0].Start = nan },
		"share": func(p *plan.Plan) { stepAt(p, 1).Base[0].Routes[0].Share = float64(nan) },
	} {
		p := clone(goodPlan(t, mesh))
		change(p)
		if err := p.Encode(io.Discard); err == nil {
			t.Errorf("%s: NaN is written", name)
		}
	}
}

// A gap so wide that it has no number must not keep a plan from being written.
func TestGapIsANumber(t *testing.T) {
	p := clone(goodPlan(t, mesh))
	p.Bound = 5e-324
	if err := p.Encode(io.Discard); err != nil {
		t.Error(err)
	}
	if p.Bound = 0; p.Gap() != 0 {
		t.Errorf("without a bound the gap is %v", p.Gap())
	}
	if p.Bound = p.Cost.Total() / 2; p.Gap() != 1 {
		t.Errorf("at half the cost the gap is %v", p.Gap())
	}
}

// Large plans are folded while they are read, whatever their algorithm.
func TestSymmetryOfEveryAlgorithmIsRead(t *testing.T) {
	for _, op := range collective.Ops() {
		for _, a := range algorithms.For(op, collective.Shape{Nodes: 8, Ports: 1}) {
			p := planned(t, "static", op, a.Name, func(f *fabric.Fabric) { f.Ports = 7 })
			q := decoded(t, encoded(t, p))
			for i := range p.Stages[0].Steps {
				if want, got := len(p.Stages[0].Steps[i].Base), len(q.Stages[0].Steps[i].Base); got != want {
					t.Errorf("%s %s: step %d has %d transfers, want %d", op, a.Name, i+1, got, want)
				}
			}
		}
	}
}
