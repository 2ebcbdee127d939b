package workload_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/workload"
)

// Every way to be wrong has its own line, which says where and what.
func TestEveryFaultIsOneLineWithItsPlace(t *testing.T) {
	for change, want := range map[string]string{
		`"ranks":4 -> "ranks":0`:                                     "ranks: 0 is not in 1..",
		`"ranks":4 -> "ranks":5`:                                     "kinds.pp: rank 4 is in no group",
		`"ranks":4 -> "ranks":3`:                                     "kinds.pp[1]: rank 3 of 0..2",
		`"ranks":4 -> "Ranks":4`:                                     "did you mean ranks?",
		`workload/v1 -> workload/v2`:                                 `schema: "lightpath.workload/v2"`,
		`[[0,1],[2,3]] -> [[0,1],[1,3]]`:                             "kinds.tp[1]: rank 1 is in group [0] already",
		`[[0,1],[2,3]] -> [[0,1,2],[]]`:                              "kinds.tp[1]: an empty group",
		`"0-1" -> "0"`:                                               "programs: rank 1 has none",
		`"0-1" -> "0-2"`:                                             "programs[1].ranks: rank 2 has a program already, programs[0]",
		`"0-1" -> "1-0"`:                                             `programs[0].ranks: "1-0"`,
		`"id":"x", -> "id":"sum",`:                                   `blocks.layer[1].id: "sum" is [0] already`,
		`"id":"x", -> "id":"a/x",`:                                   "blocks.layer[0].id: has a /",
		`"after":["x"] -> "after":["y"]`:                             `blocks.layer[1].after[0]: "y" is not listed before "sum"`,
		`"after":["x"] -> "after":["x"],"block":"layer"`:             "blocks.layer[1]: says 2 of compute_ns, op,",
		`"compute_ns":1000 -> "compute_ns":-1`:                       "blocks.layer[0].compute_ns",
		`"compute_ns":1000 -> "compute_ns":1000,"kind":"tp"`:         "blocks.layer[0].kind: not with this operation",
		`"size_bytes":4096, -> `:                                     "blocks.layer[1].size_bytes: missing or 0; want 1 or more",
		`"op":"allreduce" -> "op":"allmean"`:                         `blocks.layer[1].op: unknown operation "allmean"`,
		`"kind":"tp" -> "kind":"cp"`:                                 `blocks.layer[1].kind: "cp" is none of the kinds: pp, tp`,
		`"f","block":"layer"}, -> "f","block":"layers"},`:            `programs[0].ops[0].block: "layers": no such block`,
		`"send_to":"+2" -> "send_to":"+4"`:                           "programs[0].s.send_to: +4 of rank 0 is rank 4",
		`"send_to":"+2" -> "send_to":"+1"`:                           "programs[0].s.send_to: rank 1 is not in the pp group of rank 0",
		`"send_to":"+2" -> "send_to":"2"`:                            "programs[0].s.send_to: rank 2 is not in the pp group of rank 1",
		`"send_to":"+2" -> "send_to":"two"`:                          `want a rank such as "7"`,
		`"receive":"s" -> "receive":"t"`:                             "programs[0].s: rank 0 sends it to rank 2, which has 0 receives for it; want 1",
		`"from":"-2", -> `:                                           "programs[1].ops[0].from: missing",
		`{"id":"s" -> {"id":"u"`:                                     "programs[0].u: rank 0 sends it to rank 2, which has 0 receives",
		`{"id":"x","compute_ns":1000} -> {"id":"x","block":"layer"}`: "calls itself: layer, layer",
	} {
		from, to, _ := strings.Cut(change, " -> ")
		text := strings.Replace(small, from, to, 1)
		if text == small {
			t.Fatalf("%s changes nothing", change)
		}
		_, err := workload.Read(strings.NewReader(text))
		var named *field.Error
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || !errors.As(err, &named) {
			t.Errorf("%s: %v; want %q", change, err, want)
		}
	}
}

// ops makes a workload of two ranks with a program each, in one group of kind g and one of kind h.
func ops(t *testing.T, zero, one string) error {
	t.Helper()
	_, err := workload.Read(strings.NewReader(`{"schema":"lightpath.workload/v1","ranks":2,"kinds":{"g":[[0,1]],"h":[[1,0]]},
		"programs":[{"ranks":"0","ops":[` + zero + `]},{"ranks":"1","ops":[` + one + `]}]}`))
	return err
}

func TestMembersOfAGroupAgreeOnItsCollectives(t *testing.T) {
	a, b := `{"id":"a","op":"allreduce","size_bytes":8,"kind":"g"}`, `{"id":"b","op":"allreduce","size_bytes":8,"kind":"g"}`
	if err := ops(t, a+","+b, a+","+b); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ zero, one, want string }{
		{a + "," + b, b + "," + a, "in the same order"},
		{a + "," + b, a, "rank 1, a member of its g group, has no such collective"},
		{a, a + "," + b, "rank 0, a member of its g group, has no such collective"},
		{a, strings.Replace(a, "8", "9", 1), "allreduce of 9B here"},
		{a, strings.Replace(a, "allreduce", "allgather", 1), "allgather of 8B here"},
		{a, strings.Replace(a, `"g"`, `"h"`, 1), "has no such collective"},
	} {
		if err := ops(t, c.zero, c.one); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s | %s: %v; want %q", c.zero, c.one, err, c.want)
		}
	}
}

