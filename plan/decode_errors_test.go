package plan_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
)

// tiny is the file of a plan of 4 nodes and 2 stages.
func tiny(t testing.TB) string {
	t.Helper()
	return encoded(t, planned(t, "every-step", collective.ReduceScatter, "recursive-doubling", func(f *fabric.Fabric) { f.Nodes = 4 }))
}

var lineError = regexp.MustCompile(`^line (\d+): `)

// TestTruncatedFilesAreErrors cuts a file after every byte.
func TestTruncatedFilesAreErrors(t *testing.T) {
	text := tiny(t)
	whole := strings.TrimRight(text, "\n")
	for cut := range len(whole) {
		_, err := plan.Decode(strings.NewReader(whole[:cut]))
		if err == nil {
			t.Fatalf("the first %d of %d bytes are read as a plan", cut, len(whole))
		}
		m := lineError.FindStringSubmatch(err.Error())
		if m == nil || strings.Contains(err.Error(), "\n") {
			t.Fatalf("cut after %d bytes: %q does not name a line", cut, err)
		}
		if most := fmt.Sprint(strings.Count(whole[:cut], "\n") + 1); len(m[1]) > len(most) || len(m[1]) == len(most) && m[1] > most {
			t.Fatalf("cut after %d bytes, in line %s: %q", cut, most, err)
		}
	}
	if _, err := plan.Decode(strings.NewReader(whole)); err != nil {
		t.Error(err)
	}
}

