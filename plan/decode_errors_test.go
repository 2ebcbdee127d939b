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
		{"nothing but null", "", "null", `plan: want an object, found null`},
		{"a list", "", "[]", `plan: want an object, found a list`},
		{"text of several lines", "", "\"one\ntwo\"", `plan: want an object, found a string`},
		{"a text", "", `"one\ntwo"`, `plan: want an object, found a string`},
		{"an empty object", "", "{}", `plan: no "schema"`},
		{"not JSON", "", "schema: lightpath.plan/v1", `plan: want an object, found 's'`},
		{"wrong schema", "lightpath.plan/v1", "lightpath.plan/v2", `schema is "lightpath.plan/v2", this version reads "lightpath.plan/v1"`},
		{"schema is a number", `"lightpath.plan/v1"`, `1`, `schema: `},
		{"no schema", `"schema"`, `"schemas"`, `plan: unknown key "schemas"; want schema, requires`},
		{"no fabric", `"fabric"`, `"fabrics"`, `plan: unknown key "fabrics"`},
		{"no collective", `"collective"`, `"collectives"`, `plan: unknown key "collectives"`},
		{"no cost", `"cost_ns"`, `"costs"`, `plan: unknown key "costs"`},
		{"no stages", `"stages"`, `"phases"`, `plan: unknown key "phases"`},
		{"no links", `"links"`, `"cables"`, `stage 1: unknown key "cables"`},
		{"circuits of three numbers", `"links"`, `"circuits"`, `stage 1: circuits: \[0\]: want a list of 5, not of 3`},
		{"no topology", `"topology"`, `"graph"`, `stage 1: unknown key "graph"`},
		{"no steps", `"steps"`, `"rounds"`, `stage 1: unknown key "rounds"`},
		{"no transfers", `"transfers"`, `"moves"`, `stage 1, step 1: unknown key "moves"`},
		{"no source", `"src"`, `"from"`, `stage 1, step 1, transfer 1: unknown key "from"`},
		{"no target", `"dst"`, `"to"`, `stage 1, step 1, transfer 1: unknown key "to"`},
		{"no action", `"action"`, `"verb"`, `stage 1, step 1, transfer 1: unknown key "verb"`},
		{"no chunks", `"chunks":[`, `"blocks":[`, `stage 1, step 1, transfer 1: unknown key "blocks"`},
		{"source left out", `"src":0,`, ``, `stage 1, step 1, transfer 1: no "src" or no "dst"`},
		{"action left out", `"action":"reduce",`, ``, `stage 1, step 1, transfer 1: action "" is not "copy", "reduce" or "replace"`},
		{"chunks left out", `"chunks":[[1,2,2]],`, ``, `stage 1, step 1, transfer 1: no chunk`},
		{"planner left out before the fabric", `"fabric": {`, `"stages": [], "fabric": {`, `stages must come after fabric and collective`},
		{"a key of the fabric", `"duplex":false`, `"duplx":false`, `fabric: duplx: unknown; want nodes`},
		{"a key of the fabric in capitals", `"duplex":false`, `"Duplex":false`, `fabric: Duplex: unknown; did you mean duplex\?`},
		{"a key of the fabric twice", `"duplex":false`, `"duplex":false,"duplex":true`, `fabric: "duplex" is listed twice`},
		{"a key of the delay", `"base_ns":10000`, `"base_ns":10000,"more_ns":1`, `fabric: reconfig.more_ns: unknown`},
		{"a key of the cost", `"startup":`, `"startups":`, `cost_ns: startups: unknown`},
		{"a key of the chunks", `"parts":1`, `"parts":1,"gpu":[0]`, `collective: chunks.gpu: unknown`},
		{"a key of the symmetry", `"distinct":1`, `"distinct":1,"size":4`, `stage 1, step 1: symmetry: size: unknown`},
		{"a key of a transfer in capitals", `"src":0`, `"SRC":0`, `transfer 1: unknown key "SRC"`},
		{"a key of a transfer twice", `"src":0`, `"src":0,"src":0`, `transfer 1: "src" is listed twice`},
		{"a key of a route", `"share":1`, `"share":1,"colour":2`, `routes: unknown key "colour"`},
		{"a link of four numbers", `"links":[[0,1,1]`, `"links":[[0,1,1,1]`, `stage 1: links: \[0\]: want a list of 3, not of more`},
		{"a link of two numbers", `"links":[[0,1,1]`, `"links":[[0,1]`, `stage 1: links: \[0\]: want a list of 3, not of 2`},
		{"a run of four numbers", `"chunks":[[1,2,2]]`, `"chunks":[[1,2,2,1]]`, `chunks: a run of more than`},
		{"text that is not UTF-8", `"planner": "every-step"`, "\"planner\": \"every\xff-step\"", `planner: "every\\xff-step" is not valid UTF-8`},
		{"a requirement twice", `"planner"`, `"requires": ["replace", "lanes", "replace"], "planner"`, `requires: "replace" is listed twice`},
		{"a key of a later version", `"planner"`, `"requires": ["pace"], "planner"`, `requires: the plan needs "pace", which this version does not know`},
		{"a field twice", `"planner"`, `"schema"`, `plan: "schema" is listed twice`},
		{"stages twice", "\n}\n", `,"stages":[]}`, `"stages" is listed twice`},
		{"a stage's field twice", `"start_ns"`, `"topology"`, `stage 1: "topology" is listed twice`},
		{"a step's field twice", `"total_ns"`, `"index"`, `stage 1, step 1: "index" is listed twice`},
		{"stages are null", `"stages": [`, `"stages": null, "rest": [`, `stages: want a list`},
		{"stages are an object", `"stages": [`, `"stages": {}, "rest": [`, `stages: want a list`},
		{"more after the end", "\n}\n", "\n}\n{}", `more after the end`},
		{"a bracket after the end", "\n}\n", "\n}\n]", `more after the end`},
		{"a comma too many", "\n}\n", ",\n}\n", `want a string, found '}'`},
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
		{"chunks of another shape", `"chunks":[[1,2,2]]`, "\"chunks\":[{\n}]", `transfer 1: chunks: not a chunk number`},
		{"route outside", `"path":[0,1]`, `"path":[0,7,1]`, `transfer 1: routes: route 1 passes node 7, outside 0\.\.3`},
		{"route beyond 32 bits", `"path":[0,1]`, `"path":[0,4294967296]`, `transfer 1: `},
		{"share beyond float64", `"share":1`, `"share":1e400`, `transfer 1: `},
		{"link outside", `"links":[[0,1,1]`, `"links":[[0,4,1]`, `stage 1: link \[0 4 1\] is not`},
		{"link without circuits", `"links":[[0,1,1]`, `"links":[[0,1,0]`, `stage 1: link \[0 1 0\] is not`},
		{"link with too many circuits", `"links":[[0,1,1]`, `"links":[[0,1,4294967297]`, `stage 1: link`},
		{"symmetry of other nodes", `"dims":[4]`, `"dims":[5]`, `stage 1, step 1: symmetry makes no sense for 4 nodes`},
		{"symmetry that does not divide", `"stride":[1]`, `"stride":[3]`, `symmetry makes no sense`},
		{"symmetry of nothing", `"distinct":1`, `"distinct":0`, `symmetry makes no sense`},
		{"symmetry with half a side", `"stride":[1]`, `"stride":[]`, `symmetry makes no sense`},
		{"stage is a text", `{"topology":`, `"one\ntwo",{"topology":`, `stage 1: want an object, found a string`},
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

// A space of 2^52 chunks with one that is sent is refuted by the first chunk that is not.
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
