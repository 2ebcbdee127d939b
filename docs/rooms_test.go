package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mostFiles is how many files a package may have beside its tests, so that a newcomer can hold it.
const mostFiles = 30

// A package has few enough files to be held in mind.
func TestPackagesAreRoomsThatCanBeHeld(t *testing.T) {
	for name := range imports(t) {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(name), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			count++
		}
		if count > mostFiles {
			t.Errorf("%s has %d files; want at most %d: what of it knows nothing of the rest?", name, count, mostFiles)
		}
	}
}

// No file has the name of a folder beside it, nor is it a test of that name: one would not know
// where to look.
func TestNoFileHasTheNameOfAFolderBesideIt(t *testing.T) {
	for _, name := range goFiles(t) {
		folder := strings.TrimSuffix(strings.TrimSuffix(name, ".go"), "_test")
		if beside, err := os.Stat(filepath.Join(root, filepath.FromSlash(folder))); err == nil && beside.IsDir() {
			t.Errorf("%s is beside a folder of that name", name)
		}
	}
}

// mostParameters is how many parameters a function may have beside a test's own. More travel
// together, and are a struct.
const mostParameters = 6

// No function, and no function within another, takes more parameters than one can tell apart.
func TestFunctionsHaveFewParameters(t *testing.T) {
	for _, name := range goFiles(t) {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join(root, filepath.FromSlash(name)), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			var of *ast.FuncType
			switch n := n.(type) {
			case *ast.FuncDecl:
				of = n.Type
			case *ast.FuncLit:
				of = n.Type
			default:
				return true
			}
			count := 0
			for _, p := range of.Params.List {
				if !ofTest(p.Type) {
					count += max(1, len(p.Names))
				}
			}
			if count > mostParameters {
				t.Errorf("%v: %d parameters; want at most %d", set.Position(n.Pos()), count, mostParameters)
			}
			return true
		})
	}
}

// ofTest reports whether a parameter is the test itself: of a type of package testing.
func ofTest(e ast.Expr) bool {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	selector, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := selector.X.(*ast.Ident)
	return ok && of.Name == "testing"
}
