package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/reproduce"
)

var rewriteReproduction = flag.Bool("rewrite", false, "write docs/reproduction.md anew")

// The committed document is what the command writes beside its pictures, of claims that do
// not take long, and the studio opens on the same values. After a change of a claim:
// go test ./internal/cli -run TestReproductionDocument -rewrite
func TestReproductionDocumentIsWhatTheCommandWrites(t *testing.T) {
	answer, err := lightpath.Reproduce(t.Context(), lightpath.ReproduceRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range answer.Unexpected() {
		t.Errorf("%s: %s, recorded is %s", row.ID, row.Verdict, row.Recorded)
	}
	for _, row := range answer.Rows {
		if best := row.Distance(row.Best); best > row.Distance(row.Stated) || best > row.Distance(row.Convention) {
			t.Errorf("%s: the best reading is farther from the published value than another", row.ID)
		}
	}
	var got bytes.Buffer
	if err := report.ReproductionMarkdown(&got, answer); err != nil {
		t.Fatal(err)
	}
	committed := filepath.Join("..", "..", "docs", "reproduction.md")
	if *rewriteReproduction {
		if err := os.WriteFile(committed, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(committed); err != nil || !bytes.Equal(old, got.Bytes()) {
		t.Errorf("%s is not what the command writes (%v); go test ./internal/cli -run TestReproductionDocument -rewrite", committed, err)
	}
	compareStored(t, answer)
}

// compareStored compares the values that the studio shows before anything is computed, which are
// rounded as it rounds them.
func compareStored(t *testing.T, answer *lightpath.Reproduction) {
	t.Helper()
	type value struct {
		Ours       float64           `json:"ours"`
		Difference *float64          `json:"difference,omitempty"`
		Verdict    reproduce.Verdict `json:"verdict"`
	}
	rounded := func(x float64) float64 {
		y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
		if err != nil {
			t.Fatal(err)
		}
		return y
	}
	values := map[string]value{}
	for _, row := range answer.Rows {
		if row.Ours == nil {
			continue
		}
		v := value{Ours: rounded(*row.Ours), Verdict: row.Verdict}
		if row.Difference != nil {
			d := rounded(*row.Difference)
			v.Difference = &d
		}
		values[row.ID] = v
	}
	got, err := json.MarshalIndent(values, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("..", "..", "server", "studio", "papers.json")
	if *rewriteReproduction {
		if err := os.WriteFile(name, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(name); err != nil || !bytes.Equal(bytes.TrimSpace(old), got) {
		t.Errorf("%s is not what is computed (%v); go test ./internal/cli -run TestReproductionDocument -rewrite", name, err)
	}
}

// --html writes the claims of a name with its pictures, and a page of what is better.
func TestReproduceWritesPages(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		id, page string
		want     []string
	}{
		{"harvest/fig3", "reproduction.html", []string{"harvest/fig3/lowest", "<svg", "HARVEST: the lowest"}},
		{"retri/fig4", "reproduction.html", []string{"<svg", "packet by packet"}},
		{"direct-connect/better/frontier", "better-direct-connect.html", []string{"<svg", "found here"}},
	} {
		code, stdout, stderr := run(t, "reproduce", c.id, "--html", dir)
		if code != 0 || stderr != "" || !strings.Contains(stdout, "drawn") {
			t.Fatalf("%s: exit %d, %q, %q", c.id, code, stdout, stderr)
		}
		made, err := os.ReadFile(filepath.Join(dir, c.page))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range c.want {
			if !bytes.Contains(made, []byte(text)) {
				t.Errorf("%s: no %q in %s", c.id, text, c.page)
			}
		}
	}
	if code, _, stderr := run(t, "reproduce", "retri/better/alltoall"); code != 2 || !strings.Contains(stderr, "is a figure") {
		t.Errorf("a figure without --html: exit %d, %q", code, stderr)
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
