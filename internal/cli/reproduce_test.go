package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/reproduce"
)

var rewriteReproduction = flag.Bool("rewrite", false, "write docs/reproduction.md anew")

// The committed document is what the command writes. After a change of a claim:
// go test ./internal/cli -run TestReproductionDocument -rewrite
func TestReproductionDocumentIsWhatTheCommandWrites(t *testing.T) {
	dir := t.TempDir()
	code, stdout, stderr := run(t, "reproduce", "all", "--html", dir)
	if code != 0 || stderr != "" {
		t.Fatalf("exit %d, %q", code, stderr)
	}
	if !strings.Contains(stdout, "matched") {
		t.Errorf("no verdicts in %q", stdout)
	}
	got, err := os.ReadFile(filepath.Join(dir, "reproduction.md"))
	if err != nil {
		t.Fatal(err)
	}
	committed := filepath.Join("..", "..", "docs", "reproduction.md")
	if *rewriteReproduction {
		if err := os.WriteFile(committed, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(committed); err != nil || !bytes.Equal(old, got) {
		t.Errorf("%s is not what the command writes (%v); go test ./internal/cli -run TestReproductionDocument -rewrite", committed, err)
	}
	if page, err := os.ReadFile(filepath.Join(dir, "reproduction.html")); err != nil || !bytes.Contains(page, []byte("harvest/table1")) {
		t.Errorf("no page of the claims: %v", err)
	}
}

func TestReproduceAnswers(t *testing.T) {
	var got lightpath.Reproduction
	answer(t, &got, "reproduce", "harvest/table1")
	if len(got.Rows) != 9 || got.Listed || got.Left != 0 || len(got.Unexpected()) != 0 {
		t.Errorf("%+v", got)
	}
	for _, r := range got.Rows {
		if r.Ours == nil || r.Difference == nil || r.Verdict != reproduce.Matched {
			t.Errorf("%+v", r)
		}
	}
	var list lightpath.Reproduction
	answer(t, &list, "reproduce", "list")
	all, err := reproduce.Find(reproduce.All)
	if err != nil || !list.Listed || len(list.Rows) != len(all) || list.Rows[0].Ours != nil {
		t.Errorf("%d rows of %d, %v", len(list.Rows), len(all), err)
	}
	for _, args := range [][]string{{"reproduce"}, {"reproduce", "nothing"}, {"reproduce", ""}, {"reproduce", "all", "all"}, {"reproduce", "list", "--full"}} {
		if code, _, stderr := run(t, args...); code != exitUsage || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: exit %d, %q", args, code, stderr)
		}
	}
}
