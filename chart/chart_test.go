package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// hostile is text that must not appear as markup in any file.
const hostile = `<script>alert("x")</script> & ]]> ` + "\x00\x1b é µ \xff"

// charts are one of each kind, with awkward content.
func charts() map[string]interface{ Scene() (*Scene, error) } {
	c := Caption{Title: "Title " + hostile, Subtitle: strings.Repeat("long words to wrap ", 20), Source: "Model"}
	nan := math.NaN()
	return map[string]interface{ Scene() (*Scene, error) }{
		"heat": &HeatMap{Caption: c, XLabel: "delay", YLabel: hostile, XUnit: Seconds, YUnit: Bytes, X: []float64{10, 100, 1000}, Y: []float64{1024, 2048},
			Values: [][]float64{{0.5, 1, 2}, {nan, 3, 12345}}, Value: "speed-up", Unit: Times, Ramp: Diverging, Center: 1, Log: true,
			Inside: [][]bool{{false, false, true}, {false, true, true}}, InsideName: "break-even"},
		"winners": &HeatMap{Caption: c, X: []float64{1, 2}, Y: []float64{1}, Values: [][]float64{{0, 1}}, Categories: []string{"ring", hostile}},
		"flat":    &HeatMap{Caption: c, X: []float64{1}, Y: []float64{1}, Values: [][]float64{{7}}},
		"lines": &Lines{Caption: c, X: Axis{Label: "x", Unit: Seconds, Log: true}, Y: Axis{Label: "y", Unit: Seconds, Log: true}, Here: 5, HereName: hostile,
			Lines: []Line{{Name: "a", X: []float64{1, 10, 100}, Y: []float64{3, nan, 5}, Marks: []int{0, 2, 9}},
				{Name: hostile, X: []float64{0, 4}, Y: []float64{math.Inf(1), 2}, Points: true, Labels: []string{"", "p"}, Dashed: true},
				{Name: "steps", X: []float64{1, 2, 50}, Y: []float64{1, 2, 3}, Step: true, Dashed: true}}},
		"no data": &Lines{Caption: c},
		"bars": &Bars{Caption: c, Label: "time", Unit: Seconds, Names: []string{strings.Repeat(hostile, 5), "b"}, Parts: []string{"p", "q"},
			Values: [][]float64{{1, 2}, {0, nan}}, Bound: 2, BoundName: "bound", Marks: []float64{2.5, 0}, MarkName: hostile},
		"histogram": &Histogram{Caption: c, Label: "load", Unit: Bytes, Values: []float64{0, 5e6, 1e6, 1e6}},
		"gantt": &Gantt{Caption: c, Label: "time", Rows: []string{"r"}, Kinds: []string{"k", "dark"},
			Spans: []Span{{Row: 0, From: 0, To: 10, Text: hostile}, {Row: 0, From: 10, To: 10, Kind: 1}}},
		"circle": &Network{Caption: c, Nodes: 5, Links: []Link{{0, 1, 1, 3}, {1, 0, 1, 4}, {2, 2, 1, 0}, {3, 4, 2, 0}}, Load: "bytes", Unit: Bytes},
		"grid":   &Network{Caption: c, Nodes: 8, Rows: 2, Layout: LayoutGrid, Links: []Link{{0, 3, 1, 0}, {3, 0, 1, 0}, {1, 6, 1, 0}}},
		"force":  &Network{Caption: c, Nodes: 9, Layout: LayoutForce, Links: []Link{{0, 1, 1, 0}, {4, 5, 1, 0}}},
	}
}

