package finder

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
)

// pressed returns a compressed text.
func pressed(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestStoreGivesBackWhatWasFound(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "frontiers")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	searches := []struct {
		degree int
		opts   Options
	}{{4, Options{Op: bfb.AllReduce}}, {4, Options{}}, {3, Options{Op: bfb.AllReduce, Bidirectional: true}}, {2, Options{Op: bfb.ReduceScatter, Seed: 5, Tries: 7}}}
	last := 0
	for _, c := range searches {
		if err := s.Fill(ctx, 24, c.degree, c.opts, func(n int) { last = n }); err != nil || last != 24 {
			t.Fatal(last, err)
		}
	}
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel() // nothing is left to be found
	for _, c := range searches {
		for n := 2; n <= 24; n++ {
			want, wantErr := New(c.degree, c.opts).Frontier(ctx, n)
			got, err := again.Frontier(stopped, n, c.degree, c.opts)
			if !reflect.DeepEqual(printed(got), printed(want)) || errors.Is(err, ErrNone) != errors.Is(wantErr, ErrNone) {
				t.Errorf("%d nodes, degree %d, %+v: %v, %v, want %v, %v", n, c.degree, c.opts, got, err, want, wantErr)
			}
		}
	}
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Save(); err != nil {
		t.Fatal(err)
	}
	if second, err := os.ReadFile(path); err != nil || !bytes.Equal(first, second) {
		t.Errorf("another file is written: %v", err)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("files %v, %v, want one", files, err)
	}
}

// printed returns points as texts, without the positions of expressions in a text.
func printed(points []Point) (texts []string) {
	for _, p := range points {
		texts = append(texts, p.Expr.String(), p.Bandwidth.String(), string(p.Method), strings.Repeat("|", p.Steps))
	}
	return texts
}

func TestStoreKeepsWhatWasFoundBeforeAStop(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "frontiers"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err = s.Fill(ctx, 100, 2, Options{}, func(n int) {
		if n == 30 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was stopped", err)
	}
	if _, err := s.Frontier(ctx, 30, 2, Options{}); err != nil {
		t.Error(err)
	}
	if err := s.Save(); err != nil {
		t.Error(err)
	}
}

func TestStoreOfAnotherRevisionIsEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frontiers")
	if err := os.WriteFile(path, pressed(t, title+"0\nwhatever"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path)
	if err != nil || len(s.found) != 0 {
		t.Errorf("%v, %v, want an empty store", s, err)
	}
}

func TestStoresThatCannotBeRead(t *testing.T) {
	head := title + strconv.Itoa(revision) + "\n"
	search := head + "degree 4 allreduce one-way tries 400 seed 0\n"
	for text, want := range map[string]string{
		"":                                "line",
		"something\n":                     "line 1: want",
		head + "7\t4 12/7 bfb C(7;2,3)\n": "line 2: points before",
		head + "degree 4 allsum one-way tries 400 seed 0\n":      "line 2: \"degree 4 allsum",
		head + "degree 04 allreduce one-way tries 400 seed 0\n":  "is not a search",
		search + "degree 4 allreduce one-way tries 400 seed 0\n": "occurs twice",
		search + "x\t4 12/7 bfb C(7;2,3)\n":                      "number of nodes",
		search + "7\n7\n":                                        "7 nodes occur twice",
		search + "7\t4 12/7 bfb\n":                               "want steps, bandwidth, method and expression",
		search + "7\t0 12/7 bfb C(7;2,3)\n":                      "want at least one step",
		search + "7\t4 1e9 bfb C(7;2,3)\n":                       "lowest terms",
		search + "7\t4 24/14 bfb C(7;2,3)\n":                     "lowest terms",
		search + "7\t4 1/0 bfb C(7;2,3)\n":                       "lowest terms",
		search + "7\t4 12/7 guess C(7;2,3)\n":                    "want a method",
		search + "7\t4 12/7 bfb C(7;2,\n":                        "column",
		search + "7\t4 12/7 bfb C(8;2,3)\n":                      "has 8 nodes, not 7",
		search + "7\t4 12/7 bfb C(7;2,3)\t6 12/7 bfb C(7;1,2)\n": "does not trade",
		search + "7\t4 13/7 bfb C(7;2,3)\t4 12/7 bfb C(7;1,2)\n": "does not trade",
	} {
		path := filepath.Join(t.TempDir(), "frontiers")
		if err := os.WriteFile(path, pressed(t, text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.80q: %v, want an error with %q", text, err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(path, []byte("plain text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil {
		t.Error("a file that is not compressed is read")
	}
	if s, err := Open(filepath.Join(path, "below")); err == nil {
		t.Errorf("%v is read from below a file", s.path)
	}
	s, err := Open(filepath.Join(t.TempDir(), "missing", "frontiers"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Save() == nil {
		t.Error("a store is written where there is no directory")
	}
}

// A file is compressed if its name says so; whether it is compressed when read depends on its
// content.
func TestStoreIsCompressedIfItsNameSaysSo(t *testing.T) {
	for name, compressed := range map[string]bool{"found.txt": false, "found": false, "found.gz": true} {
		path := filepath.Join(t.TempDir(), name)
		s, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.HasPrefix(string(data), title); text == compressed {
			t.Errorf("%s: %q", name, data)
		}
		other := filepath.Join(t.TempDir(), "renamed")
		if err := os.WriteFile(other, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(other); err != nil {
			t.Errorf("%s under another name: %v", name, err)
		}
	}
}

// FuzzRead: what is read is what was written.
func FuzzRead(f *testing.F) {
	f.Add(title + "1\ndegree 4 allreduce one-way tries 400 seed 0\n7\t4 12/7 bfb C(7;2,3)\n14\t4 20/7 bfb GenKautz(4,14)\t6 13/7 bfb C(14;3,4)\n")
	f.Add(title + "1\ndegree 3 allgather two-way tries 9 seed 1\n7\n8\t2 7/8 product Torus(4,2)\n")
	f.Add(title + "1\ndegree 1")
	f.Fuzz(func(t *testing.T, text string) {
		found, err := read(bytes.NewReader(pressed(t, text)))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := write(&b, found, len(text)%2 == 0); err != nil {
			t.Fatal(err)
		}
		again, err := read(&b)
		if err != nil || len(again) != len(found) {
			t.Fatalf("%q: %v", text, err)
		}
		for k, frontiers := range found {
			for n, points := range frontiers {
				if got, ok := again[k][n]; !ok || !reflect.DeepEqual(printed(got), printed(points)) {
					t.Errorf("%v, %d nodes: %v, want %v", k, n, got, points)
				}
			}
		}
	})
}
