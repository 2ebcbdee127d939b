package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// goFiles lists the Go files of the repository with their tests, also those of modules of their
// own, by their paths with slashes.
func goFiles(t *testing.T) []string {
	t.Helper()
	var all []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case !d.IsDir() && path.Ext(name) == ".go":
			all = append(all, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("only %d Go files were found", len(all))
	}
	return all
}

// commented is a Go file with its comments.
type commented struct {
	name  string
	set   *token.FileSet
	tree  *ast.File
	lines []string
}

func readCommented(t *testing.T, name string) *commented {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	c := &commented{name: name, set: token.NewFileSet(), lines: strings.Split(string(text), "\n")}
	if c.tree, err = parser.ParseFile(c.set, name, text, parser.ParseComments); err != nil {
		t.Fatal(err)
	}
	return c
}

// goName is the name of a Go file in a text. With a capital letter, as in delay_NAME.go, it
// stands for many.
var goName = regexp.MustCompile(`[\w./-]*\w\.go\b`)

// named reports whether a file of that name is where a reader would look for it: at that path, or
// below the folder.
func named(all []string, folder, name string) bool {
	if name != strings.ToLower(name) {
		return true
	}
	return slices.ContainsFunc(all, func(file string) bool {
		below := folder == "." || strings.HasPrefix(file, folder+"/")
		return file == name || file == path.Join(folder, name) || below && strings.HasSuffix(file, "/"+name)
	})
}

// Files that comments and documents name are there: those that a comment names without a path in
// its own folder or below.
func TestFilesThatAreNamedExist(t *testing.T) {
	all, count := goFiles(t), 0
	check := func(where string, line int, folder, text string) {
		for _, name := range goName.FindAllString(text, -1) {
			if count++; !named(all, folder, name) {
				t.Errorf("%s:%d: there is no file %s", where, line, name)
			}
		}
	}
	for _, name := range all {
		c := readCommented(t, name)
		for _, group := range c.tree.Comments {
			for _, comment := range group.List {
				check(name, c.set.Position(comment.Pos()).Line, path.Dir(name), comment.Text)
			}
		}
	}
	for _, d := range documents(t) {
		for i, line := range d.lines {
			check(d.name, i+1, ".", line)
		}
	}
	if count < 40 {
		t.Errorf("only %d names of files were found", count)
	}
}

// A file is found by its path from the root or from a folder, and below a folder by its name, not
// elsewhere.
func TestNamedFilesAreLookedForNearby(t *testing.T) {
	all := []string{"a.go", "flow/b.go", "flow/deep/c.go", "plan/d.go"}
	for _, c := range []struct {
		folder, name string
		want         bool
	}{
		{"flow", "b.go", true}, {"flow", "c.go", true}, {"flow", "deep/c.go", true}, {"flow", "plan/d.go", true},
		{"flow", "d.go", false}, {"flow", "plan/b.go", false}, {"plan", "b.go", false}, {"flow", "delay_NAME.go", true},
		{".", "a.go", true}, {".", "d.go", true}, {".", "plan/d.go", true}, {".", "plan/c.go", false}, {".", "e.go", false},
	} {
		if got := named(all, c.folder, c.name); got != c.want {
			t.Errorf("%s in %s: %t; want %t", c.name, c.folder, got, c.want)
		}
	}
}

// widest is how many characters a line of a comment may have.
const widest = 100

// Lines with comments fit on a screen, also where a comment stands behind code. What examples print
// is as wide as it is, and addresses of the web and instructions to linters cannot be broken.
func TestCommentsFitOnAScreen(t *testing.T) {
	for _, name := range goFiles(t) {
		c := readCommented(t, name)
		for _, group := range c.tree.Comments {
			printed := false
			for _, comment := range group.List {
				at := c.set.Position(comment.Pos())
				line := c.lines[at.Line-1]
				printed = printed || strings.HasPrefix(comment.Text, "// Output:") || strings.HasPrefix(comment.Text, "// Unordered output:")
				if strings.Contains(line, "://") || strings.HasPrefix(comment.Text, "//nolint") {
					continue
				}
				if width := utf8.RuneCountInString(line); !printed && width > widest {
					t.Errorf("%s:%d: a line of %d characters with a comment; want at most %d", name, at.Line, width, widest)
				}
			}
		}
	}
}
