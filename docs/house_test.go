package docs_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/chart"
)

// room is a package with those below it, and what it is for in two or three words.
type room struct{ name, about string }

// floor is a row of rooms that build on the floors below.
type floor struct {
	name, about string
	rooms       []room
}

// house is the tree of packages from the top floor to the ground. A package belongs to the room
// with the longest name that it begins with.
var house = []floor{
	{"Faces", "what a person or a program meets", []room{
		{"cmd", "the program"}, {"internal/cli", "command line"}, {"server", "HTTP, studio"}, {"schema", "JSON schemas"},
	}},
	{"Commands", "a request in, an answer out, and how it looks", []room{
		{".", "lightpath: the Go API"}, {"command", "a room per command"}, {"reproduce", "papers' numbers"},
		{"report", "text, CSV"}, {"figure", "pictures"}, {"page", "pages"},
	}},
	{"Uses of a plan", "explain it, replay it, run it", []room{
		{"explain", "why reconfigure"}, {"sim", "packets, flows"}, {"compile", "files of runtimes"}, {"emulate", "real processes"},
		{"control", "real switches"}, {"train", "training time"}, {"iteration", "whole iterations"}, {"sweep", "grids of plans"},
	}},
	{"Planners", "algorithm, circuits and reconfigurations are chosen", []room{
		{"planner/portfolio", "the one search"}, {"planner/staged", "topologies over time"}, {"planner/joint", "all at once"},
		{"planner/exchange", "all-to-all"}, {"planner/direct", "one topology"}, {"planner/staggered", "plane by plane"},
		{"planner/synthesis", "one best topology"}, {"planner/auto", "best of all"}, {"planner/frontier", "every delay"},
		{"planner/pieces", "pipelines"}, {"planner/islands", "islands as nodes"}, {"planner/sliced", "some GPUs"},
		{"planner/mended", "around failures"}, {"planner/idle", "fewer ports"}, {"planner/standin", "uneven circuits"},
		{"planner/fixed", "fixed links"}, {"planner/lines", "lines of grids"}, {"planner/trees", "spanning trees"},
		{"planner/derived", "from other plans"}, {"planner/resized", "other GPU counts"}, {"planner", "the interface"},
	}},
	{"The plan", "everything above reads only this", []room{
		{"plan", "stages, steps, price"}, {"plan/verify", "is it right?"}, {"bound", "what none can beat"},
		{"planner/exchange/model", "exchanges in slots"},
	}},
	{"The problem", "a fabric and a collective", []room{
		{"fabric", "GPUs, ports, delays"}, {"collective", "what is sent"}, {"topology", "graphs of circuits"},
		{"flow", "routes"}, {"lp", "linear programs"}, {"workload", "an iteration"},
	}},
	{"Ground", "knows nothing of the field", []room{
		{"units", "sizes, rates, times"}, {"field", "errors by field"}, {"envelope", "lines"}, {"chart", "SVG, PNG, PDF"},
		{"internal", "files, threads, JSON"},
	}},
}

// workshop are packages that only tests or programs of the developers use; they look at the house
// from outside.
var workshop = []string{"plan/plantest", "compile/internal/everyplan", "emulate/internal/correlate"}

// home returns the floor and the room of a package.
func home(name string) (level int, where string) {
	level = -1
	for i, f := range house {
		for _, r := range f.rooms {
			if (name == r.name || strings.HasPrefix(name, r.name+"/")) && (level < 0 || len(r.name) > len(where)) {
				level, where = i, r.name
			}
		}
	}
	return level, where
}

