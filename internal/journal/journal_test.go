package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lightpath-net/lightpath/internal/journal"
)

const head = "a journal of tests\n"

// frames reads all frames, each as a text.
func frames(t testing.TB, j *journal.Journal) []string {
	t.Helper()
	var all []string
	if err := j.Each(func(data []byte) error { all = append(all, string(data)); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

func create(t testing.TB, name string) *journal.Journal {
	t.Helper()
	j, err := journal.Create(name, head, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() }) // a second time does no harm
	return j
}

// A file that ends anywhere, as one does whose writer was killed, has the frames that were
// whole; what is appended then comes after these.
func TestAFileThatEndsAnywhereHasItsWholeFrames(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	j := create(t, whole)
	texts := []string{"one", "", strings.Repeat("two", 50), "three"}
	ends := []int64{int64(len(head))}
	for _, text := range texts {
		if err := j.Append([]byte(text)); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(whole)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, info.Size())
	}
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for end := range len(data) + 1 {
		want := 0
		for want < len(texts) && ends[want+1] <= int64(end) {
			want++
		}
		for _, tail := range []int{0, 100} { // zeros where the machine stopped
			name := filepath.Join(dir, fmt.Sprint(end, tail))
			cut := append(bytes.Clone(data[:end]), make([]byte, tail)...)
			if tail > 0 && int64(end) != ends[want] {
				continue
			}
			if err := os.WriteFile(name, cut, 0o600); err != nil {
				t.Fatal(err)
			}
			j := create(t, name)
			if got := frames(t, j); fmt.Sprint(got) != fmt.Sprint(texts[:want]) {
				t.Fatalf("of %d bytes: %q", end, got)
			}
			if err := j.Append([]byte("more")); err != nil {
				t.Fatal(err)
			}
			if got := frames(t, j); fmt.Sprint(got) != fmt.Sprint(append(texts[:want:want], "more")) {
				t.Fatalf("of %d bytes, and more: %q", end, got)
			}
			j.Close()
		}
	}
}

// Damage is said and not cut off: no byte of a frame that others follow can change unnoticed.
func TestDamageIsSaid(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "whole")
	j := create(t, name)
	for _, text := range []string{"first", "second", "third"} {
		if err := j.Append([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for at := len(head); at < len(data)-len("third")-12; at++ {
		wrong := bytes.Clone(data)
		wrong[at] ^= 0x40
		name := filepath.Join(dir, fmt.Sprint(at))
		if err := os.WriteFile(name, wrong, 0o600); err != nil {
			t.Fatal(err)
		}
		j := create(t, name)
		err := j.Each(func([]byte) error { return nil })
		if err == nil || !strings.HasPrefix(err.Error(), "damaged at byte ") {
			t.Errorf("byte %d: %v", at, err)
		}
		if err := j.Append([]byte("more")); err == nil {
			t.Errorf("byte %d: appended", at)
		}
		if after, err := os.ReadFile(name); err != nil || !bytes.Equal(after, wrong) {
			t.Errorf("byte %d: the file has changed, %v", at, err)
		}
	}
}

// Several writers lose nothing, and readers see only whole frames, in the same order.
func TestWritersAndReadersAtOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "shared")
	const writers, each = 4, 50
	var group sync.WaitGroup
	create(t, name)
	for w := range writers {
		j := create(t, name) // as another process has it
		group.Go(func() {
			for i := range each {
				if err := j.Append(fmt.Appendf(nil, "%d %d", w, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	r, err := journal.Open(name, head)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var before []string
	for len(before) < writers*each && !t.Failed() {
		now := frames(t, r)
		if len(now) < len(before) || strings.Join(now[:len(before)], ",") != strings.Join(before, ",") {
			t.Fatalf("%q after %q", now, before)
		}
		before = now
	}
	group.Wait()
	next := map[string]int{}
	for _, text := range before {
		w, i, _ := strings.Cut(text, " ")
		if i != fmt.Sprint(next[w]) {
			t.Errorf("%s of writer %s after %d", i, w, next[w])
		}
		next[w]++
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for name, want := range map[string]error{
		file("empty", ""): journal.ErrEmpty, file("begun", head[:5]): journal.ErrEmpty,
		file("text", "something that is longer than the head"): journal.ErrOther, file("short", "b"): journal.ErrOther,
		filepath.Join(dir, "none"): fs.ErrNotExist,
	} {
		if _, err := journal.Open(name, head); !errors.Is(err, want) || strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", filepath.Base(name), err)
		}
	}
	for _, name := range []string{file("text2", "something that is longer than the head"), dir, filepath.Join(dir, "no", "x")} {
		if _, err := journal.Create(name, head, false); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	j := journal.InMemory(head)
	if err := j.Append([]byte("kept")); err != nil || fmt.Sprint(frames(t, j)) != "[kept]" {
		t.Errorf("in memory: %v", err)
	}
}

// FuzzJournal: whatever is in a file, reading ends, and what is appended to one that is whole
// can be read.
func FuzzJournal(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add(bytes.Repeat([]byte{0}, 40))
	f.Fuzz(func(t *testing.T, data []byte) {
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, append([]byte(head), data...), 0o600); err != nil {
			t.Fatal(err)
		}
		j := create(t, name)
		n := 0
		if j.Each(func([]byte) error { n++; return nil }) != nil {
			return
		}
		if err := j.Append([]byte("more")); err != nil {
			t.Fatal(err)
		}
		if got := frames(t, j); len(got) != n+1 || got[n] != "more" {
			t.Fatalf("%q after %d frames", got, n)
		}
	})
}
