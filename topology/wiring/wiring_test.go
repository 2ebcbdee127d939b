package wiring_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/topology/wiring"
	"github.com/lightpath-net/lightpath/units"
)

func Example() {
	w, err := wiring.Read(strings.NewReader("u,v,count\n0,1,2\n1,2\n2,0\n"), wiring.CSV)
	if err != nil {
		panic(err)
	}
	fmt.Println(w.Expr())
	// Output: Edges(3;0,1,2,1,2,1,2,0,1)
}

var formats = []wiring.Format{wiring.CSV, wiring.DOT, wiring.GraphML}

// TestFormatsSayTheSame: one wiring in three languages.
func TestFormatsSayTheSame(t *testing.T) {
	want := &wiring.Wiring{Nodes: 3, Links: []wiring.Link{
		{From: 0, To: 1, Count: 2},
		{From: 1, To: 0, Count: 2},
		{From: 1, To: 2, Count: 1, Bandwidth: 400 * units.Gbps, Delay: 300 * units.Nanosecond},
	}}
	for format, text := range map[wiring.Format]string{
		wiring.CSV: "\ufeffsource,target,count,bandwidth,delay\r\n0,1,2\r\n# a comment\n\n1,0,2,,\n1, 2,,400Gbps,300ns # last",
		wiring.DOT: `/* ours */ digraph "three nodes" {
			rankdir=LR; node [shape=box]; 0 -> 1 -> 0 [count=2, color="red"]
			subgraph s { edge [bandwidth="400Gbps"; delay="300ns"] 1:e -> 2 } // done
		}`,
		wiring.GraphML: `<?xml version="1.0"?><graphml><key id="d0" for="edge" attr.name="count"/><key id="d1" attr.name="Bandwidth"/>
			<graph edgedefault="directed"><node id="0"/><node id="2"/><edge source="0" target="1" directed="false"><data key="d0"> 2 </data></edge>
			<edge source="1" target="2"><data key="d1">400Gbps</data><data key="delay">300ns</data></edge></graph></graphml>`,
	} {
		got, err := wiring.Read(strings.NewReader(text), format)
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", format, got, want)
		}
	}
}

// TestGraphsOfGraphvizAreTwoWay: -- is a circuit each way, and subgraphs are operands.
func TestGraphsOfGraphvizAreTwoWay(t *testing.T) {
	w, err := wiring.Read(strings.NewReader(`graph { a -- {b "c \"x\""} }`), wiring.DOT)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(w.Names, []string{"a", "b", `c "x"`}) || !w.Graph("").Equal(topology.Torus(2).Named("")) && len(w.Links) != 4 || !w.Graph("").Bidirectional() {
		t.Errorf("%+v", w)
	}
}

// TestWrittenFilesReadBack in every format, for families and for links that differ.
func TestWrittenFilesReadBack(t *testing.T) {
	various := &wiring.Wiring{Nodes: 4, Links: []wiring.Link{
		{From: 0, To: 3, Count: 7, Delay: 5 * units.Microsecond}, {From: 3, To: 0, Count: 1, Bandwidth: units.Gbps},
	}}
	all := []*wiring.Wiring{various}
	for _, expr := range []string{"Torus(3,4)", "GenKautz(3,10)", "DC(5;1,1,2)", "Edges(3;0,0,1,0,1,2,2,1,1)"} {
		g, err := topology.Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		w := wiring.Of(g)
		if again, err := topology.Parse(w.Expr().String()); err != nil || !again.Equal(g) {
			t.Errorf("%s: as Edges it is another graph: %v", expr, err)
		}
		all = append(all, w)
	}
	for _, w := range all {
		for _, format := range formats {
			var b bytes.Buffer
			if err := w.Write(&b, format); err != nil {
				t.Fatal(err)
			}
			again, err := wiring.Read(&b, format)
			if err != nil || !reflect.DeepEqual(again, w) {
				t.Errorf("%s: %+v, %v; want %+v", format, again, err, w)
			}
		}
	}
}

