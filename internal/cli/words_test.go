package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// flagWord is a flag in a text, long or of one letter.
var flagWord = regexp.MustCompile("(^|[\\s(\"'`])(--[a-z]|-[a-zA-Z]($|[\\s)\"'`,.;:=]))")

// Libraries name fields, and each face says them in its own words: no text of a package but the
// command line's names a flag. Command lines of other
// programs are made where these are started, and variables of CSS look the same.
func TestOnlyTheCommandLineSpeaksFlags(t *testing.T) {
	const root = "../.."
	faces := []string{"internal/cli/", "cmd/", "examples/", "emulate/launch/processes.go", "sweep/cluster.go", "chart/page.go"}
	read := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() {
			if strings.HasPrefix(entry.Name(), ".") && path != root || entry.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		for _, face := range faces {
			if strings.HasPrefix(name, face) {
				return nil
			}
		}
		positions := token.NewFileSet()
		file, err := parser.ParseFile(positions, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		read++
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			if text, err := strconv.Unquote(literal.Value); err == nil && flagWord.MatchString(text) {
				t.Errorf("%v: %s names a flag; name the field between backquotes (field.Spell)", positions.Position(literal.Pos()), literal.Value)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 100 {
		t.Errorf("only %d files were read", read)
	}
}
