package schema_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/schema"
)

const module = "github.com/lightpath-net/lightpath"

// comments reads what the fields of the repository's structs mean: "package.Type.Field".
func comments(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "examples" || entry.Name() == "testdata" || entry.Name() == "highs" || strings.HasPrefix(entry.Name(), ".") && path != "..") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel("..", filepath.Dir(path))
		if err != nil {
			return err
		}
		in := module
		if dir != "." {
			in += "/" + filepath.ToSlash(dir)
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				readTypes(in, g, all)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// readTypes notes the comments of structs and of their fields.
func readTypes(in string, g *ast.GenDecl, all map[string]string) {
	for _, s := range g.Specs {
		spec := s.(*ast.TypeSpec)
		body, ok := spec.Type.(*ast.StructType)
		if !ok {
			continue
		}
		name := in + "." + spec.Name.Name
		doc := spec.Doc
		if doc == nil {
			doc = g.Doc
		}
		all[name+"."] = words(doc)
		for _, f := range body.Fields.List {
			text := words(f.Doc)
			if text == "" {
				text = words(f.Comment)
			}
			for _, n := range f.Names {
				all[name+"."+n.Name] = text
			}
		}
	}
}

// words is the first paragraph of a comment, on one line.
func words(c *ast.CommentGroup) string {
	first, _, _ := strings.Cut(c.Text(), "\n\n")
	return strings.Join(strings.Fields(first), " ")
}

// docs/json.md is what the types say. After a change: go test ./schema -rewrite
func TestPageOfAllDocumentsIsCurrent(t *testing.T) {
	known := comments(t)
	used := 0
	text := schema.Markdown(func(of reflect.Type, field string) string {
		about := known[of.PkgPath()+"."+of.Name()+"."+field]
		if about != "" {
			used++
		}
		return about
	})
	if used < 100 {
		t.Errorf("only %d comments were found", used)
	}
	file := filepath.Join("..", "docs", "json.md")
	if *rewrite {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(file); err != nil || string(old) != text {
		t.Errorf("%s is not what the code says (%v); go test ./schema -rewrite", file, err)
	}
	for _, name := range names() {
		for property := range schema.All()[name]["properties"].(schema.Schema) {
			if !strings.Contains(text, "`"+property+"`") {
				t.Errorf("%s of %s is not there", property, name)
			}
		}
	}
}