// TestFilesThatAreWrong: the error is one line that says where the fault is and what would be
// right.
func TestFilesThatAreWrong(t *testing.T) {
	for _, c := range []struct {
		format     wiring.Format
		text, want string
	}{
		{wiring.CSV, "", "no circuit"},
		{wiring.CSV, "u,v\n", "no circuit"},
		{wiring.CSV, "0\n", "line 1: 1 values; want u,v"},
		{wiring.CSV, "0,1,1,1Gbps,1us,9\n", "line 1: 6 values"},
		{wiring.CSV, "0,1\n0,b\n", `line 2: "b" is not the number of a node`},
		{wiring.CSV, "0,-1\n", "is not the number"},
		{wiring.CSV, "0,99999999\n", "want a number below"},
		{wiring.CSV, "0,1,0\n", `count "0"; want a whole number`},
		{wiring.CSV, "0,1,2.5\n", "count"},
		{wiring.CSV, "0,1,99999999999999999999\n", "count"},
		{wiring.CSV, "0,1,1,400\n", "bandwidth"},
		{wiring.CSV, "0,1,1,,-3ns\n", "delay"},
		{wiring.CSV, "0,1,67108864\n1,0,67108864\n", "more than"},
		{wiring.DOT, "", "want graph or digraph"},
		{wiring.DOT, "digraph {", "not closed"},
		{wiring.DOT, "digraph { a -- b }", "want -> in a digraph"},
		{wiring.DOT, "graph { a -> b }", "want -> in a digraph"},
		{wiring.DOT, "digraph {\n a -> \n}", "line 3: \"}\"; want a node"},
		{wiring.DOT, "digraph { a -> b [count=x] }", "count"},
		{wiring.DOT, "digraph { a -> b [count] }", "want ="},
		{wiring.DOT, "digraph { a -> \"b }", "not closed"},
		{wiring.DOT, "digraph { a -> <b> }", "HTML"},
		{wiring.DOT, "digraph { a -> b } x", "after the end"},
		{wiring.DOT, "strict graph { a -- b }", "strict"},
		{wiring.DOT, "digraph " + strings.Repeat("{", 100), "nest deeper"},
		{wiring.GraphML, "<graphml/>", "no <graph>"},
		{wiring.GraphML, "<graphml><graph><", "edgedefault"},
		{wiring.GraphML, `<graphml><graph edgedefault="directed"><edge source="a"/></graph></graphml>`, "source or target"},
		{wiring.GraphML, `<graphml><graph edgedefault="directed"><edge source="a" target="b">`, "line 1"},
		{wiring.GraphML, `<!DOCTYPE x [<!ENTITY a "aa">]><graphml/>`, "document types"},
		{wiring.GraphML, `<graphml><graph edgedefault="directed"><node id="&a;"/></graph></graphml>`, "line 1"},
		{wiring.Format("yaml"), "", "unknown format"},
	} {
		_, err := wiring.Read(strings.NewReader(c.text), c.format)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %q: %v, want one line with %q", c.format, c.text, err, c.want)
		}
	}
	if _, err := wiring.FormatOf("graph.pdf"); err == nil {
		t.Error("a .pdf is accepted")
	}
}

// FuzzRead: whatever is read can be written and read again, and nothing panics.
func FuzzRead(f *testing.F) {
	f.Add("0,1,2,1Gbps,3ns\n", 0)
	f.Add(`digraph "x" { edge [count=2] a:n -> {b c} -> d [delay="1us"]; e=f }`, 1)
	f.Add(`<graphml><graph edgedefault="undirected"><edge source="a" target="b"/></graph></graphml>`, 2)
	f.Fuzz(func(t *testing.T, text string, kind int) {
		format := formats[(kind%3+3)%3]
		w, err := wiring.Read(strings.NewReader(text), format)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a line: %q", err)
			}
			return
		}
		var b bytes.Buffer
		if err := w.Write(&b, wiring.CSV); err != nil {
			t.Fatal(err)
		}
		again, err := wiring.Read(&b, wiring.CSV)
		if err != nil || !reflect.DeepEqual(again.Links, w.Links) {
			t.Errorf("%q: written as %q it is %+v, %v, want %+v", text, b.String(), again, err, w)
		}
	})
}
