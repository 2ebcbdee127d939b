package collective_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

func readPattern(t testing.TB, text string) *collective.PatternFile {
	t.Helper()
	p, err := collective.ReadPattern(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

// ours is a file of our schema, with pieces; one of them is reduced.
const ours = `{"schema":"lightpath.pattern/v1","name":"mine","nodes":4,"ports":2,
 "chunks":[{"bytes":100,"from":[0],"to":[1,2]},{"bytes":2.5,"from":[1,3],"to":[0],"reduce":true}],
 "steps":[{"transfers":[{"src":0,"dst":1,"chunks":[0]},{"src":3,"dst":1,"action":"reduce","chunks":[1]}]},
          {"transfers":[{"src":1,"dst":2,"chunks":[0]},{"src":1,"dst":0,"action":"copy","chunks":[1]}]}]}`

// authors is a file of HARVEST's authors' schema.
const authors = `{"schema":"collective_pattern/v1","name":"theirs","n":4,"dims":[2,2],
 "steps":[{"id":0,"chunksize":7,"demand":[[0,1,1e6],[1,0,1000],[2,2,9],[2,3,0]]},{"id":1,"demand":[[3,3,5]]},{"id":2,"demand":[[0,1,0.5]]}]}`

// operation is an allreduce of two nodes in steps of one's own.
const operation = `{"schema":"lightpath.pattern/v1","nodes":2,"op":"allreduce","size_bytes":1000,"chunks":{"kind":"blocks","parts":1},
 "steps":[{"transfers":[{"src":0,"dst":1,"action":"reduce","chunks":[[0,2,1]]}]},{"transfers":[{"src":1,"dst":0,"chunks":[0,1]}]}]}`

func TestPatternOfPieces(t *testing.T) {
	p := readPattern(t, ours)
	if p.Op != collective.Pattern || p.Algorithm != "mine" || p.Nodes != 4 || p.Ports != 2 || p.Size != 103 || len(p.Steps) != 2 {
		t.Errorf("%+v of %v with %d ports", p.Collective, p.Size, p.Ports)
	}
	duty := collective.Duties(p.Op, &p.Space)(1)
	if fmt.Sprint(duty) != "{[1 3] [0] true}" {
		t.Errorf("%v", duty)
	}
	if a := p.Steps[0].Base[0].Action; a != collective.Copy {
		t.Errorf("a transfer that does not say is %s", a)
	}
}

// Side sums are read and written again.
func TestPatternsMayKeepSideSums(t *testing.T) {
	p := readPattern(t, strings.Replace(operation, `"action":"reduce"`, `"action":"reduce","part":"own+side8","sides":[1,8]`, 1))
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*collective.PatternFile{p, readPattern(t, string(text))} {
		first := &x.Steps[0].Base[0]
		if first.Part != collective.SidePart(8, true) || first.Sides != collective.SidesOf(1, 8) || x.Steps[1].Base[0].Sides != 0 {
			t.Errorf("%+v", first)
		}
	}
}

// What takes no time is left out: nodes that send to themselves, nothing, and steps of
// nothing else.
func TestPatternOfDemands(t *testing.T) {
	p := readPattern(t, authors)
	if p.Op != collective.Pattern || p.Algorithm != "theirs" || p.Nodes != 4 || p.Ports != 0 || p.Size != 1001001 ||
		len(p.Steps) != 2 || len(p.Steps[0].Base) != 2 || len(p.Space.Pieces) != 3 {
		t.Errorf("%+v of %v", p.Collective, p.Size)
	}
	for _, step := range p.Steps {
		for _, tr := range step.Base {
			piece := p.Space.Pieces[tr.Chunks[0].First]
			if tr.Chunks.Len() != 1 || piece.From[0] != tr.Src || piece.To[0] != tr.Dst || piece.Reduces {
				t.Errorf("%v carries %v", tr, piece)
			}
		}
	}
}

func TestPatternOfAnOperation(t *testing.T) {
	p := readPattern(t, operation)
	if p.Op != collective.AllReduce || p.Size != 1000 || p.Space.Kind != collective.Blocks || len(p.Steps) != 2 {
		t.Errorf("%+v of %v", p.Collective, p.Size)
	}
	// A pattern is never taken for an algorithm of ours, whatever it is called.
	named := readPattern(t, strings.Replace(operation, `"nodes"`, `"name":"ring","nodes"`, 1))
	if named.Algorithm != "pattern:ring" {
		t.Errorf("it is called %q", named.Algorithm)
	}
	if _, err := algorithms.New(collective.AllReduce, named.Algorithm, 2, 1); err == nil {
		t.Errorf("%s is an algorithm", named.Algorithm)
	}
}

func TestPatternFilesAreNamedByTheirFile(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		ours:      "mine",
		operation: "pattern:swing.v2",
		strings.Replace(authors, `"name":"theirs",`, "", 1): "swing.v2",
	} {
		file := filepath.Join(dir, "swing.v2.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := collective.ReadPatternFile(file); err != nil || p.Algorithm != want {
			t.Errorf("%v, %v, want %s", p, err, want)
		}
	}
	if _, err := collective.ReadPatternFile(filepath.Join(dir, "none.json")); err == nil || !strings.Contains(err.Error(), "none.json") {
		t.Errorf("%v", err)
	}
	file := filepath.Join(dir, "bad.json")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := collective.ReadPatternFile(file); err == nil || !strings.HasPrefix(err.Error(), file+": ") {
		t.Errorf("%v", err)
	}
}

func TestBadPatternsAreOneLineErrors(t *testing.T) {
	for _, c := range []struct{ of, old, new, want string }{
		{ours, ours, ``, "the file is empty; want a pattern"},
		{ours, `]}]}`, ``, "is not a chunk number"},
		{ours, ours, `[]`, "want an object, found a list"},
		{ours, ours, `{}`, `schema is ""; want "lightpath.pattern/v1" or "collective_pattern/v1"`},
		{ours, `pattern/v1`, `pattern/v9`, `schema is "lightpath.pattern/v9"`},
		{ours, `"nodes":4`, `"nodes":"4"`, "nodes: want a number, found a string"},
		{ours, `"nodes":4`, `"nodes":4.5`, "nodes: 4.5 is not a whole number"},
		{ours, `"nodes":4`, `"nodes":1`, "nodes is 1; want 2..65536"},
		{ours, `"nodes":4`, `"nodes":65537`, "nodes is 65537"},
		{ours, `"nodes":4`, `"n":4`, "n and dims are for collective_pattern/v1; want nodes"},
		{ours, `"ports":2`, `"ports":-2`, "ports is -2"},
		{ours, `"ports":2`, `"port":2`, `port: unknown; want schema, name, ports`},
		{ours, `"mine"`, `"two\nlines"`, `name is "two\nlines"; want one line`},
		{ours, `"mine"`, `"` + strings.Repeat("x", 65) + `"`, "want one line of at most 64 bytes"},
		{ours, `"nodes":4`, `"nodes":4,"op":"sequence"`, `op is "sequence"; want pattern or one of allreduce`},
		{ours, `"nodes":4`, `"nodes":4,"op":"sum"`, `op is "sum"`},
		{ours, `"nodes":4`, `"nodes":4,"size_bytes":7`, "size_bytes is 7, that of the chunks 103"},
		{ours, `"nodes":4`, `"nodes":4,"size_bytes":-7`, "size_bytes must be above 0"},
		{ours, `"bytes":100`, `"bytes":0`, "chunk 0: 0 bytes; want more than 0"},
		{ours, `"bytes":100`, `"bytes":-1`, "chunk 0: -1 bytes"},
		{ours, `"bytes":100`, `"bytes":1e300`, "the chunks have 1e+300 bytes in all"},
		{ours, `"bytes":100`, `"bytes":1e999`, "chunks[0].bytes: 1e999 is not a number that fits"},
		{ours, `"bytes":100`, `"bytes":NaN`, "found 'N'"},
		{ours, `"from":[0]`, `"from":[]`, "chunk 0: from names no node"},
		{ours, `"from":[0]`, `"from":[4]`, "chunk 0: from has a node outside 0..3"},
		{ours, `"from":[0]`, `"from":[-1]`, "chunk 0: from has a node outside 0..3"},
		{ours, `"to":[1,2]`, `"to":[1,1]`, "chunk 0: to names a node twice"},
		{ours, `"to":[1,2]`, `"too":[1,2]`, `chunks[0].too: unknown; want bytes, from, to, reduce`},
		{ours, `"reduce":true`, `"reduces":true`, `chunks[1].reduces: unknown`},
		{ours, `"chunks":[{"bytes":100,"from":[0],"to":[1,2]},{"bytes":2.5,"from":[1,3],"to":[0],"reduce":true}]`, `"chunks":[]`, "the chunks have 0 bytes"},
		{ours, `"chunks":[{"bytes":100,"from":[0],"to":[1,2]},{"bytes":2.5,"from":[1,3],"to":[0],"reduce":true}],`, ``, "no chunks"},
		{ours, `"chunks":[{"bytes":100,"from":[0],"to":[1,2]},{"bytes":2.5,"from":[1,3],"to":[0],"reduce":true}]`, `"chunks":{"kind":"listed"}`,
			"chunks: want a list, found an object"},
		{ours, `"src":0`, `"src":4`, "step 1, transfer 1: 4 -> 1 are not two nodes of 0..3"},
		{ours, `"src":0`, `"src":1`, "step 1, transfer 1: 1 -> 1 are not two nodes"},
		{ours, `"src":0,`, ``, "step 1, transfer 1: no src or no dst"},
		{ours, `"action":"copy"`, `"part":"some"`, `step 2, transfer 2: part "some" is not "own", "received", "side1" to "side8" or "own+side1" to "own+side8", or left out for the whole value`},
		{ours, `"action":"copy"`, `"action":"move"`, `step 2, transfer 2: action "move" is not "copy", "reduce" or "replace"`},
		{ours, `"chunks":[0]}`, `"chunks":[2]}`, "step 1, transfer 1: chunks [2,1,1] are not within 0..1"},
		{ours, `"chunks":[0]}`, `"chunks":[]}`, "step 1, transfer 1: no chunk"},
		{ours, `"chunks":[0]}`, `"chunks":["a"]}`, `"a" is not a chunk number`},
		{ours, `{"transfers":[{"src":1,"dst":2`, `{},{"transfers":[{"src":1,"dst":2`, "step 2: want transfers"},
		{ours, `{"transfers":[{"src":1,"dst":2`, `{"demand":[[0,1,5]],"transfers":[{"src":1,"dst":2`, "step 2: want transfers"},
		{ours, ours, ours + `{}`, "there is more after the end"},
		{operation, `"action":"reduce"`, `"action":"reduce","sides":[2,1]`, "sides: 1 after 2; want ascending numbers"},
		{operation, `"action":"reduce"`, `"sides":[1]`, `step 1, transfer 1: sides are for action "reduce", not "copy"`},
		{operation, `"size_bytes":1000`, `"size_bytes":0`, "size_bytes must be above 0"},
		{operation, `"size_bytes":1000`, `"size_bytes":"1000B"`, "size_bytes: want a number, found a string"},
		{operation, `"parts":1`, `"parts":0`, "chunks: parts is 0"},
		{operation, `"parts":1`, `"part":1`, `chunks.part: unknown`},
		{operation, `"kind":"blocks"`, `"kind":"pairs"`, `chunks of kind "pairs" do not fit allreduce`},
		{operation, `"kind":"blocks"`, `"kind":"sections"`, `chunks of kind "sections" do not fit allreduce`},
		{operation, `"parts":1`, `"parts":1,"gpus":[1]`, "want 2 or more GPUs, not 1"},
		{operation, `{"kind":"blocks","parts":1}`, `[]`, `chunks: want an object, found a list`},
		// A few bytes that stand for a lot.
		{operation, `"parts":1},
 "steps":[{"transfers":[{"src":0,"dst":1,"action":"reduce","chunks":[[0,2,1]]}`,
			`"parts":1048576},"steps":[{"transfers":[` + strings.Repeat(`{"src":0,"dst":1,"action":"reduce","chunks":[[0,2097152,1]]},`, 8) + `{"src":1,"dst":0,"chunks":[0]}`,
			"transfer 9: more than 16777216 chunks have been sent by then"},
		{authors, `"n":4`, `"n":1`, "n is 1; want 2..65536"},
		{authors, `"n":4`, `"nodes":4`, "nodes, op, size_bytes and chunks are for lightpath.pattern/v1"},
		{authors, `[0,1,1e6]`, `[0,1]`, "step 1, demand 1: want [src,dst,bytes]"},
		{authors, `[0,1,1e6]`, `[0,4,1e6]`, "step 1, demand 1: 0 -> 4 is outside 0..3"},
		{authors, `[0,1,1e6]`, `[0,-1,1e6]`, "0 -> -1 is outside"},
		{authors, `[0,1,1e6]`, `[0.5,1,1e6]`, "0.5 -> 1 is outside"},
		{authors, `[0,1,1e6]`, `[0,1,-1]`, "step 1, demand 1: -1 bytes"},
		{authors, `[0,1,1e6]`, `[0,1,1e30]`, "step 1, demand 1: 1e+30 bytes"},
		{authors, `"steps":[`, `"steps":[{"transfers":[{"src":0,"dst":1,"chunks":[0]}]},`, "step 1: transfers are for lightpath.pattern/v1"},
		{authors, `"demand":[[0,1,1e6],[1,0,1000],[2,2,9],[2,3,0]]},{"id":1,"demand":[[3,3,5]]},{"id":2,"demand":[[0,1,0.5]]}`, `"demand":[[3,3,5]]}`, "no step sends anything"},
		{authors, `"steps":[{"id":0,"chunksize":7,"demand":[[0,1,1e6],[1,0,1000],[2,2,9],[2,3,0]]},{"id":1,"demand":[[3,3,5]]},{"id":2,"demand":[[0,1,0.5]]}]`, `"steps":[]`, "no step"},
	} {
		if !strings.Contains(c.of, c.old) {
			t.Fatalf("%q is not in the file", c.old)
		}
		_, err := collective.ReadPattern(strings.NewReader(strings.Replace(c.of, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.50q: %v, want %q", c.new, err, c.want)
		}
	}
}

func FuzzReadPattern(f *testing.F) {
	for _, text := range []string{ours, authors, operation, `{`, `{"schema":"lightpath.pattern/v1","nodes":2,"chunks":[{}],"steps":[{}]}`,
		strings.Replace(operation, `"parts":1`, `"parts":1048576,"gpus":[1,0]`, 1),
		`{"schema":"lightpath.pattern/v1","nodes":3,"op":"alltoall","size_bytes":9,"chunks":{"kind":"listed","bytes":[[0,1],[2,0]],"gpus":[2,0],"pieces":[]},"steps":[{"transfers":[]}]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := collective.ReadPattern(strings.NewReader(string(data)))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q is not one line", err)
			}
			return
		}
		if err := p.Space.Check(p.Op, p.Size); err != nil {
			t.Fatal(err)
		}
		duties := collective.Duties(p.Op, &p.Space)
		for _, step := range p.Steps {
			for _, tr := range step.Base {
				if tr.Src == tr.Dst || max(tr.Src, tr.Dst) >= p.Nodes || min(tr.Src, tr.Dst) < 0 {
					t.Fatalf("%v among %d nodes", tr, p.Nodes)
				}
				if bytes := p.Space.Bytes(float64(p.Size), tr.Chunks); !(bytes >= 0) {
					t.Fatalf("%v has %v bytes", tr, bytes)
				}
				duties(tr.Chunks[0].First)
			}
		}
	})
}