// imports returns the packages of the module, "." for the root, and which of them each imports.
func imports(t *testing.T) map[string][]string {
	const module = "github.com/lightpath-net/lightpath"
	all := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() && path != root:
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil { // a module of its own
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		all[name] = slices.Grow(all[name], 1)
		for _, i := range file.Imports {
			of := strings.Trim(i.Path.Value, `"`)
			if of == module {
				all[name] = append(all[name], ".")
			} else if below, ok := strings.CutPrefix(of, module+"/"); ok {
				all[name] = append(all[name], below)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Every package has a room, every room a package, and no package imports one of a higher floor. The
// picture of the house in ARCHITECTURE.md is drawn from the same table.
func TestNoPackageImportsUpwards(t *testing.T) {
	lived := map[string]int{}
	for name, used := range imports(t) {
		if slices.Contains(workshop, name) {
			continue
		}
		level, where := home(name)
		if level < 0 {
			t.Errorf("%s is in no room of the house; add it to the table", name)
			continue
		}
		lived[where]++
		for _, other := range used {
			if above, _ := home(other); above < level {
				t.Errorf("%s (%s) imports %s, which is a floor above (%s)", name, house[level].name, other, house[above].name)
			}
		}
	}
	for _, f := range house {
		for _, r := range f.rooms {
			if lived[r.name] == 0 {
				t.Errorf("room %s has no package", r.name)
			}
		}
	}
	var drawn bytes.Buffer
	if err := picture().SVG(&drawn); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "docs", "pictures", "house.svg")
	if *rewrite {
		if err := os.WriteFile(path, drawn.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if there, err := os.ReadFile(path); err != nil || !bytes.Equal(there, drawn.Bytes()) {
		t.Errorf("%s is not what the table says (%v); go test ./docs -run Upwards -rewrite", path, err)
	}
}

// outward are packages for programs outside this module.
var outward = []string{".", "server/client"}

// A package that only tests import says so by its name: it ends in test, or is in the workshop.
// What the rest of the house needs is not in such a package.
func TestPackagesForTestsAreNamedSo(t *testing.T) {
	all := imports(t)
	kit := func(name string) bool { return strings.HasSuffix(name, "test") || slices.Contains(workshop, name) }
	needed := map[string][]string{}
	for name, used := range all {
		for _, other := range used {
			needed[other] = append(needed[other], name)
			if kit(other) && !kit(name) {
				t.Errorf("%s imports %s, which is for tests", name, other)
			}
		}
	}
	for name := range all {
		if kit(name) || slices.Contains(outward, name) || isProgram(t, name) || strings.HasPrefix(name, "internal/") {
			continue
		}
		if !slices.ContainsFunc(needed[name], func(by string) bool { return !kit(by) }) {
			t.Errorf("only tests use %s; end its name in test, or move it into them", name)
		}
	}
}

// isProgram reports whether a package is a program.
func isProgram(t *testing.T, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, name, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(name, err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), files[0], nil, parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	return file.Name.Name == "main"
}

// picture draws the house: a band for each floor and a box for each room, with arrows for what goes
// down and up.
func picture() *chart.Scene {
	const width, side, gap, label, most = 1000.0, 34.0, 10.0, 190.0, 7
	rowsOf := func(f *floor) int { return (len(f.rooms) + most - 1) / most }
	bandOf := func(f *floor) float64 { return max(74, 8+36*float64(rowsOf(f))) }
	height := 2 * gap
	for i := range house {
		height += bandOf(&house[i]) + gap
	}
	s := &chart.Scene{Width: width, Height: height, Title: "The floors of Lightpath and the packages on each"}
	s.Add(chart.Rect{W: s.Width, H: s.Height, Fill: chart.Paper})
	y := gap
	for i, f := range house {
		band, rows := bandOf(&f), rowsOf(&f)
		s.Add(chart.Rect{X: side, Y: y, W: width - 2*side, H: band, Fill: chart.Series(i).Faint(0.16)},
			chart.Text{X: side + 12, Y: y + 31, Text: f.name, Size: 17, Bold: true, Fill: chart.Ink})
		for k, line := range folded(f.about, 29) {
			s.Add(chart.Text{X: side + 12, Y: y + 48 + 14*float64(k), Text: line, Size: 11, Fill: chart.Muted})
		}
		perRow := (len(f.rooms) + rows - 1) / rows
		w := (width - 2*side - label - 8) / float64(perRow)
		h := (band - 12 - 4*float64(rows-1)) / float64(rows)
		for k, r := range f.rooms {
			x, top := side+label+float64(k%perRow)*w, y+6+float64(k/perRow)*(h+4)
			s.Add(chart.Rect{X: x, Y: top, W: w - 6, H: h, Fill: chart.Paper, Stroke: chart.Series(i), Width: 1})
			name := strings.TrimPrefix(strings.TrimPrefix(r.name, "planner/"), "internal/")
			if r.name == "." {
				name = "the root"
			}
			s.Add(chart.Text{X: x + w/2 - 3, Y: top + h/2 - 2, Text: name, Size: 12.5, Bold: true, Anchor: chart.Middle, Fill: chart.Ink},
				chart.Text{X: x + w/2 - 3, Y: top + h/2 + 11, Text: r.about, Size: 10.5, Anchor: chart.Middle, Fill: chart.Muted})
		}
		y += band + gap
	}
	arrow := func(x float64, down bool, words string) {
		tip, tail := s.Height-gap-2, gap+2
		if !down {
			tip, tail = tail, tip
		}
		back := tip - 9
		if !down {
			back = tip + 9
		}
		s.Add(chart.Path{Points: []chart.Point{{X: x, Y: tail}, {X: x, Y: back}}, Stroke: chart.Muted, Width: 2},
			chart.Path{Points: []chart.Point{{X: x - 5, Y: back}, {X: x + 5, Y: back}, {X: x, Y: tip}}, Closed: true, Fill: chart.Muted},
			chart.Text{X: x - 6, Y: s.Height / 2, Text: words, Size: 11, Up: true, Anchor: chart.Middle, Fill: chart.Muted})
	}
	arrow(22, true, "a request goes down; imports too")
	arrow(width-10, false, "an answer comes up")
	return s
}

// folded breaks a sentence into lines of at most so many letters.
func folded(text string, most int) (lines []string) {
	for word := range strings.FieldsSeq(text) {
		if k := len(lines) - 1; k >= 0 && len(lines[k])+1+len(word) <= most {
			lines[k] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}
