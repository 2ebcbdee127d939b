package plan_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// only fails if the folder has anything but the named files.
func only(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(names) {
		t.Errorf("%d files in the folder, want %v: %v", len(entries), names, entries)
	}
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestFilesArePlainOrCompressedByName(t *testing.T) {
	p := goodPlan(t, rewired)
	want := encoded(t, p)
	dir := t.TempDir()
	for _, name := range []string{"plan.json", "plan.json.gz", "plan.gz", "plan"} {
		path := filepath.Join(dir, name)
		if err := p.WriteFile(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		data := read(t, path)
		if compressed := bytes.HasPrefix(data, []byte{0x1f, 0x8b}); compressed != strings.HasSuffix(name, ".gz") {
			t.Errorf("%s: compressed is %v", name, compressed)
		}
		q, err := plan.ReadFile(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if encoded(t, q) != want {
			t.Errorf("%s: another plan comes back", name)
		}
	}
	only(t, dir, "plan.json", "plan.json.gz", "plan.gz", "plan")
}

// TestAFailedWriteLeavesTheOldFile: a failed write does not harm the old file, and leaves no
// part of the new one.
func TestAFailedWriteLeavesTheOldFile(t *testing.T) {
	for _, name := range []string{"plan.json", "plan.json.gz"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := goodPlan(t, rewired).WriteFile(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		old := read(t, path)
		broken := clone(goodPlan(t, mesh))
		last := stepAt(broken, 6)
		last.Base[len(last.Base)-1].Routes[0].Share = float64(nan) // NaN cannot be written as JSON
		if err := broken.WriteFile(t.Context(), path); err == nil {
			t.Errorf("%s: a plan with NaN is written", name)
		}
		if !bytes.Equal(read(t, path), old) {
			t.Errorf("%s: the old file is changed", name)
		}
		only(t, dir, name)

		if err := goodPlan(t, mesh).WriteFile(t.Context(), path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if bytes.Equal(read(t, path), old) {
			t.Errorf("%s: the old file is not replaced", name)
		}
		only(t, dir, name)
	}
}

func TestFilesThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "missing", "plan.json"), dir} {
		err := goodPlan(t, mesh).WriteFile(t.Context(), path)
		if err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", path, err)
		}
	}
	only(t, dir)
}

// A device cannot be replaced by a file; data is written to it.
func TestDevicesAreWrittenInto(t *testing.T) {
	if err := goodPlan(t, mesh).WriteFile(t.Context(), os.DevNull); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is a file now", os.DevNull)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if err := goodPlan(t, mesh).Encode(z); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	wrongSum := bytes.Clone(zipped.Bytes())
	wrongSum[len(wrongSum)-6] ^= 0xff
	cases := []struct {
		name string
		data []byte
		want string
	}{
		{"plain.json.gz", []byte(encoded(t, goodPlan(t, mesh))), "gzip"},
		{"short.json.gz", zipped.Bytes()[:zipped.Len()/2], "ends in the middle"},
		{"sum.json.gz", wrongSum, "checksum"},
		{"empty.json", nil, "the file is empty"},
		{"empty.json.gz", nil, "empty"},
		{"one.json.gz", []byte{0x1f}, "not compressed by gzip"},
	}
	dir := t.TempDir()
	misnamed := filepath.Join(dir, "zipped.json")
	if err := os.WriteFile(misnamed, zipped.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := plan.ReadFile(t.Context(), misnamed); err != nil {
		t.Errorf("a compressed plan under another name: %v", err)
	}
	for _, tc := range cases {
		path := filepath.Join(dir, tc.name)
		if err := os.WriteFile(path, tc.data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := plan.ReadFile(t.Context(), path)
		if err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
	if _, err := plan.ReadFile(t.Context(), filepath.Join(dir, "missing.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestReadingAndWritingHeedTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.json")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := goodPlan(t, mesh).WriteFile(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("writing: %v", err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("an interrupted write leaves a file: %v", err)
	}
	if err := goodPlan(t, mesh).WriteFile(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if _, err := plan.ReadFile(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("reading: %v", err)
	}
}

// blanks are spaces. A compressed file may hold very many.
type blanks struct{}

func (blanks) Read(buf []byte) (int, error) {
	for i := range buf {
		buf[i] = ' '
	}
	return len(buf), nil
}

// bomb writes a small compressed plan that expands to many blanks.
func bomb(t *testing.T, blank int64) string {
	t.Helper()
	text := encoded(t, goodPlan(t, mesh))
	name := filepath.Join(t.TempDir(), "bomb.json.gz")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewWriterLevel(file, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	parts := io.MultiReader(strings.NewReader(text[:1]), io.LimitReader(blanks{}, blank), strings.NewReader(text[1:]))
	if _, err := io.Copy(z, parts); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(z.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestSmallFilesThatBecomeLargeAreReadUpToALimit(t *testing.T) {
	name := bomb(t, 60<<20)
	if _, err := plan.ReadFile(t.Context(), name); err != nil {
		t.Errorf("60 MiB of blanks: %v", err)
	}
	if _, err := plan.ReadFile(t.Context(), name, plan.MaxExpand(1<<20)); err == nil || !strings.Contains(err.Error(), "more than 1MiB; raise `max_expand`") {
		t.Errorf("a limit of 1MiB: %v", err)
	}
	large := bomb(t, int64(plan.LeastExpand))
	if _, err := plan.ReadFile(t.Context(), large); err == nil || !strings.Contains(err.Error(), "`max_expand`") || strings.Contains(err.Error(), "line") {
		t.Errorf("more than the default limit: %v", err)
	}
	if _, err := plan.ReadFile(t.Context(), large, plan.MaxExpand(2*plan.LeastExpand)); err != nil {
		t.Errorf("a higher limit: %v", err)
	}
}

// stopping is a context that ends after a given number of checks.
type stopping struct {
	context.Context
	left int
}

func (s *stopping) Err() error {
	if s.left--; s.left < 0 {
		return context.Canceled
	}
	return nil
}

// Long reads and writes check the context often: before every 64 KiB that are read or written,
// however well they compress.
func TestReadingAndWritingAskTheContextOften(t *testing.T) {
	name := bomb(t, 8<<20)
	counted := &stopping{t.Context(), 1 << 30}
	if _, err := plan.ReadFile(counted, name); err != nil {
		t.Fatal(err)
	}
	if asked := 1<<30 - counted.left; asked < 8<<20>>16 {
		t.Errorf("asked %d times for 8 MiB", asked)
	}
	if _, err := plan.ReadFile(&stopping{t.Context(), 20}, name); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	big := expand(planned(t, "every-step", collective.AllReduce, "ring", func(f *fabric.Fabric) { f.Nodes = 32 }))
	out := filepath.Join(t.TempDir(), "big.json.gz")
	counted = &stopping{t.Context(), 1 << 30}
	steps := 0
	if err := big.WriteFile(counted, out, plan.FileProgress(func(done, total int) {
		if steps++; done != steps || total != big.CountSteps() {
			t.Errorf("%d of %d after %d", done, total, steps)
		}
	})); err != nil {
		t.Fatal(err)
	}
	text := encoded(t, big)
	if asked := 1<<30 - counted.left; asked < len(text)>>16 || steps != big.CountSteps() {
		t.Errorf("asked %d times for %d bytes, told %d steps", asked, len(text), steps)
	}
}
