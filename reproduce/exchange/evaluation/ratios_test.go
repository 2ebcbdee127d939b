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

// TestPlotIsWellFormed also with texts that need escaping and without any value.
func TestPlotIsWellFormed(t *testing.T) {
	for _, c := range []struct {
		plot           plot
		lines, circles int
	}{
		{plot{title: "a < b & \"c\"", ticks: []string{"1", "2"}, lines: []line{{"<one>", []float64{0.3, 7}}, {"two", []float64{1, 2}}}}, 2, 4},
		{plot{ticks: []string{"1"}, lines: []line{{"zero", []float64{0}}}}, 1, 1},
		{plot{}, 0, 0},
	} {
		var b bytes.Buffer
		if err := c.plot.write(&b); err != nil {
			t.Fatal(err)
		}
		count, text := elements(t, &b)
		if count["svg"] != 1 || count["polyline"] != c.lines || count["circle"] != c.circles || !strings.Contains(text, c.plot.title) {
			t.Errorf("%v: %v", c.plot, count)
		}
	}
}

// TestPlotStaysInside its frame, with 4 to 10 steps on the vertical axis.
func TestPlotStaysInside(t *testing.T) {
	for _, v := range []float64{0.011, 0.4, 0.99, 1, 1.59, 4, 4.01, 9.99, 10, 638917} {
		p := &plot{ticks: []string{"a", "b"}, lines: []line{{"", []float64{v, 0}}}}
		step, top := p.scale()
		if steps := top / step; steps < 3.99 || steps > 10.01 || p.y(v) < marginTop-0.001 || p.y(0) != plotHeight-marginBottom {
			t.Errorf("%v: step %v, top %v, drawn at %v", v, step, top, p.y(v))
		}
		if p.x(0) < marginLeft || p.x(1) > plotWidth-marginRight {
			t.Errorf("ticks at %v and %v", p.x(0), p.x(1))
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
	if count, _ := elements(t, f); count["circle"] != 2*6 || count["polyline"] != 2 {
		t.Errorf("%v", count)
	}
}

// TestBadCommandsAreRefused in one line.
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

// The gap of Figure 13b for 8 nodes. With two topologies chunks that wait need fewer slots
// than Theorem 1 asks for.
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

// Mean is what the command prints, for the part of Figure 11 that is quick.
func TestMeanOfFigure11UpTo8Nodes(t *testing.T) {
	got, err := Mean(t.Context(), 11, 8)
	if err != nil || got <= 0 || got >= 1 {
		t.Errorf("%v, %v", got, err)
	}
	for _, c := range [][2]int{{10, 8}, {11, 4}, {12, 8}} {
		if _, err := Mean(t.Context(), c[0], c[1]); err == nil {
			t.Errorf("figure %d up to %d nodes has a mean", c[0], c[1])
		}
	}
}
