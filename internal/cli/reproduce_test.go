package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/reproduce"
)

var rewriteReproduction = flag.Bool("rewrite", false, "write docs/reproduction.md anew")

// The committed document is what the command writes beside its pictures, of claims that do
// not take long, and the studio opens on the same values. Without -every these are the quick claims
// and some of the others, and the rest only has its rows. After a change of a claim:
// go test ./internal/cli -run TestReproductionDocument -rewrite
func TestReproductionDocumentIsWhatTheCommandWrites(t *testing.T) {
	if !*rewriteReproduction && !samples.Every() {
		compareSomeClaims(t)
		return
	}
	answer, err := lightpath.Reproduce(t.Context(), lightpath.ReproduceRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range answer.Unexpected() {
		t.Errorf("%s: %s, recorded is %s", row.ID, row.Verdict, row.Recorded)
	}
	checkBest(t, answer.Rows)
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

// checkBest looks for best readings that are farther from the published value than another.
func checkBest(t *testing.T, rows []reproduce.Row) {
	t.Helper()
	for _, row := range rows {
		if best := row.Distance(row.Best); best > row.Distance(row.Stated) || best > row.Distance(row.Convention) {
			t.Errorf("%s: the best reading is farther from the published value than another", row.ID)
		}
	}
}

// dear are the figures and tables whose claims take most of the time. Tests of packages reproduce
// and reproduce/iterations compute those of schedules and of iterations, too.
var dear = regexp.MustCompile(`^(harvest/(schedule/swing/.*/ours|fig5/(both/.*|.*/alltoall)|fig5d/.*|fig8/.*|fig9/.*|fig10/16KiB)` +
	`|retri/fig4/larger|direct-connect/(fig7|fig12|fig13|theorem3|table4)(/.*)?|reconfigure-or-not/(fig12|fig13a|fig14)(/.*)?` +
	`|iterations/(megatron-(530b|1t)/.*|llama3-405b/h100/512.*)|neighbours/pccl/collectives)$`)

// compareSomeClaims computes all quick claims and some others anew, and looks for their lines in
// the committed document and for their values among those of the studio. All other claims have one
// row and one value each.
func compareSomeClaims(t *testing.T) {
	t.Helper()
	all, err := reproduce.Find(reproduce.All)
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(e reproduce.Entry) bool { return e.Full })
	var quick, slow []reproduce.Entry
	for _, e := range all {
		if dear.MatchString(e.ID) {
			slow = append(slow, e)
		} else {
			quick = append(quick, e)
		}
	}
	rows, err := reproduce.Run(t.Context(), append(quick, samples.Few(6, slow)...), false, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if !row.AsRecorded() {
			t.Errorf("%s: %s, recorded is %s", row.ID, row.Verdict, row.Recorded)
		}
	}
	checkBest(t, rows)
	answer := &lightpath.Reproduction{Rows: rows}
	var made bytes.Buffer
	if err := report.ReproductionMarkdown(&made, answer); err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile(filepath.Join("..", "..", "docs", "reproduction.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(made.String()) {
		if !strings.HasPrefix(line, "| `") && !strings.HasPrefix(line, "- `") {
			continue
		}
		if lines++; !bytes.Contains(document, []byte("\n"+line)) {
			t.Errorf("docs/reproduction.md has no line %q; go test ./internal/cli -run TestReproductionDocument -rewrite", line)
		}
	}
	if lines < len(rows) {
		t.Errorf("%d lines of %d claims", lines, len(rows))
	}
	stored := map[string]storedValue{}
	text, err := os.ReadFile(filepath.Join("..", "..", "server", "studio", "papers.json"))
	if err == nil {
		err = json.Unmarshal(text, &stored)
	}
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range storedValues(t, answer) {
		if got, ok := stored[id]; !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the studio shows %+v, not %+v", id, got, want)
		}
	}
	for _, e := range all {
		if n := bytes.Count(document, []byte("\n| `"+e.ID+"` (")); n != 1 {
			t.Errorf("docs/reproduction.md has %d rows of %s", n, e.ID)
		}
		if _, ok := stored[e.ID]; e.Ours != nil && !ok {
			t.Errorf("the studio has no value of %s", e.ID)
		}
	}
	for id := range stored {
		if !slices.ContainsFunc(all, func(e reproduce.Entry) bool { return e.ID == id }) {
			t.Errorf("the studio has a value of %s, which is no claim", id)
		}
	}
}

// storedValue is what the studio shows of a claim before anything is computed.
type storedValue struct {
	Ours       float64           `json:"ours"`
	Difference *float64          `json:"difference,omitempty"`
	Verdict    reproduce.Verdict `json:"verdict"`
}

// storedValues are those of an answer, rounded as the studio rounds them.
func storedValues(t *testing.T, answer *lightpath.Reproduction) map[string]storedValue {
	t.Helper()
	rounded := func(x float64) float64 {
		y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
		if err != nil {
			t.Fatal(err)
		}
		return y
	}
	values := map[string]storedValue{}
	for _, row := range answer.Rows {
		if row.Ours == nil {
			continue
		}
		v := storedValue{Ours: rounded(*row.Ours), Verdict: row.Verdict}
		if row.Difference != nil {
			d := rounded(*row.Difference)
			v.Difference = &d
		}
		values[row.ID] = v
	}
	return values
}

// compareStored compares what the studio shows before anything is computed with an answer.
func compareStored(t *testing.T, answer *lightpath.Reproduction) {
	t.Helper()
	got, err := json.MarshalIndent(storedValues(t, answer), "", " ")
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
