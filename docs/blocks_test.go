package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// block is a block of code of a document, fenced or indented.
type block struct {
	line int // of its first line of code, from 1
	// kind is the word behind the fence, "" for one that is indented:
	//
	//	console  commands behind "$ ", each followed by what it prints, to the letter; a
	//	         line "..." stands for any lines
	//	sh       commands that must succeed
	//	go       code that must parse
	kind string
	// file is the name under which the commands of the document find the block, of
	// "```csv file=mine.csv".
	file string
	// elsewhere marks what this machine cannot run in a test, of "```sh elsewhere". Its
	// first line is a comment that says what it needs.
	elsewhere bool
	lines     []string
}

// document is a file of Markdown.
type document struct {
	name   string // from the root of the repository
	lines  []string
	blocks []block
}

const root = ".."

// documents reads all documents.
func documents(t testing.TB) []*document {
	t.Helper()
	var all []*document
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			rel, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			d := &document{name: filepath.ToSlash(rel), lines: strings.Split(string(text), "\n")}
			if d.blocks, err = blocksOf(d.lines); err != nil {
				t.Errorf("%s: %v", d.name, err)
			}
			all = append(all, d)
		}
	}
	if len(all) < 8 {
		t.Fatalf("%d documents", len(all))
	}
	return all
}

// blocksOf finds the blocks of a document.
func blocksOf(lines []string) ([]block, error) {
	var all []block
	for i := 0; i < len(lines); i++ {
		words, fenced := strings.CutPrefix(lines[i], "```")
		switch {
		case fenced:
			b, err := fence(words)
			if err != nil {
				return all, fmt.Errorf("line %d: %w", i+1, err)
			}
			b.line = i + 2
			for i++; i < len(lines) && lines[i] != "```"; i++ {
				b.lines = append(b.lines, lines[i])
			}
			if i == len(lines) {
				return all, fmt.Errorf("line %d: the block has no end", b.line-1)
			}
			all = append(all, b)
		case strings.HasPrefix(lines[i], "    ") && (i == 0 || lines[i-1] == ""):
			b := block{line: i + 1}
			for ; i < len(lines) && (strings.HasPrefix(lines[i], "    ") || lines[i] == ""); i++ {
				b.lines = append(b.lines, strings.TrimPrefix(lines[i], "    "))
			}
			i--
			all = append(all, b)
		}
	}
	return all, nil
}

// fence reads what is behind the ticks.
func fence(text string) (block, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return block{}, fmt.Errorf("a fence says what is in the block, at least: text")
	}
	b := block{kind: words[0]}
	for _, w := range words[1:] {
		name, isFile := strings.CutPrefix(w, "file=")
		switch {
		case isFile && name != "" && filepath.IsLocal(name):
			b.file = name
		case w == "elsewhere":
			b.elsewhere = true
		default:
			return b, fmt.Errorf("a fence has %q; use file=NAME or elsewhere", w)
		}
	}
	return b, nil
}

var command = regexp.MustCompile(`^(\$ |(sudo )?lightpath |go run \./cmd/lightpath )`)

// No command is in a block that nobody runs, and what is not run says why.
func TestCommandsAreInBlocksThatAreRun(t *testing.T) {
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			if b.elsewhere {
				if b.kind != "sh" || len(b.lines) < 2 || !strings.HasPrefix(b.lines[0], "#") {
					t.Errorf("%s:%d: a block for elsewhere is sh, and its first line a comment that says what it needs", d.name, b.line)
				}
				continue
			}
			if slices.Contains([]string{"console", "sh"}, b.kind) {
				continue
			}
			for i, line := range b.lines {
				if command.MatchString(line) {
					t.Errorf("%s:%d: %q is not run; use ```console or ```sh", d.name, b.line+i, line)
				}
			}
		}
	}
}
