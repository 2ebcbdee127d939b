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

// The root package only joins: it has few files, none with the name of a folder beside it, no
// types of its own, and functions that pass on what they are asked. Commands, the list, is all
// that is more than a line.
func TestTheRootOnlyJoins(t *testing.T) {
	const most = 12
	files, err := filepath.Glob(filepath.Join(root, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".go")
		if strings.HasSuffix(name, "_test") {
			continue
		}
		count++
		if folder, err := os.Stat(filepath.Join(root, name)); err == nil && folder.IsDir() {
			t.Errorf("%s.go is beside a folder of its name", name)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.Name != "Commands" && len(d.Body.List) != 1 {
					t.Errorf("%s in %s.go does more than to pass on", d.Name.Name, name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if own, ok := s.(*ast.TypeSpec); ok && !own.Assign.IsValid() {
						t.Errorf("%s in %s.go is a type of the root", own.Name.Name, name)
					}
				}
			}
		}
	}
	if count > most {
		t.Errorf("the root has %d files, want %d or fewer", count, most)
	}
}

// documented returns the comments of a package's functions and types, each as one line.
func documented(t *testing.T, folder string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	note := func(name string, comments ...*ast.CommentGroup) {
		for _, c := range comments {
			if c != nil {
				all[name] = strings.Join(strings.Fields(c.Text()), " ")
			}
		}
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					note(d.Name.Name, d.Doc)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if own, ok := s.(*ast.TypeSpec); ok {
						note(own.Name.Name, d.Doc, own.Doc)
					}
				}
			}
		}
	}
	return all
}

// What the root says of a name is what its room says, or the beginning of that.
func TestTheRootSaysWhatItsRoomsSay(t *testing.T) {
	rooms, err := filepath.Glob(filepath.Join(root, "command", "*ing"))
	if err != nil || len(rooms) < 10 {
		t.Fatal(rooms, err)
	}
	face := documented(t, root)
	compared := 0
	for _, folder := range append(rooms, filepath.Join(root, "command")) {
		for name, says := range documented(t, folder) {
			text, ok := face[name]
			if !ok {
				continue
			}
			compared++
			if !strings.HasPrefix(says, text) {
				t.Errorf("%s is %q in the root, %q in %s", name, text, says, folder)
			}
		}
	}
	if compared < 100 {
		t.Errorf("only %d names were compared", compared)
	}
}
