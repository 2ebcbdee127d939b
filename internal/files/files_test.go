package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/internal/files"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	w, err := files.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestAFileIsReplacedOnlyWhenItIsComplete(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.json")
	write(t, name, "old")
	w, err := files.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("half")); err != nil {
		t.Fatal(err)
	}
	if content(t, name) != "old" {
		t.Error("replaced before it was complete")
	}
	w.Abort()
	if content(t, name) != "old" {
		t.Error("replaced though it was given up")
	}
	write(t, name, "new")
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || content(t, name) != "new" {
		t.Errorf("%v, %v", left, err)
	}
}

func TestSymbolicLinksStay(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "there"), 0o755); err != nil {
		t.Fatal(err)
	}
	target, link := filepath.Join(dir, "there", "real.json"), filepath.Join(dir, "link.json")
	if err := os.Symlink(filepath.Join("there", "real.json"), link); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"to a file that is not there yet", "and now is"} {
		write(t, link, text)
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link is gone: %v, %v", info, err)
		}
		if content(t, target) != text {
			t.Errorf("%q", content(t, target))
		}
	}
	round := filepath.Join(dir, "round")
	if err := os.Symlink("round", round); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Create(round); err == nil || !strings.Contains(err.Error(), "symbolic links") {
		t.Errorf("%v", err)
	}
}

func TestWhatKilledRunsLeaveIsCleanedUp(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "k[1].json.gz")
	old := time.Now().Add(-time.Minute)
	keep := []string{".k[1].json.gz.mine", ".k[1].json.123", "k[1].json.gz.123", ".other.123"}
	for _, left := range append([]string{".k[1].json.gz.123456", ".k[1].json.gz.9"}, keep...) {
		if err := os.WriteFile(filepath.Join(dir, left), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(dir, left), old, old); err != nil {
			t.Fatal(err)
		}
	}
	busy, err := files.Create(name) // another run
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Abort()
	before, err := filepath.Glob(filepath.Join(dir, ".k*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range before {
		if err := os.Chtimes(f, old, old); err != nil {
			t.Fatal(err)
		}
	}
	write(t, name, "x")
	if err := busy.Commit(); err != nil {
		t.Errorf("a file that is being written was taken away: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(keep)+1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestErrorsBeginWithTheName(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{filepath.Join(dir, "none", "x.json"), dir} {
		if _, err := files.Create(name); err == nil || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%v", err)
		}
	}
	for _, name := range []string{"", "-"} {
		if _, err := files.Create(name); err == nil {
			t.Errorf("%q was accepted", name)
		}
	}
	name := filepath.Join(dir, "none.json")
	if _, err := files.Open(name); err == nil || err.Error() != name+": no such file or directory" {
		t.Errorf("%v", err)
	}
}
