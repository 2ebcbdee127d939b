package docs_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	rewrite = flag.Bool("rewrite", false, "write what commands print into the documents, and their pictures")
	times   = flag.Bool("times", false, "log the processor time of every command that takes over 0.2 s")
)

// program builds the command in a folder. Without the version of the build, which pictures
// name.
func program(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", dir, "./cmd/lightpath")
	cmd.Dir = root
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return dir
}

// longest is how long a command may take: far more than any does, against one that hangs.
const longest = 2 * time.Minute

// place is where the commands of a document run: a folder, and that of the program.
type place struct{ dir, bin string }

// shell runs a command line and returns what it prints, to both outputs.
func (p place) shell(t *testing.T, line string) (string, error) {
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", strings.ReplaceAll(line, "go run ./cmd/lightpath", "lightpath"))
	cmd.Dir = p.dir
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), "PATH="+p.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "COLUMNS=80", "LC_ALL=C.UTF-8")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if took := cmd.ProcessState.UserTime(); *times && took > 200*time.Millisecond {
		t.Logf("%6.2f s: %s", took.Seconds(), line)
	}
	return progressLine.ReplaceAllString(out.String(), ""), err
}

// progressLine is what a command says every few seconds: how many depends on the machine.
var progressLine = regexp.MustCompile(`(?m)^lightpath: \.\. .*\n`)

// Every command of every document does what the document says, in the order of the document
// and in one folder; what it prints is what stands there, and the pictures that it draws are
// those that are shown. Go code parses. Documents run side by side: some commands wait.
func TestDocumentsRun(t *testing.T) {
	bin := program(t)
	for _, d := range documents(t) {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			at, links := place{t.TempDir(), bin}, linksOf(d)
			for k := range d.blocks {
				b := &d.blocks[k]
				if b.file != "" {
					if err := os.WriteFile(filepath.Join(at.dir, b.file), []byte(strings.Join(b.lines, "\n")+"\n"), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				switch {
				case b.elsewhere:
				case b.kind == "sh":
					if text, err := at.shell(t, strings.Join(b.lines, "\n")); err != nil {
						t.Errorf("%s:%d: %v: %s", d.name, b.line, err, text)
					}
				case b.kind == "console":
					d.runConsole(t, at, b)
				case b.kind == "go":
					if err := parses(strings.Join(b.lines, "\n")); err != nil {
						t.Errorf("%s:%d: %v", d.name, b.line, err)
					}
				}
			}
			d.comparePictures(t, at.dir, links)
			if *rewrite {
				d.write(t)
			}
		})
	}
}

// What a newcomer sees first can be read at a glance.
func TestTheFirstOutputOfREADMEIsShort(t *testing.T) {
	for _, d := range documents(t) {
		if d.name != "README.md" {
			continue
		}
		for _, b := range d.blocks {
			if b.kind != "console" {
				continue
			}
			if output := len(b.lines) - 1; !strings.HasPrefix(b.lines[0], "$ ") || output < 5 || output > 15 {
				t.Errorf("README.md:%d: the first output has %d lines, want at most 15", b.line, output)
			}
			return
		}
	}
	t.Error("README.md shows no output")
}

// parses reports whether Go code is a file, declarations or statements.
func parses(code string) error {
	var err error
	for _, form := range []string{"%s", "package p\n%s", "package p\nfunc f() {\n%s\n}"} {
		if _, err = parser.ParseFile(token.NewFileSet(), "block.go", fmt.Sprintf(form, code), parser.SkipObjectResolution); err == nil {
			return nil
		}
	}
	return err
}

// runConsole runs the commands of a block and compares what they print. An exit code other
// than 0 is one that the output tells: "exit 1".
func (d *document) runConsole(t *testing.T, where place, b *block) {
	var made []string
	for i := 0; i < len(b.lines); {
		line, ok := strings.CutPrefix(b.lines[i], "$ ")
		if !ok {
			t.Fatalf("%s:%d: %q does not begin with \"$ \"", d.name, b.line+i, b.lines[i])
		}
		at := i
		made = append(made, b.lines[i])
		for i++; strings.HasSuffix(line, "\\") && i < len(b.lines); i++ {
			line += "\n" + b.lines[i]
			made = append(made, b.lines[i])
		}
		from := i
		for i < len(b.lines) && !strings.HasPrefix(b.lines[i], "$ ") {
			i++
		}
		text, err := where.shell(t, line)
		if err != nil {
			text += strings.Replace(err.Error(), "exit status", "exit", 1) + "\n"
		}
		got, want := strings.Split(strings.TrimRight(text, "\n"), "\n"), b.lines[from:i]
		for k := range got {
			got[k] = strings.TrimRight(got[k], " ")
		}
		if text == "" {
			got = nil
		}
		switch {
		case matches(got, want):
			made = append(made, want...)
		case *rewrite && !slices.Contains(want, "..."):
			made = append(made, got...)
		default:
			made = append(made, want...)
			k := 0
			for k < min(len(got), len(want)) && got[k] == want[k] {
				k++
			}
			t.Errorf("%s:%d: %s prints other things from its line %d on, and not\n%s\nbut\n%s\nIf that is right: go test ./docs -rewrite",
				d.name, b.line+at, line, k+1, strings.Join(want[k:min(k+3, len(want))], "\n"), strings.Join(got[k:min(k+3, len(got))], "\n"))
		}
	}
	b.lines = made
}

// matches compares lines; "..." in want stands for any.
func matches(got, want []string) bool {
	at := slices.Index(want, "...")
	if at < 0 {
		return slices.Equal(got, want)
	}
	if len(got) < at || !slices.Equal(got[:at], want[:at]) {
		return false
	}
	for k := at; k <= len(got); k++ {
		if matches(got[k:], want[at+1:]) {
			return true
		}
	}
	return false
}

// write puts the blocks back into the document.
func (d *document) write(t *testing.T) {
	t.Helper()
	var lines []string
	at := 0
	original, err := blocksOf(d.lines)
	if err != nil {
		t.Fatal(err)
	}
	for k, b := range original {
		if b.kind != "console" {
			continue
		}
		lines = append(append(lines, d.lines[at:b.line-1]...), d.blocks[k].lines...)
		at = b.line - 1 + len(b.lines)
	}
	lines = append(lines, d.lines[at:]...)
	if !slices.Equal(lines, d.lines) {
		if err := os.WriteFile(filepath.Join(root, d.name), []byte(strings.Join(lines, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// comparePictures looks for pictures of the document among what its commands have drawn.
func (d *document) comparePictures(t *testing.T, dir string, links []link) {
	for _, link := range links {
		target := filepath.Join(filepath.Dir(filepath.Join(root, d.name)), link.target)
		made, err := os.ReadFile(filepath.Join(dir, filepath.Base(link.target)))
		if !link.picture || err != nil {
			continue
		}
		if there, err := os.ReadFile(target); err == nil && bytes.Equal(there, made) {
			continue
		}
		if *rewrite {
			if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(target, made, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Errorf("%s:%d: %s is not what the commands draw; go test ./docs -rewrite", d.name, link.line, link.target)
	}
}