func scene(t *testing.T, c interface{ Scene() (*Scene, error) }) *Scene {
	t.Helper()
	s, err := c.Scene()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every SVG is well-formed XML without elements that the texts would smuggle in, has no
// number that is not finite, and is the same every time.
func TestSVGIsWellFormedAndDeterministic(t *testing.T) {
	for name, c := range charts() {
		var first, second bytes.Buffer
		if err := scene(t, c).SVG(&first); err != nil {
			t.Fatal(err)
		}
		if err := scene(t, c).SVG(&second); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: two runs differ", name)
		}
		if text := first.String(); strings.Contains(text, `"NaN"`) || strings.Contains(text, "Inf\"") || strings.Contains(text, "NaN ") {
			t.Errorf("%s: a coordinate is not a number", name)
		}
		allowed := map[string]bool{"svg": true, "title": true, "style": true, "rect": true, "circle": true, "path": true, "text": true}
		d := xml.NewDecoder(&first)
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if e, ok := token.(xml.StartElement); ok && !allowed[e.Name.Local] {
				t.Errorf("%s: element %s", name, e.Name.Local)
			}
		}
	}
}

// A PNG has the size of the scene and shows its shapes where the scene has them.
func TestPNGShowsTheScene(t *testing.T) {
	s := &Scene{Width: 40, Height: 20}
	red, blue := Color{200, 10, 10}, Color{10, 10, 200}
	s.Add(Rect{X: 2, Y: 2, W: 10, H: 10, Fill: RGB(red)}, Path{Points: []Point{{20, 10}, {36, 10}}, Stroke: RGB(blue), Width: 4, Dash: []float64{4, 8}})
	var b bytes.Buffer
	if err := s.PNG(&b); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); size.X != 40*pngScale || size.Y != 20*pngScale {
		t.Fatalf("%v", size)
	}
	for _, c := range []struct {
		x, y int
		want Color
	}{{7, 7, red}, {15, 7, Color{255, 255, 255}}, {22, 10, blue}, {28, 10, Color{255, 255, 255}}, {34, 10, blue}, {22, 15, Color{255, 255, 255}}} {
		r, g, bl, _ := img.At(c.x*pngScale, c.y*pngScale).RGBA()
		if got := (Color{uint8(r >> 8), uint8(g >> 8), uint8(bl >> 8)}); got != c.want {
			t.Errorf("(%d, %d) is %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

// Text is where its anchor says, and as wide as it was measured.
func TestTextIsAsWideAsMeasured(t *testing.T) {
	for _, up := range []bool{false, true} {
		for _, anchor := range []Anchor{Start, Middle, End} {
			s := &Scene{Width: 300, Height: 300}
			s.Add(Text{X: 150, Y: 150, Text: "HHHH", Size: 20, Anchor: anchor, Up: up, Fill: RGB(Color{})})
			img := s.image(1, false)
			least, most := math.Inf(1), math.Inf(-1)
			for i := range 300 {
				for j := range 300 {
					if img.RGBAAt(i, j).R < 128 {
						along := float64(i)
						if up {
							along = 300 - float64(j)
						}
						least, most = min(least, along), max(most, along)
					}
				}
			}
			width := textWidth("HHHH", 20, false)
			want := 150 - width*[...]float64{0, 0.5, 1}[anchor]
			const bearing = 4 // white space beside a letter
			if math.Abs(least-want) > bearing || math.Abs(most-want-width) > bearing {
				t.Errorf("up %v, anchor %d: from %v to %v, want %v to %v", up, anchor, least, most, want, want+width)
			}
		}
	}
}

// A file of every format is written; impossible formats are reported before anything is
// written.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	s := scene(t, charts()["heat"])
	for _, ext := range []string{"svg", "png", "pdf", "html"} {
		name := filepath.Join(dir, "x."+ext)
		if err := s.WriteFile(name); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(name); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	for _, name := range []string{"x.gif", "x", "", filepath.Join(dir, "no", "x.svg")} {
		if err := CheckFile(name); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// A page refers to nothing outside itself and lets no text become markup.
func TestPageIsSelfContained(t *testing.T) {
	p := Page{Title: hostile}
	p.Heading(hostile)
	p.Text(hostile)
	p.Note(hostile)
	p.Table([]string{"a", ">" + hostile}, [][]string{{hostile, "1", "too many"}})
	s := scene(t, charts()["lines"])
	p.Picture(s, s)
	p.Animation([]Frame{{s, hostile, 1}, {s, "second", 0}})
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	outside := regexp.MustCompile(`(?i)(src|href|url)\s*[=(]|@import|https?://`)
	for _, found := range outside.FindAllString(strings.ReplaceAll(text, "http://www.w3.org/2000/svg", ""), -1) {
		t.Errorf("refers to something: %q", found)
	}
	if strings.Contains(text, "<script>alert") {
		t.Error("text became a script")
	}
	for _, want := range []string{"prefers-color-scheme:dark", "@media print", "<script>"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestChartsRefuseWhatDoesNotFit(t *testing.T) {
	for name, c := range map[string]interface{ Scene() (*Scene, error) }{
		"rows":      &HeatMap{X: []float64{1}, Y: []float64{1, 2}, Values: [][]float64{{1}}},
		"columns":   &HeatMap{X: []float64{1}, Y: []float64{1}, Values: [][]float64{{1, 2}}},
		"empty":     &HeatMap{},
		"line":      &Lines{Lines: []Line{{X: []float64{1}}}},
		"labels":    &Lines{Lines: []Line{{X: []float64{1}, Y: []float64{1}, Labels: []string{}}}},
		"bars":      &Bars{Names: []string{"a"}},
		"parts":     &Bars{Names: []string{"a"}, Parts: []string{"p"}, Values: [][]float64{{}}},
		"marks":     &Bars{Names: []string{"a"}, Parts: []string{"p"}, Values: [][]float64{{1}}, Marks: []float64{}},
		"histogram": &Histogram{},
		"span":      &Gantt{Rows: []string{"r"}, Kinds: []string{"k"}, Spans: []Span{{Row: 1}}},
		"grid":      &Network{Nodes: 7, Rows: 2, Layout: LayoutGrid},
		"link":      &Network{Nodes: 2, Links: []Link{{From: 0, To: 2}}},
	} {
		if _, err := c.Scene(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Panels keep every shape and no two overlap.
func TestPanelsContainEverything(t *testing.T) {
	s := scene(t, charts()["bars"])
	all := Panels("all", 2, s, s, s)
	if len(all.Shapes) != 3*len(s.Shapes)+1 {
		t.Errorf("%d shapes of three times %d", len(all.Shapes), len(s.Shapes))
	}
	if all.Width < 2*s.Width || all.Height < 2*s.Height {
		t.Errorf("%v x %v for four places of %v x %v", all.Width, all.Height, s.Width, s.Height)
	}
}

func TestTerminal(t *testing.T) {
	h := &HeatMap{Caption: Caption{Title: "T"}, XLabel: "delay", YLabel: "size", Value: "speed-up", XUnit: Seconds, YUnit: Bytes,
		X: []float64{10, 100}, Y: []float64{1024, 2048}, Values: [][]float64{{1, 2}, {math.NaN(), 10}}, Log: true}
	var plain, colored bytes.Buffer
	h.Terminal(&plain, false)
	want := "T\n2 KiB     -   10\n1 KiB   1.0  2.0\n      10ns\n       across: delay; up: size; cells: speed-up\n"
	if plain.String() != want {
		t.Errorf("%q, want %q", plain.String(), want)
	}
	h.Terminal(&colored, true)
	stripped := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(colored.String(), "")
	if stripped == colored.String() || len(strings.Split(stripped, "\n")) != len(strings.Split(want, "\n")) {
		t.Errorf("%q", colored.String())
	}
	var bars bytes.Buffer
	(&Bars{Names: []string{"a", "bb"}, Parts: []string{"p"}, Values: [][]float64{{10}, {5}}, Unit: Seconds}).Terminal(&bars, 3)
	if want := "a  ███ 10 ns\nbb █▌ 5 ns\n"; bars.String() != want {
		t.Errorf("%q", bars.String())
	}
}
