package sweep

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"

	_ "modernc.org/sqlite" // the driver "sqlite": SQLite in pure Go

	"github.com/lightpath-net/lightpath/units"
)

// Store is a SQLite file of answers, by the content of their requests, and of the specs
// that asked for them.
//
// It is written with a write-ahead log, so that a process which is killed at any moment
// leaves every transaction that it committed, and none in part.
type Store struct {
	db   *sql.DB
	name string
}

// The tables. Times are in ns; NULL where there is none.
const storeSchema = `
CREATE TABLE IF NOT EXISTS sweeps (
	id TEXT PRIMARY KEY,
	spec TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS cells (
	key BLOB PRIMARY KEY,
	algorithm TEXT NOT NULL,
	planner TEXT NOT NULL,
	total_ns REAL,
	simulated_ns REAL,
	reconfigurations INTEGER,
	static_ns REAL,
	every_step_ns REAL,
	same_static_ns REAL,
	same_every_step_ns REAL,
	operation_bound_ns REAL,
	reason TEXT NOT NULL
);
`

// storeVersion is the version of the tables, kept in the file's user_version.
const storeVersion = 1

// ErrNotAStore is the error for a file that is something else.
var ErrNotAStore = errors.New("not a sweep store")

// Create opens a store for writing and makes the file if there is none. Alone says that no
// other process will look at it meanwhile: then the log needs no memory shared between
// processes, and the file may be on a network file system.
func Create(ctx context.Context, name string, alone bool) (*Store, error) {
	if name == "" {
		return nil, errors.New("the name of the store is empty")
	}
	pragmas := []string{"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)", "cache_size(-65536)"}
	if alone {
		pragmas = append([]string{"locking_mode(EXCLUSIVE)"}, pragmas...)
	}
	return open(ctx, name, "rwc", pragmas, true)
}

// Open opens a store that is there, to read and to merge from.
func Open(ctx context.Context, name string) (*Store, error) {
	if info, err := os.Stat(name); err != nil {
		return nil, err
	} else if info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory", name)
	}
	// A log that a killed process left is part of the data, and reading it needs the right
	// to write beside the file.
	return open(ctx, name, "rw", []string{"busy_timeout(10000)"}, false)
}

// InMemory returns a store that ends with the process.
func InMemory(ctx context.Context) (*Store, error) {
	return open(ctx, ":memory:", "memory", []string{"cache_size(-65536)"}, true)
}

func open(ctx context.Context, name, mode string, pragmas []string, create bool) (*Store, error) {
	query := url.Values{"mode": {mode}, "_pragma": pragmas}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: name}).EscapedPath()+"?"+query.Encode())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	db.SetMaxOpenConns(1)
	s := &Store{db: db, name: name}
	if err := s.check(ctx, create); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), db.Close())
	}
	return s, nil
}

// check makes the tables of a new file and refuses files that are something else.
func (s *Store) check(ctx context.Context, create bool) error {
	var version, tables int
	err := s.db.QueryRowContext(ctx, "SELECT (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)").Scan(&version, &tables)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%w: %v", ErrNotAStore, err)
	case version == storeVersion:
		return nil
	case version != 0 || tables > 0:
		return fmt.Errorf("%w: its version is %d, want %d", ErrNotAStore, version, storeVersion)
	case !create:
		return fmt.Errorf("%w: it is empty", ErrNotAStore)
	}
	_, err = s.db.ExecContext(ctx, fmt.Sprintf("BEGIN; %s PRAGMA user_version=%d; COMMIT", storeSchema, storeVersion))
	return err
}

// Close ends the use of the store. The log goes into the file, which then is all there is.
func (s *Store) Close() error {
	_, err := s.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	return errors.Join(err, s.db.Close())
}

// AddSpec makes a spec known. Of several the last one added is the one that is shown.
func (s *Store) AddSpec(ctx context.Context, spec *Spec) error {
	id, err := spec.ID()
	if err != nil {
		return err
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO sweeps (id, spec) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", id, string(text))
	return err
}

// Specs returns the specs in the order in which they came.
func (s *Store) Specs(ctx context.Context) ([]*Spec, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT id, spec FROM sweeps ORDER BY rowid")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var specs []*Spec
	for rows.Next() {
		var id, text string
		if err := rows.Scan(&id, &text); err != nil {
			return nil, err
		}
		spec := &Spec{}
		if err := json.Unmarshal([]byte(text), spec); err != nil {
			return nil, fmt.Errorf("%s: sweep %s: %w", s.name, id, err)
		}
		specs = append(specs, spec)
	}
	return specs, rows.Err()
}

// Last returns the spec that came last.
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

const cellColumns = "key, algorithm, planner, total_ns, simulated_ns, reconfigurations, static_ns, every_step_ns, same_static_ns, same_every_step_ns, operation_bound_ns, reason"

// all reads every answer.
func (s *Store) all(ctx context.Context) (map[Key]Outcome, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT "+cellColumns+" FROM cells")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[Key]Outcome{}
	for rows.Next() {
		var key []byte
		var o Outcome
		var times [7]sql.NullFloat64
		var changes sql.NullInt64
		if err := rows.Scan(&key, &o.Algorithm, &o.Planner, &times[0], &times[1], &changes, &times[2], &times[3], &times[4], &times[5], &times[6], &o.Reason); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		if len(key) != len(Key{}) {
			return nil, fmt.Errorf("%s: a key of %d bytes", s.name, len(key))
		}
		for i, into := range o.times() {
			*into = units.Time(times[i].Float64)
		}
		o.Reconfigurations = int(changes.Int64)
		found[Key(key)] = o
	}
	return found, rows.Err()
}

// Count returns the number of answers.
func (s *Store) Count(ctx context.Context) (n int, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT count(*) FROM cells").Scan(&n)
	return n, err
}

// times lists the times of an outcome in the order of the columns.
func (o *Outcome) times() [7]*units.Time {
	return [...]*units.Time{&o.Total, &o.Simulated, &o.Baselines.Static, &o.Baselines.EveryStep, &o.Same.Static, &o.Same.EveryStep, &o.OperationBound}
}

// batch is a transaction of new answers.
type batch struct {
	tx   *sql.Tx
	stmt *sql.Stmt
	rows int
}

func (s *Store) begin(ctx context.Context) (*batch, error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	stmt, err := tx.PrepareContext(ctx, "INSERT OR REPLACE INTO cells ("+cellColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	return &batch{tx: tx, stmt: stmt}, nil
}

func (b *batch) add(ctx context.Context, key Key, o *Outcome) error {
	var times [7]any
	for i, t := range o.times() {
		if *t != 0 {
			times[i] = float64(*t)
		}
	}
	_, err := b.stmt.ExecContext(ctx, key[:], o.Algorithm, o.Planner, times[0], times[1], o.Reconfigurations, times[2], times[3], times[4], times[5], times[6], o.Reason)
	b.rows++
	return err
}

func (b *batch) commit() error { return b.tx.Commit() }