// Cyclic waiting across ranks is found: through sends, through collectives of two kinds, and
// through the order of computations.
func TestADeadlockAcrossRanksIsRefused(t *testing.T) {
	pair := func(after string) string {
		return `{"id":"a","op":"allreduce","size_bytes":8,"kind":"g"` + after + `}`
	}
	for _, c := range [][2]string{
		{`{"id":"r","receive":"t","from":"1"},{"id":"s","send_to":"1","size_bytes":1,"after":["r"]}`,
			`{"id":"q","receive":"s","from":"0"},{"id":"t","send_to":"0","size_bytes":1,"after":["q"]}`},
		{pair("") + `,{"id":"b","op":"allreduce","size_bytes":8,"kind":"h","after":["a"]}`,
			`{"id":"b","op":"allreduce","size_bytes":8,"kind":"h"},` + pair(`,"after":["b"]`)},
		{`{"id":"r","receive":"s","from":"1"},{"id":"x","compute_ns":1,"after":["r"]},{"id":"y","compute_ns":1},` + pair(`,"after":["y"]`),
			pair("") + `,{"id":"s","send_to":"0","size_bytes":1,"after":["a"]}`},
	} {
		if err := ops(t, c[0], c[1]); err == nil || !strings.Contains(err.Error(), "nobody can go on") || !strings.Contains(err.Error(), "waits for") {
			t.Errorf("%s | %s: %v", c[0], c[1], err)
		}
	}
}

// A chain of ranks that share one program is not a deadlock: classes are split until their
// ranks see the same, and every rank ends up in a class of its own.
func TestAChainWithinOneProgramIsNotADeadlock(t *testing.T) {
	text := `{"schema":"lightpath.workload/v1","ranks":5,"kinds":{},"programs":[
	 {"ranks":"0","ops":[{"id":"x","compute_ns":1000},{"id":"s","send_to":"+1","size_bytes":1,"after":["x"]}]},
	 {"ranks":"1-3","ops":[{"id":"r","receive":"s","from":"-1"},{"id":"x","compute_ns":1000,"after":["r"]},{"id":"s","send_to":"+1","size_bytes":1,"after":["x"]}]},
	 {"ranks":"4","ops":[{"id":"r","receive":"s","from":"-1"},{"id":"x","compute_ns":1000,"after":["r"]}]}]}`
	w, err := workload.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	g, err := w.Graph(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, last := g.Ends(workload.Free); len(g.Classes) != 5 || last != 5000 {
		t.Errorf("%d classes, %v", len(g.Classes), last)
	}
	ring := strings.NewReplacer(`"0"`, `"9"`, `"1-3"`, `"0-3"`).Replace(text)
	if _, err := workload.Read(strings.NewReader(ring)); err == nil {
		t.Error("no error")
	}
}

// After leads into blocks, and an operation after a call waits for all of it.
func TestCallsAreWrittenOut(t *testing.T) {
	text := `{"schema":"lightpath.workload/v1","ranks":1,"kinds":{"d":[[0]]},
	 "blocks":{"in":[{"id":"a","compute_ns":1},{"id":"b","op":"allgather","size_bytes":1,"kind":"d"}],"out":[{"id":"p","block":"in"},{"id":"q","block":"in","after":["p/a"]}]},
	 "programs":[{"ranks":"0","ops":[{"id":"x","compute_ns":1},{"id":"y","block":"out","after":["x"]},{"id":"z","compute_ns":1,"after":["y"]},{"id":"v","compute_ns":1,"after":["y/q/b","y/p"]}]}]}`
	w, err := workload.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := w.Expand(0)
	if err != nil {
		t.Fatal(err)
	}
	want := "x [] | y/p/a [0] | y/p/b [0] | y/q/a [1] | y/q/b [1] | z [2 3 4] | v [1 2 4]"
	var got []string
	for _, k := range tasks {
		b, err := json.Marshal(k.After)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, k.ID+" "+strings.NewReplacer("null", "[]", ",", " ").Replace(string(b)))
	}
	if strings.Join(got, " | ") != want {
		t.Errorf("%s; want %s", strings.Join(got, " | "), want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(`{"schema":"lightpath.workload/v1","ranks":2,"kinds":{"dp":[[0,1]]},"programs":[{"ranks":"0-1:1","ops":[{"id":"g","op":"allreduce","size":"4KiB","kind":"dp"}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := workload.Read(bytes.NewReader(data))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q is not one line", err)
			}
			return
		}
		var once, twice bytes.Buffer
		if err := w.Write(&once); err != nil {
			t.Fatal(err)
		}
		again, err := workload.Read(bytes.NewReader(once.Bytes()))
		if err != nil {
			t.Fatalf("%v in %s", err, once.Bytes())
		}
		if err := again.Write(&twice); err != nil || !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Errorf("%v: %s is read and written as %s", err, once.Bytes(), twice.Bytes())
		}
	})
}

func FuzzParseRankSet(f *testing.F) {
	for _, s := range []string{"0-15", "0-120:8", "3,5,9-12", "1-0", "0-0:3", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := workload.ParseRankSet(text)
		if err != nil || s.Len() > 1<<12 {
			return
		}
		again := workload.NewRankSet(s.List())
		back, err := workload.ParseRankSet(again.String())
		if err != nil || again.Len() != s.Len() || back.String() != again.String() {
			t.Errorf("%q: %q, %v", text, again, err)
		}
		for i, r := range back.List() {
			if r != s.List()[i] {
				t.Errorf("%q is %v, not %v", text, back.List(), s.List())
			}
		}
	})
}
