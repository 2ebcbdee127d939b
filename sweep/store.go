package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/lightpath-net/lightpath/internal/journal"
)

// Store is a file of answers, by the content of their requests, and of the specs that asked for
// them: a journal to which answers are appended (docs/store.md describes its form).
//
// A process that is killed at any moment leaves every batch that it committed, and no partial
// batch. Other processes may read the file and append to it meanwhile.
type Store struct {
	file *journal.Journal
	name string
}

// storeHead is the first line of every store.
const storeHead = "lightpath sweep store v2\n"

// sqliteHead begins the stores of version 1.
const sqliteHead = "SQLite format 3\x00"

// ErrNotAStore is the error for a file that is something else.
var ErrNotAStore = errors.New("not a sweep store")

// IsStore reports whether a file with this beginning is a store of this or an earlier version.
func IsStore(beginning []byte) bool {
	return bytes.HasPrefix(beginning, []byte(storeHead)) || bytes.HasPrefix(beginning, []byte(sqliteHead))
}

// Create opens a store for writing and creates the file if there is none. alone says that no
// other process writes to it meanwhile; the file may then be on a file system without locks,
// such as some network file systems.
func Create(ctx context.Context, name string, alone bool) (*Store, error) {
	if name == "" {
		return nil, errors.New("the name of the store is empty")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, err := journal.Create(name, storeHead, alone)
	return newStore(file, name, err)
}

// Open opens an existing store for reading and merging from. It needs no write permission.
func Open(ctx context.Context, name string) (*Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, err := journal.Open(name, storeHead)
	return newStore(file, name, err)
}

// InMemory returns a store that ends with the process.
func InMemory(context.Context) (*Store, error) {
	return &Store{file: journal.InMemory(storeHead), name: "memory"}, nil
}

func newStore(file *journal.Journal, name string, err error) (*Store, error) {
	switch {
	case errors.Is(err, journal.ErrEmpty):
		err = fmt.Errorf("%w: it is empty", ErrNotAStore)
	case errors.Is(err, journal.ErrOther):
		err = otherFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Store{file: file, name: name}, nil
}

// otherFile returns an error that says what a file is that is not a store.
func otherFile(name string) error {
	begin := make([]byte, len(sqliteHead))
	if f, err := os.Open(name); err == nil {
		n, _ := f.Read(begin) // fewer bytes are not a store, either
		begin = begin[:n]
		f.Close()
	}
	switch {
	case string(begin) == sqliteHead:
		return fmt.Errorf("%w of this version, but a SQLite file, as stores were before; "+
			"run the sweep again into another file, or show it with the version that wrote it", ErrNotAStore)
	case bytes.HasPrefix(begin, []byte("lightpath sweep ")):
		return fmt.Errorf("%w of this version, which reads %q", ErrNotAStore, storeHead[:len(storeHead)-1])
	}
	return ErrNotAStore
}

// Close ends the use of the store.
func (s *Store) Close() error {
	if err := s.file.Close(); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

// AddSpec adds a spec. Of several specs, the last one added is shown.
func (s *Store) AddSpec(ctx context.Context, spec *Spec) error {
	id, err := spec.ID()
	if err != nil {
		return err
	}
	known := false
	err = s.read(ctx, func(r *record) error {
		known = known || r.kind == specRecord && r.id == id
		return nil
	})
	if err != nil || known {
		return err
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	return s.append(appendSpec(nil, id, text))
}

// append adds records. It fails without room or write permission.
func (s *Store) append(records []byte) error {
	err := s.file.Append(records)
	if errors.Is(err, fs.ErrPermission) {
		err = errors.New("the store was opened to be read")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

// Specs returns the specs in the order in which they were added.
func (s *Store) Specs(ctx context.Context) ([]*Spec, error) {
	var specs []*Spec
	seen := map[string]bool{} // two processes may have added the same one
	err := s.read(ctx, func(r *record) error {
		if r.kind != specRecord || seen[r.id] {
			return nil
		}
		seen[r.id] = true
		spec := &Spec{}
		if err := json.Unmarshal(r.spec, spec); err != nil {
			return fmt.Errorf("%s: sweep %s: %w", s.name, r.id, err)
		}
		specs = append(specs, spec)
		return nil
	})
	return specs, err
}

// LoadLast reads the last sweep of an existing store.
func LoadLast(ctx context.Context, name string) (*Table, error) {
	store, err := Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	spec, err := store.Last(ctx)
	if err != nil {
		return nil, err
	}
	return store.Load(ctx, spec)
}

// Last returns the spec that was added last.
func (s *Store) Last(ctx context.Context) (*Spec, error) {
	specs, err := s.Specs(ctx)
	if err == nil && len(specs) == 0 {
		err = fmt.Errorf("%s: there is no sweep in it", s.name)
	}
	if err != nil {
		return nil, err
	}
	return specs[len(specs)-1], nil
}

// all reads every answer. Of several answers to the same request, the last one counts.
func (s *Store) all(ctx context.Context) (map[Key]Outcome, error) {
	found := map[Key]Outcome{}
	err := s.read(ctx, func(r *record) error {
		if r.kind != specRecord {
			found[r.key] = r.outcome
		}
		return nil
	})
	return found, err
}

// Count returns the number of answers.
func (s *Store) Count(ctx context.Context) (int, error) {
	found, err := s.all(ctx)
	return len(found), err
}

// read visits every record.
func (s *Store) read(ctx context.Context, visit func(*record) error) error {
	d := decoder{names: map[string]string{}}
	var wrong error // in what was requested, not in the file
	err := s.file.Each(func(data []byte) error {
		if wrong = ctx.Err(); wrong != nil {
			return wrong
		}
		return d.each(data, func(r *record) error {
			wrong = visit(r)
			return wrong
		})
	})
	if err != nil && wrong == nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return err
}

// batch is a set of new answers that are written together.
type batch struct {
	store   *Store
	records []byte
}

func (s *Store) begin() *batch { return &batch{store: s} }

func (b *batch) add(key Key, o *Outcome) { b.records = appendCell(b.records, key, o) }

func (b *batch) commit() error {
	if len(b.records) == 0 {
		return nil
	}
	return b.store.append(b.records)
}
