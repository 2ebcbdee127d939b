package planner_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
)

// able is a planner that says something about itself.
type able struct{ idle }

func (able) Traits() planner.Traits {
	return planner.Traits{Baseline: plan.Static, Composes: &planner.Composer{Algorithm: "own"}}
}

// wrapped is a planner around another one, whose traits are not its own.
type wrapped struct{ planner.Planner }

func TestTraitsAreThoseThatAPlannerSays(t *testing.T) {
	registry := planner.Registry{idle("one"), able{"two"}, able{"three"}}
	for what, got := range map[string]planner.Planner{"static": registry.Baseline(plan.Static), "own": registry.Composing("own")} {
		if got == nil || got.Name() != "two" {
			t.Errorf("%s: %v, want the first planner that says so", what, got)
		}
	}
	if registry.Best() != nil || registry.Improver() != nil || registry.Baseline(plan.EveryStep) != nil || registry.Composing("other") != nil {
		t.Error("found what no planner says")
	}
	if planner.TraitsOf(wrapped{able{"four"}}).Composes != nil {
		t.Error("a wrapper has the traits of what it wraps")
	}
}

// Some planner is each baseline, one stands for all, and one improves.
func TestEveryRoleIsPlayed(t *testing.T) {
	all := lightpath.Planners()
	for _, p := range []planner.Planner{all.Baseline(plan.Static), all.Baseline(plan.EveryStep), all.Best(), all.Improver()} {
		if p == nil {
			t.Errorf("a role is not played: %v", all.Names())
		}
	}
	for _, p := range all {
		for _, name := range planner.TraitsOf(p).Covers {
			if _, err := all.Lookup(name); err != nil {
				t.Errorf("%s covers %v", p.Name(), err)
			}
		}
	}
}

// shared are words that name a planner or an algorithm as well as something else, by the file
// that uses them.
var shared = map[string]string{
	"collective/operation.go": "auto leaves any choice open",
	"plan/plan.go":            "roles of baselines, which are keys of plan files",
	"compile/format.go":       "formats",
	"compile/harvest/lift.go": "what names in the files of HARVEST's authors stand for",
}

// own lists the packages of planners and algorithms.
var own = []string{
	"collective/algorithms", "planner/staged", "planner/staggered", "planner/exchange", "planner/direct", "planner/joint", "planner/auto",
	"planner/lines", "planner/trees", "planner/derived", "planner/resized",
}

// asksByName reports whether a file may use the name of a planner or an algorithm: in the
// packages of these, in the numbers of a paper, some numbers are for them, and outside the
// library.
func asksByName(path, pack string) bool {
	dir := filepath.ToSlash(filepath.Dir(path))
	return shared[path] != "" || slices.ContainsFunc(own, func(at string) bool { return dir == at || strings.HasPrefix(dir, at+"/") }) ||
		strings.HasSuffix(dir, "test") || strings.HasPrefix(dir, "reproduce") ||
		strings.HasPrefix(dir, "examples") || pack == "main"
}

// Planners and algorithms describe themselves in their traits: no code of the program tests for a
// type of planners, or uses the name of a planner or an algorithm.
func TestNobodyAsksForAPlannerOrAnAlgorithmByName(t *testing.T) {
	names := map[string]string{}
	for _, p := range lightpath.Planners() {
		names[p.Name()] = "planner"
	}
	for _, a := range algorithms.Algorithms() {
		names[a.Name] = "algorithm"
	}
	// Users do write names in command lines, so examples of these are allowed.
	texts := regexp.MustCompile(`(^|[^-])\b(planner|algorithm) (` + strings.Join(slices.Sorted(maps.Keys(names)), "|") + `)\b`)
	files := 0
	seen := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name, err := filepath.Rel("..", path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		tags := map[*ast.BasicLit]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeAssertExpr:
				if s, ok := n.Type.(*ast.SelectorExpr); ok {
					if of, ok := s.X.(*ast.Ident); ok && of.Name == "planner" {
						t.Errorf("%s: asks for a planner.%s", set.Position(n.Pos()), s.Sel.Name)
					}
				}
			case *ast.Field:
				tags[n.Tag] = true
			case *ast.ImportSpec:
				tags[n.Path] = true
			case *ast.BasicLit:
				text, err := strconv.Unquote(n.Value)
				if n.Kind != token.STRING || err != nil || tags[n] {
					break
				}
				word, _, _ := strings.Cut(text, ":") // swing:8x8
				switch kind := names[word]; {
				case kind == "" && !texts.MatchString(text):
				case asksByName(name, file.Name.Name):
					seen[name] = true
				default:
					t.Errorf("%s: %q says the name of a planner or an algorithm", set.Position(n.Pos()), text)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || files < 500 {
		t.Errorf("%d files read: %v", files, err)
	}
	for name := range shared {
		if !seen[name] {
			t.Errorf("%s says no such word any more", name)
		}
	}
}
