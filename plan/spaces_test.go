package plan_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/plantest"
	"github.com/lightpath-net/lightpath/topology"
)

const (
	twoOps   = plantest.TwoOps
	mixed    = plantest.Mixed
	weighted = plantest.Weighted
	cut      = plantest.Cut
	few      = plantest.Few
)

func TestSpacesSurviveTheirFile(t *testing.T) {
	for _, name := range plantest.Spaces {
		made := plantest.SpacePlan(t, name)
		if report := mustVerify(t, made); !report.OK {
			t.Errorf("%s: %+v", name, report.First())
		}
		text := encoded(t, made)
		read := decoded(t, text)
		if again := encoded(t, read); again != text {
			t.Errorf("%s: written again it differs:\n%s", name, difference(text, again))
		}
		if report := mustVerify(t, read); !report.OK {
			t.Errorf("%s, read: %+v", name, report.First())
		}
		for i := range made.Stages {
			for j := range made.Stages[i].Steps {
				a, b := &made.Stages[i].Steps[j], &read.Stages[i].Steps[j]
				if len(a.Base) != len(b.Base) || !slices.Equal(a.Group.Dims, b.Group.Dims) {
					t.Errorf("%s: stage %d, step %d: %d transfers under %v became %d under %v", name, i+1, j+1, len(a.Base), a.Group, len(b.Base), b.Group)
				}
			}
		}
	}
}

// A sequence in which only some operations look the same from every GPU keeps their symmetry.
func TestMixedSequencesKeepTheSymmetryTheyHave(t *testing.T) {
	with, without := 0, 0
	for _, step := range plantest.SpacePlan(t, mixed).Steps() {
		if step.Group.Trivial() {
			without++
		} else {
			with++
		}
	}
	if with != 14 || without != 9 { // one step of the shift has nothing to send
		t.Errorf("%d steps with symmetry and %d without, want 14 of the allreduce and 6+3 others", with, without)
	}
}

// sectionOf returns a section of the collective of a plan file.
func sectionOf(doc object, i int) object {
	return chunksOf(doc)["sections"].([]any)[i].(object)
}

func chunksOf(doc object) object { return doc["collective"].(object)["chunks"].(object) }

