package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unshown are the packages that only tests use, and the parts of the command line, which every
// document shows.
var unshown = []string{
	"internal/cli/bind", "internal/cli/guard", "internal/cli/input", "internal/cli/man", "internal/cli/terminal", "fabric/fabrictest",
	"docs", "internal/samples", "command/commandtest", "compile/internal/everyplan", "planner/exchange/model/modeltest",
	"plan/plantest", "sim/simtest", "planner/direct/finder/findertest", "planner/staged/stagedtest", "planner/joint/jointtest", "reproduce/claim/claimtest",
}

func moduleOfItsOwn(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

// Every package that is not a command has an Example, and so has every function of the root
// package; its options, which functions take, share one.
func TestEveryPackageHasAnExample(t *testing.T) {
	shown, declared := map[string][]string{}, map[string][]string{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || moduleOfItsOwn(path)):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil || file.Name.Name == "main" {
			return err
		}
		folder, _ := filepath.Rel("..", filepath.Dir(path))
		tests := strings.HasSuffix(path, "_test.go")
		if !tests && declared[folder] == nil {
			declared[folder] = []string{}
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv != nil {
				continue
			}
			if name, is := strings.CutPrefix(f.Name.Name, "Example"); is && tests {
				shown[folder] = append(shown[folder], name)
			}
			if !tests && f.Name.IsExported() {
				declared[folder] = append(declared[folder], f.Name.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder := range declared {
		if len(shown[folder]) == 0 && !slices.Contains(unshown, folder) {
			t.Errorf("%s has no Example", folder)
		}
	}
	for _, entry := range declared["."] {
		if !slices.Contains(shown["."], entry) && !strings.HasPrefix(entry, "With") {
			t.Errorf("the root package has no Example%s", entry)
		}
	}
	if !slices.Contains(shown["."], "Option") {
		t.Error("the root package has no ExampleOption")
	}
}