// TestErrorsNameTheLine breaks every transfer in turn.
func TestErrorsNameTheLine(t *testing.T) {
	lines := strings.Split(tiny(t), "\n")
	broken := 0
	for i, line := range lines {
		if !strings.Contains(line, `"src":`) {
			continue
		}
		broken++
		changed := append([]string(nil), lines...)
		changed[i] = strings.Replace(line, `"action":"reduce"`, `"action":"add"`, 1)
		_, err := plan.Decode(strings.NewReader(strings.Join(changed, "\n")))
		if want := fmt.Sprintf("line %d: ", i+1); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if broken != 8 {
		t.Errorf("broke %d transfers", broken)
	}
}

// TestBadFilesAreOneLineErrors replaces a piece of a good file.
func TestBadFilesAreOneLineErrors(t *testing.T) {
	cases := []struct{ name, old, new, want string }{
		{"nothing but null", "", "null", `plan: want \{`},
		{"a list", "", "[]", `plan: want \{`},
		{"text of several lines", "", "\"one\ntwo\"", `invalid character`},
		{"a text", "", `"one\ntwo"`, `plan: want \{, found "one\\ntwo"`},
		{"an empty object", "", "{}", `plan: no "schema"`},
		{"not JSON", "", "schema: lightpath.plan/v1", `invalid character`},
		{"wrong schema", "lightpath.plan/v1", "lightpath.plan/v2", `schema is "lightpath.plan/v2", this version reads "lightpath.plan/v1"`},
		{"schema is a number", `"lightpath.plan/v1"`, `1`, `schema: `},
		{"no schema", `"schema"`, `"schemas"`, `plan: no "schema"`},
		{"no fabric", `"fabric"`, `"fabrics"`, `stages must come after fabric and collective`},
		{"no collective", `"collective"`, `"collectives"`, `stages must come after fabric and collective`},
		{"no cost", `"cost_ns"`, `"costs"`, `plan: no "cost_ns"`},
		{"no stages", `"stages"`, `"phases"`, `plan: no "stages"`},
		{"no links", `"links"`, `"circuits"`, `stage 1: no "links"`},
		{"no topology", `"topology"`, `"graph"`, `stage 1: no "topology"`},
		{"no steps", `"steps"`, `"rounds"`, `stage 1: no "steps"`},
		{"no transfers", `"transfers"`, `"moves"`, `stage 1, step 1: no "transfers"`},
		{"no source", `"src"`, `"from"`, `stage 1, step 1, transfer 1: no "src"`},
		{"no target", `"dst"`, `"to"`, `stage 1, step 1, transfer 1: no "src" or no "dst"`},
		{"no action", `"action"`, `"verb"`, `stage 1, step 1, transfer 1: action "" is not "copy" or "reduce"`},
		{"no chunks", `"chunks":[`, `"blocks":[`, `stage 1, step 1, transfer 1: no chunk`},
		{"a field twice", `"planner"`, `"schema"`, `plan: "schema" is there twice`},
		{"stages twice", "\n}\n", `,"stages":[]}`, `"stages" is there twice`},
		{"a stage's field twice", `"start_ns"`, `"topology"`, `stage 1: "topology" is there twice`},
		{"a step's field twice", `"total_ns"`, `"index"`, `stage 1, step 1: "index" is there twice`},
		{"stages are null", `"stages": [`, `"stages": null, "rest": [`, `stages: want \[`},
		{"stages are an object", `"stages": [`, `"stages": {}, "rest": [`, `stages: want \[`},
		{"more after the end", "\n}\n", "\n}\n{}", `more after the end`},
		{"a bracket after the end", "\n}\n", "\n}\n]", `more after the end`},
		{"a comma too many", "\n}\n", ",\n}\n", `invalid character`},
		{"unknown operation", `"op":"reducescatter"`, `"op":"sprinkle"`, `unknown operation "sprinkle"`},
		{"chunks of another kind", `"kind":"blocks"`, `"kind":"pairs"`, `chunks of kind "pairs" do not fit reducescatter`},
		{"chunks of no kind", `"kind":"blocks"`, `"kind":""`, `chunks of kind "" do not fit`},
		{"no parts", `"parts":1`, `"parts":0`, `parts is 0`},
		{"huge parts", `"parts":1`, `"parts":4611686018427387904`, `parts is 4611686018427387904`},
		{"no size", `"size_bytes":8388608`, `"size_bytes":0`, `size_bytes must be above 0`},
		{"negative size", `"size_bytes":8388608`, `"size_bytes":-1`, `size_bytes must be above 0`},
		{"size that is no integer", `"size_bytes":8388608`, `"size_bytes":8.5`, `collective: `},
		{"size beyond 64 bits", `"size_bytes":8388608`, `"size_bytes":9223372036854775808`, `collective: `},
		{"one node", `"nodes":4`, `"nodes":1`, `fabric: nodes: 1 is not in`},
		{"too many nodes", `"nodes":4`, `"nodes":1000000000`, `fabric: nodes`},
		{"no ports", `"ports":1`, `"ports":0`, `fabric: ports`},
		{"no bandwidth", `"bandwidth_bps":800000000000`, `"bandwidth_bps":0`, `fabric: bandwidth`},
		{"negative alpha", `"alpha_ns":500`, `"alpha_ns":-500`, `fabric: alpha_ns`},
		{"endless delta", `"delta_ns":500`, `"delta_ns":1e300`, `fabric: delta_ns`},
		{"a number beyond float64", `"delta_ns":500`, `"delta_ns":1e999`, `fabric: `},
		{"unknown routing", `"routing":"optimal"`, `"routing":"best"`, `fabric: routing`},
		{"node too large", `"src":0`, `"src":4`, `stage 1, step 1, transfer 1: 4->1 is outside 0\.\.3`},
		{"node negative", `"src":0`, `"src":-1`, `stage 1, step 1, transfer 1: -1->1 is outside 0\.\.3`},
		{"node that is no integer", `"src":0`, `"src":0.5`, `stage 1, step 1, transfer 1: `},
		{"node beyond 64 bits", `"src":0`, `"src":18446744073709551616`, `stage 1, step 1, transfer 1: `},
		{"unknown action", `"action":"reduce"`, `"action":"sum"`, `action "sum" is not`},
		{"chunk too large", `"chunks":[[1,2,2]]`, `"chunks":[4]`, `stage 1, step 1, transfer 1: chunks \[4,1,1\] are not within 0\.\.3`},
		{"chunks too many", `"chunks":[[1,2,2]]`, `"chunks":[[0,9223372036854775807,9223372036854775807]]`, `are not within 0\.\.3`},
		{"chunks named twice", `"chunks":[[1,2,2]]`, `"chunks":[[0,4,1],[0,4,1]]`, `a chunk is named twice`},
		{"no chunk", `"chunks":[[1,2,2]]`, `"chunks":[]`, `stage 1, step 1, transfer 1: no chunk`},
		{"chunks of another shape", `"chunks":[[1,2,2]]`, "\"chunks\":[{\n}]", `transfer 1: chunks: \{ \} is not a chunk number`},
		{"route outside", `"path":[0,1]`, `"path":[0,7,1]`, `transfer 1: route 1 passes node 7, outside 0\.\.3`},
		{"route beyond 32 bits", `"path":[0,1]`, `"path":[0,4294967296]`, `transfer 1: `},
		{"share beyond float64", `"share":1`, `"share":1e400`, `transfer 1: `},
		{"link outside", `"links":[[0,1,1]`, `"links":[[0,4,1]`, `stage 1: link \[0 4 1\] is not`},
		{"link without circuits", `"links":[[0,1,1]`, `"links":[[0,1,0]`, `stage 1: link \[0 1 0\] is not`},
		{"link with too many circuits", `"links":[[0,1,1]`, `"links":[[0,1,4294967297]`, `stage 1: link`},
		{"symmetry of other nodes", `"dims":[4]`, `"dims":[5]`, `stage 1, step 1: symmetry makes no sense for 4 nodes`},
		{"symmetry that does not divide", `"stride":[1]`, `"stride":[3]`, `symmetry makes no sense`},
		{"symmetry of nothing", `"distinct":1`, `"distinct":0`, `symmetry makes no sense`},
		{"symmetry with half a side", `"stride":[1]`, `"stride":[]`, `symmetry makes no sense`},
		{"stage is a text", `{"topology":`, `"one\ntwo",{"topology":`, `stage 1: want \{, found "one\\ntwo"`},
	}
	good := tiny(t)
	for _, tc := range cases {
		text := tc.new
		if tc.old != "" {
			if !strings.Contains(good, tc.old) {
				t.Errorf("%s: the file has no %s", tc.name, tc.old)
				continue
			}
			text = strings.Replace(good, tc.old, tc.new, 1)
		}
		_, err := plan.Decode(strings.NewReader(text))
		if err == nil {
			t.Errorf("%s: is read", tc.name)
			continue
		}
		if strings.Contains(err.Error(), "\n") || !lineError.MatchString(err.Error()) || len(err.Error()) > 300 {
			t.Errorf("%s: %q is not one line that names the line", tc.name, err)
		}
		if !regexp.MustCompile(tc.want).MatchString(err.Error()) {
			t.Errorf("%s: %q, want %q", tc.name, err, tc.want)
		}
	}
	t.Logf("%d kinds of bad files", len(cases))
}

// A few bytes can stand for more chunks than any memory holds.
func TestHugeSetsOfChunksAreRefusedWithoutListingThem(t *testing.T) {
	text := tiny(t)
	for _, change := range [][2]string{
		{`"nodes":4`, `"nodes":65536`}, {`"kind":"blocks","parts":1`, `"kind":"pairs","parts":1048576`},
		{`"op":"reducescatter"`, `"op":"alltoall"`}, {`"chunks":[[1,2,2]]`, `"chunks":[[0,4503599627370496,1]]`}, {`"dims":[4]`, `"dims":[65536]`},
	} {
		text = strings.Replace(text, change[0], change[1], 1)
	}
	_, err := plan.Decode(strings.NewReader(text))
	if err == nil || !strings.Contains(err.Error(), "transfer 1: 4503599627370496 chunks; a transfer has at most") {
		t.Error(err)
	}
}

// A space of 2^52 chunks, one of which is sent, is refuted by the first that is not.
func TestHugeSpacesAreRefutedByOneChunk(t *testing.T) {
	p := clone(planned(t, "static", collective.AllToAll, "direct", func(f *fabric.Fabric) { f.Ports = 7 }))
	p.Collective.Space.Parts = 1 << 20
	for _, step := range p.Steps() {
		step.Base = step.Base[:1]
	}
	for _, shape := range []func(*plan.Plan) *plan.Plan{clone, expand} {
		report := mustVerify(t, shape(p))
		if first := report.First(); first == nil || first.Name != "result" && first.Name != "data" {
			t.Errorf("%+v", first)
		}
	}
}