// spaceMutations misstate what chunks are and where they go. Steps 1 to 14 of twoOps are the
// allreduce, 15 to 21 the alltoall; each has its own stage or the first one.
var spaceMutations = []fileMutation{
	{"a transfer of the second operation is left out", twoOps, "result", `nobody sends it`, func(doc object) {
		step := lastStep(doc)
		step["transfers"] = step["transfers"].([]any)[1:]
	}},
	{"a chunk of the first operation in the second", twoOps, "form", `chunks of several operations in one step|of operation 1 after`, func(doc object) {
		lastStep(doc)["transfers"].([]any)[0].(object)["chunks"] = []any{0}
	}},
	{"a step of the first operation in the second", twoOps, "form", `chunks of operation 1 after those of operation 2`, func(doc object) {
		step := lastStep(doc)
		for _, tr := range step["transfers"].([]any) {
			tr.(object)["chunks"] = []any{0}
		}
	}},
	{"a set of chunks across two operations", twoOps, "form", `chunks of several operations in one step`, func(doc object) {
		transferOf(doc, 0, 0, 0)["chunks"] = []any{[]any{7, 2, 1}}
	}},
	{"another first operation", twoOps, "data", `node 1 sends chunk 0, which it does not have`, func(doc object) { sectionOf(doc, 0)["op"] = "allgather" }},
	{"a second operation with other chunks", twoOps, "read", `section 2: chunks of kind "pairs" do not fit gather`,
		func(doc object) { sectionOf(doc, 1)["op"] = "gather" }},
	{"an unknown operation in a section", twoOps, "read", `section 1: unknown operation "sum"`, func(doc object) { sectionOf(doc, 0)["op"] = "sum" }},
	{"a sequence in a sequence", twoOps, "read", `section 1: a sequence within a sequence`, func(doc object) { sectionOf(doc, 0)["op"] = "sequence" }},
	{"a section of another size", twoOps, "read", `size_bytes is 16777216, that of the chunks 8388609`,
		func(doc object) { sectionOf(doc, 0)["size_bytes"] = 1 }},
	{"a section without size", twoOps, "read", `section 1: size_bytes must be above 0`, func(doc object) { sectionOf(doc, 0)["size_bytes"] = 0 }},
	{"sections whose sizes overflow", twoOps, "read", `add up to more than`, func(doc object) {
		sectionOf(doc, 0)["size_bytes"] = json.Number("9223372036854775807")
	}},
	{"no section", twoOps, "read", `no section`, func(doc object) { chunksOf(doc)["sections"] = []any{} }},
	{"sections and parts", twoOps, "read", `nothing but sections`, func(doc object) { chunksOf(doc)["parts"] = 1 }},
	{"sections of a plain operation", twoOps, "read", `chunks of kind "sections" do not fit allreduce`,
		func(doc object) { doc["collective"].(object)["op"] = "allreduce" }},
	{"fewer sections than operations", twoOps, "read", `chunks .* are not within`, func(doc object) {
		chunksOf(doc)["sections"] = chunksOf(doc)["sections"].([]any)[:1]
		doc["collective"].(object)["size_bytes"] = 8 << 20
	}},

	{"bytes that were not planned for", weighted, "cost", `its chunks have`, func(doc object) {
		chunksOf(doc)["bytes"].([]any)[0].([]any)[3] = json.Number("300001")
		chunksOf(doc)["bytes"].([]any)[0].([]any)[1] = json.Number("99999")
	}},
	{"a size that is not that of the pairs", weighted, "read", `size_bytes is 7, that of the chunks`,
		func(doc object) { doc["collective"].(object)["size_bytes"] = 7 }},
	{"negative bytes", weighted, "read", `from 0 to 1 is -1 bytes`,
		func(doc object) { chunksOf(doc)["bytes"].([]any)[0].([]any)[1] = -1 }},
	{"bytes of nobody", weighted, "read", `demand of 0 rows`, func(doc object) { chunksOf(doc)["bytes"] = []any{} }},
	{"a row too few", weighted, "read", `demand of 7 rows for 8 nodes`,
		func(doc object) { chunksOf(doc)["bytes"] = chunksOf(doc)["bytes"].([]any)[1:] }},
	{"an entry too few", weighted, "read", `row 2 of the demand has 1 entries`,
		func(doc object) { chunksOf(doc)["bytes"].([]any)[2] = []any{1} }},
	{"a chunk without bytes is sent", weighted, "data", `which it does not have`, func(doc object) {
		// Node 0 has 300000 bytes for node 7 and none for node 4; keep the size.
		row := chunksOf(doc)["bytes"].([]any)[0].([]any)
		row[1], row[0] = 0, 100000
	}},
	{"bytes of pairs of another operation", weighted, "read", `do not fit allgather`, func(doc object) {
		doc["collective"].(object)["op"] = "allgather"
	}},
	{"pieces of a space that lists none", weighted, "read", `pieces are for chunks of kind "listed"`,
		func(doc object) { chunksOf(doc)["pieces"] = []any{} }},

	{"pieces that are less than the pair", cut, "read", `the chunks from \d to \d have .*, not`,
		func(doc object) { pieceOf(doc, 0)["bytes"] = 1 }},
	{"a piece too many", cut, "read", `the chunks from 0 to 1 have`, func(doc object) {
		chunksOf(doc)["pieces"] = append(chunksOf(doc)["pieces"].([]any), object{"bytes": 1, "from": []any{0}, "to": []any{1}})
	}},
	{"negative pieces", cut, "read", `chunk 0: -1 bytes`, func(doc object) { pieceOf(doc, 0)["bytes"] = -1 }},
	{"endless pieces", cut, "read", `chunk 0: 1e\+300 bytes`, func(doc object) { pieceOf(doc, 0)["bytes"] = json.Number("1e300") }},
	{"a piece to two nodes", cut, "read", `chunk 0: in alltoall a piece goes from one node to one`,
		func(doc object) { pieceOf(doc, 0)["to"] = []any{1, 2} }},
	{"a piece that is reduced", cut, "read", `chunk 0: in alltoall`, func(doc object) { pieceOf(doc, 0)["reduce"] = true }},
	{"a piece from nowhere", cut, "read", `chunk 0: from names no node`, func(doc object) { pieceOf(doc, 0)["from"] = []any{} }},
	{"a piece to nowhere", cut, "read", `chunk 0: to has a node outside 0\.\.7`, func(doc object) { pieceOf(doc, 0)["to"] = []any{8} }},
	{"a piece twice from the same", cut, "read", `chunk 0: from names a node twice`, func(doc object) { pieceOf(doc, 0)["from"] = []any{1, 1} }},
	{"no piece", cut, "read", `no piece`, func(doc object) { chunksOf(doc)["pieces"] = []any{} }},
	{"pieces with parts", cut, "read", `no parts`, func(doc object) { chunksOf(doc)["parts"] = 2 }},
	{"pieces of an operation that has none", cut, "read", `chunks of kind "listed" do not fit broadcast`,
		func(doc object) { doc["collective"].(object)["op"] = "broadcast" }},
	{"pieces as a pattern of another size", cut, "read", `size_bytes is \d+, that of the chunks`, func(doc object) {
		doc["collective"].(object)["op"] = "pattern"
		delete(chunksOf(doc), "bytes")
	}},
	{"two pieces swapped", cut, "read|data|result", `.`, func(doc object) {
		a, b := pieceOf(doc, 0), pieceOf(doc, 1)
		a["from"], b["from"] = b["from"], a["from"]
	}},

	{"a member twice", few, "read", `GPU 1 is listed twice`, func(doc object) { chunksOf(doc)["gpus"] = []any{1, 1, 3, 4} }},
	{"a member out of range", few, "read", `GPUs are numbered 0\.\.7`, func(doc object) { chunksOf(doc)["gpus"] = []any{6, 1, 3, 8} }},
	{"a negative member", few, "read", `GPUs are numbered 0\.\.7`, func(doc object) { chunksOf(doc)["gpus"] = []any{6, 1, 3, -4} }},
	{"one member", few, "read", `want 2 or more GPUs, not 1`, func(doc object) { chunksOf(doc)["gpus"] = []any{6} }},
	{"no member", few, "read", `want 2 or more GPUs, not 0`, func(doc object) { chunksOf(doc)["gpus"] = []any{} }},
	{"another member", few, "data", `which has nothing of it|does not have`, func(doc object) { chunksOf(doc)["gpus"] = []any{6, 1, 3, 5} }},
	{"a member too many", few, "result", `.`, func(doc object) { chunksOf(doc)["gpus"] = []any{6, 1, 3, 4, 5} }},
	{"all of them", few, "result", `.`, func(doc object) { delete(chunksOf(doc), "gpus") }},
	{"a symmetry that the members do not have", few, "", "", func(doc object) {
		// The symmetry is only a hint, and is dropped: all transfers are listed.
		stepOf(doc, 0, 0)["symmetry"] = object{"dims": []any{8}, "stride": []any{2}, "distinct": 1}
	}},
	// A plain operation has its own chunks; the sections would be used instead.
	{"sections where there are none", few, "read", `sections are for chunks of kind "sections"`, func(doc object) {
		chunksOf(doc)["sections"] = []any{object{"op": "allreduce", "size_bytes": 1, "chunks": object{"kind": "blocks"}}}
	}},
}

