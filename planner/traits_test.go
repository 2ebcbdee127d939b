package planner_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
)

// able is a planner that says something of itself.
type able struct{ idle }

func (able) Traits() planner.Traits {
	return planner.Traits{Baseline: plan.Static, Composes: &planner.Composer{Algorithm: "own"}}
}

// wrapped is a planner around another, whose traits are not its own.
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

// One planner of those that there are is each baseline, one stands for all, one improves.
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

// What a planner is, it says in its traits: no code of the program asks for its type, or compares
// its name with a word.
func TestNobodyAsksForAPlannerByNameOrType(t *testing.T) {
	names := map[string]bool{}
	for _, p := range lightpath.Planners() {
		names[p.Name()] = true
	}
	files := 0
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
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeAssertExpr:
				if s, ok := n.Type.(*ast.SelectorExpr); ok {
					if of, ok := s.X.(*ast.Ident); ok && of.Name == "planner" {
						t.Errorf("%s: asks for a planner.%s", set.Position(n.Pos()), s.Sel.Name)
					}
				}
			case *ast.BinaryExpr:
				if n.Op != token.EQL && n.Op != token.NEQ {
					break
				}
				for _, pair := range [][2]ast.Expr{{n.X, n.Y}, {n.Y, n.X}} {
					if word, ok := pair[1].(*ast.BasicLit); ok && word.Kind == token.STRING && namesPlanner(pair[0]) {
						if text, _ := strconv.Unquote(word.Value); names[text] {
							t.Errorf("%s: asks for planner %q", set.Position(n.Pos()), text)
						}
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil || files < 500 {
		t.Errorf("%d files read: %v", files, err)
	}
}

// namesPlanner reports whether an expression is x.Name() or x.Planner.
func namesPlanner(e ast.Expr) bool {
	if call, ok := e.(*ast.CallExpr); ok {
		e = call.Fun
	}
	s, ok := e.(*ast.SelectorExpr)
	return ok && (s.Sel.Name == "Name" || s.Sel.Name == "Planner")
}
