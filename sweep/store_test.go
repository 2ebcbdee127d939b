package sweep_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/sweep"
)

// A file of SQLite, as stores were, is called that and says what to do.
func TestOldStoresSayWhatToDo(t *testing.T) {
	name := filepath.Join(t.TempDir(), "old.db")
	if err := os.WriteFile(name, append([]byte("SQLite format 3\x00"), make([]byte, 4080)...), 0o600); err != nil {
		t.Fatal(err)
	}
	want := name + ": not a sweep store of this version, but a SQLite file, as stores were before; " +
		"run the sweep again into another file, or show it with the version that wrote it"
	if _, err := sweep.Open(t.Context(), name); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	if _, err := sweep.Create(t.Context(), name, true); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	later := filepath.Join(t.TempDir(), "later.db")
	if err := os.WriteFile(later, []byte("lightpath sweep store v3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sweep.Open(t.Context(), later); err == nil || !strings.Contains(err.Error(), `which reads "lightpath sweep store v2"`) {
		t.Errorf("%v", err)
	}
}

// Whoever may only read a store can show it, also while another writes to it, and sees what
// has been committed.
func TestStoresAreReadWhileTheyAreWritten(t *testing.T) {
	spec := grid(t, 8, "op=allreduce", "algorithm=ring", "planner=static", "size=1KiB,2KiB", "reconfig=1us")
	name := filepath.Join(t.TempDir(), "s.db")
	w, err := sweep.Create(t.Context(), name, false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r, err := sweep.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Last(t.Context()); err == nil || !strings.Contains(err.Error(), "there is no sweep in it") {
		t.Errorf("%v", err)
	}
	if err := r.AddSpec(t.Context(), spec); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("written to what was opened to be read: %v", err)
	}
	if err := sweep.Run(t.Context(), spec, w, solver(), sweep.Options{}); err != nil {
		t.Fatal(err)
	}
	if export(t, r, spec) != export(t, w, spec) {
		t.Error("the reader sees something else")
	}
	if n, err := r.Count(t.Context()); n != 2 || err != nil {
		t.Errorf("%d cells, %v", n, err)
	}
}

// Two processes that write the same store at once lose none of each other's answers.
func TestTwoWritersShareAStore(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s.db")
	specs := []*sweep.Spec{
		grid(t, 8, "op=allreduce", "algorithm=ring", "planner=static", "size=1KiB..1MiB", "reconfig=1us"),
		grid(t, 8, "op=allgather", "algorithm=ring", "planner=static", "size=1KiB..1MiB", "reconfig=1us"),
	}
	done := make(chan error)
	for _, spec := range specs {
		s, err := sweep.Create(t.Context(), name, false)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		go func() { done <- sweep.Run(t.Context(), spec, s, solver(), sweep.Options{Workers: 1}) }()
	}
	for range specs {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	s, err := sweep.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, spec := range specs {
		if table, err := s.Load(t.Context(), spec); err != nil || table.Missing > 0 {
			t.Errorf("%+v, %v", table.Missing, err)
		}
	}
}

// FuzzStore: whatever a frame holds, a store is read or refused in one line.
func FuzzStore(f *testing.F) {
	f.Add([]byte("s\x02id\x02{}"))
	f.Add(append(append([]byte{'c'}, make([]byte, 32)...), 0, 0, 0, 0, 0))
	f.Add(binary.AppendUvarint([]byte{'s'}, 1<<63))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := sweep.ReadFrame(data); err != nil && strings.Contains(err.Error(), "\n") {
			t.Error(err)
		}
	})
}

// What is written is read again, whatever is in it.
func TestCellsSurviveTheFile(t *testing.T) {
	spec := grid(t, 8, "op=allreduce", "algorithm=ring,swing", "planner=static,every-step", "size=1KiB..1GiB", "reconfig=1us,2us")
	s := store(t, "a.db")
	if err := sweep.Run(t.Context(), spec, s, solver(), sweep.Options{}); err != nil {
		t.Fatal(err)
	}
	memory, err := sweep.InMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := memory.Merge(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if export(t, s, spec) != export(t, memory, spec) {
		t.Error("a merge changes something")
	}
	var csv bytes.Buffer
	table, err := memory.Load(t.Context(), spec)
	if err == nil {
		err = table.CSV(&csv)
	}
	if err != nil || strings.Count(csv.String(), "\n") != spec.Cells()+1 {
		t.Error(fmt.Sprint(err, csv.String()))
	}
}