func lastStep(doc object) object {
	stages := doc["stages"].([]any)
	return stepOf(doc, len(stages)-1, len(stageOf(doc, len(stages)-1)["steps"].([]any))-1)
}

func pieceOf(doc object, i int) object { return chunksOf(doc)["pieces"].([]any)[i].(object) }

func TestVerifyCatchesLiesAboutChunks(t *testing.T) {
	for _, m := range spaceMutations {
		t.Run(m.name, func(t *testing.T) {
			doc := parsed(t, encoded(t, plantest.SpacePlan(t, m.of)))
			m.apply(doc)
			check, detail := "", ""
			if p, err := recoded(doc); err != nil {
				check, detail = "read", err.Error()
			} else if first := mustVerify(t, p).First(); first != nil {
				check, detail = first.Name, first.Detail
			}
			if !regexp.MustCompile("^("+m.check+")$").MatchString(check) || !regexp.MustCompile(m.detail).MatchString(detail) {
				t.Errorf("%s: %q, want %s: %q", check, detail, m.check, m.detail)
			}
			if strings.Contains(detail, "\n") {
				t.Errorf("%q is not one line", detail)
			}
		})
	}
}

// The verifier runs one chunk of each orbit. A file must not choose which: here half of
// every block is never sent, and sections of no chunks would hide it.
func TestSectionsDoNotHideChunks(t *testing.T) {
	p := planned(t, "every-step", collective.AllGather, "ring", func(*fabric.Fabric) {})
	p.Collective.Space.Parts = 2
	for _, step := range p.Steps() {
		for i := range step.Base {
			for r := range step.Base[i].Chunks {
				run := &step.Base[i].Chunks[r]
				run.First, run.Stride = 2*run.First, 2*run.Stride
			}
		}
	}
	if err := p.Price(); err != nil {
		t.Fatal(err)
	}
	p.Bound = 0
	if first := mustVerify(t, p).First(); first == nil || first.Name != "result" {
		t.Fatalf("the plan is to be wrong in its result: %+v", first)
	}
	p.Collective.Space.Sections = []collective.Section{{Space: collective.Space{Kind: collective.Blocks, Nodes: 8}}}
	if mustVerify(t, p).OK {
		t.Error("half an allgather is taken for whole")
	}
}

