package evaluation

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRatioTable: the paper gives 2.22 up to 64 nodes and 4.54 up to 4096, and so does its
// rule here: 2.2266 with 64 nodes, 4.54 with 3072.
func TestRatioTable(t *testing.T) {
	rows, err := ratioTable(context.Background(), mostNodes)
	if err != nil || len(rows) != 13 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, r := range rows {
		n := 2 << i
		if i == 11 {
			n = 3072
		} else if i == 12 {
			n = 4096
		}
		if r.paper.Nodes != n || r.shifts.Nodes != n || r.shifts.Value() > r.paper.Value() || r.shifts.Value() >= 1.6 {
			t.Errorf("%d nodes: %+v", n, r)
		}
	}
	if a, b := fmt.Sprintf("%.2f", rows[5].paper.Value()), fmt.Sprintf("%.2f", rows[11].paper.Value()); a != "2.23" || b != "4.54" {
		t.Errorf("the paper's rule: %s with 64 nodes and %s with 3072", a, b)
	}
}

// elements reads XML to its end and counts elements.
func elements(t *testing.T, r io.Reader) (count map[string]int, text string) {
	t.Helper()
	count = make(map[string]int)
	var all strings.Builder
	for d := xml.NewDecoder(r); ; {
		token, err := d.Token()
		if err == io.EOF {
			return count, all.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			count[e.Name.Local]++
		case xml.CharData:
			all.Write(e)
		}
	}
}

// TestRatiosCommand writes a plot with a point for every number of nodes.
func TestRatiosCommand(t *testing.T) {
	name := filepath.Join(t.TempDir(), "ratios.svg")
	var out bytes.Buffer
	if err := Run(context.Background(), []string{"ratios", "-nodes", "64", "-svg", name}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "   64   2.23    13        412   1.42     7        448\n") {
		t.Errorf("%s", &out)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, text := elements(t, f); !strings.Contains(text, "paper's rule") || !strings.Contains(text, "Theorem 1") {
		t.Errorf("%s", text)
	}
}

// TestBadCommandsAreRefused: the error is one line.
func TestBadCommandsAreRefused(t *testing.T) {
	for _, args := range [][]string{
		{}, {"draw"}, {"ratios", "x"}, {"ratios", "-none"}, {"gap", "-nodes", "1"}, {"completion", "-points", "0"},
		{"ratios", "-nodes", "1"}, {"ratios", "-nodes", "8", "-svg", filepath.Join(t.TempDir(), "none", "a.svg")},
	} {
		err := Run(context.Background(), args, io.Discard, io.Discard)
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want an error of one line", args, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Run(ctx, []string{"ratios"}, io.Discard, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
}

// The example prints the gap of Figure 13b for 8 nodes. With two topologies, chunks that wait
// need fewer slots than Theorem 1 requires.
func Example() {
	if err := Run(context.Background(), []string{"gap", "-nodes", "8"}, os.Stdout, os.Stderr); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Slots of 8 nodes with one port by the number of topologies d (Figure 13b)
	//     d paper's rule Theorem 1 bound, relayed
	//     1           28        28             28
	//     2           16        16             14
	//     3           13        12             11
	//     4           11        10             10
	//     5           10         9              9
	//     6            8         8              8
	//     7            7         7              7
}

// The test computes the mean over the quick part of Figure 11.
func TestMeanOfFigure11UpTo8Nodes(t *testing.T) {
	list, err := Savings(t.Context(), 11, 8)
	if got := Stated().Mean(list); err != nil || got <= 0 || got >= 1 {
		t.Errorf("%v, %v", got, err)
	}
	for _, c := range [][2]int{{10, 8}, {11, 4}, {12, 8}} {
		if _, err := Savings(t.Context(), c[0], c[1]); err == nil {
			t.Errorf("figure %d up to %d nodes has a mean", c[0], c[1])
		}
	}
}