// Symmetry in memory is refused where images would have other bytes.
func TestSymmetryNeedsChunksThatLookAlike(t *testing.T) {
	for _, name := range []string{weighted, cut, few} {
		p := plantest.SpacePlan(t, name)
		p.Stages[0].Steps[0].Group = topology.Rotations(8, 1)
		first := mustVerify(t, p).First()
		if first == nil || first.Name != "form" || !strings.Contains(first.Detail, "symmetry where chunks differ") {
			t.Errorf("%s: %+v", name, first)
		}
	}
}

// A hint at a symmetry that only the bytes lack is dropped like any other: all transfers are
// listed.
func TestSymmetryOfTransfersWhoseBytesDiffer(t *testing.T) {
	d := plantest.SomeBytes(8)
	for s := range d {
		for r := range d[s] {
			d[s][r]++ // every pair has something to send
		}
	}
	c, err := algorithms.NewExchange(context.Background(), "shift", d, 1)
	if err != nil {
		t.Fatal(err)
	}
	doc := parsed(t, encoded(t, plantest.EveryStep(t, c)))
	for _, stage := range doc["stages"].([]any) {
		for _, step := range stage.(object)["steps"].([]any) {
			step.(object)["symmetry"] = object{"dims": []any{8}, "stride": []any{1}, "distinct": 1}
		}
	}
	p, err := recoded(doc)
	if err != nil {
		t.Fatal(err)
	}
	if report := mustVerify(t, p); !report.OK {
		t.Errorf("%+v", report.First())
	}
}

// Small files that stand for a lot must neither take a lot of memory nor cause a panic.
func TestSmallFilesThatStandForMuch(t *testing.T) {
	const fabricText = `{"nodes":65536,"ports":1,"bandwidth_bps":800000000000,"alpha_ns":1,"delta_ns":1,` +
		`"reconfig":{"model":"constant","base_ns":1},"duplex":false,"forwarding":"cut-through","initial":"free","routing":"optimal"}`
	section := `{"op":"allgather","algorithm":"ring","size_bytes":1,"chunks":{"kind":"blocks","parts":1048576}}`
	many := strings.Repeat(section+",", 9999) + section
	for _, c := range []struct{ name, collective, chunks, want string }{
		{"huge parts", `{"op":"allgather","size_bytes":1,"chunks":{"kind":"blocks","parts":1048576}}`, `[[0,65536,1048576]]`, `result`},
		{"huge runs", `{"op":"allgather","size_bytes":1,"chunks":{"kind":"blocks","parts":1048576}}`, `[[0,67108864,1024]]`, `a transfer has at most`},
		{"a transfer of everything", `{"op":"alltoall","size_bytes":1,"chunks":{"kind":"pairs","parts":1048576}}`, `[[0,4503599627370496,1]]`, `a transfer has at most`},
		{"many sections", `{"op":"sequence","size_bytes":10000,"chunks":{"kind":"sections","sections":[` + many + `]}}`, `[0]`, `result`},
		{"few pieces of many nodes", `{"op":"alltoall","size_bytes":1,"chunks":{"kind":"listed","pieces":[{"bytes":1,"from":[0],"to":[1]}]}}`, `[0]`, `the chunks from 0 to 1 have`},
		{"a pattern of many nodes", `{"op":"pattern","size_bytes":1,"chunks":{"kind":"listed","pieces":[{"bytes":1,"from":[0],"to":[65535]}]}}`, `[0]`, `result`},
	} {
		text := fmt.Sprintf(`{"schema":"lightpath.plan/v1","fabric":%s,"collective":%s,"cost_ns":{"total":0},"stages":[{"topology":"x","links":[[0,1,1]],"steps":[`+
			`{"index":1,"transfers":[{"src":0,"dst":1,"action":"copy","chunks":%s,"routes":[{"share":1,"path":[0,1]}]}]}]}]}`, fabricText, c.collective, c.chunks)
		said := ""
		if p, err := plan.Decode(strings.NewReader(text)); err != nil {
			said = err.Error()
		} else {
			for _, check := range mustVerify(t, p).Checks {
				if !check.OK {
					said += check.Name + " "
				}
			}
		}
		if !strings.Contains(said, c.want) || len(said) > 300 {
			t.Errorf("%s: %.300q, want %q", c.name, said, c.want)
		}
	}
}
