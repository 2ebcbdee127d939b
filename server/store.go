package server

import (
	"bytes"
	"compress/flate"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"time"

	"modernc.org/sqlite" // with the driver "sqlite": SQLite in pure Go
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/lightpath-net/lightpath/plan"
)

// store is a SQLite file of answers by the hash of their requests, of plans by their ID, and
// of jobs.
//
// It is written with a write-ahead log: a process that is killed at any moment leaves every
// transaction that it committed, and none in part. An answer and its plan are one
// transaction.
type store struct {
	db     *sql.DB
	recent *recent
	full   atomic.Bool // the last write found no room
}

// wrote notes how a write ended, and says so where there was no room for it.
func (s *store) wrote(err error) error {
	var wrong *sqlite.Error
	full := errors.As(err, &wrong) && wrong.Code()&0xff == sqlite3.SQLITE_FULL
	s.full.Store(full)
	if full {
		return errFull
	}
	return err
}

// Times are seconds since 1970. Bodies are compressed (DEFLATE).
const storeTables = `
CREATE TABLE IF NOT EXISTS answers (
	key TEXT PRIMARY KEY,
	command TEXT NOT NULL,
	request TEXT NOT NULL,
	body BLOB NOT NULL,
	plan TEXT NOT NULL,
	created INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS plans (
	id TEXT PRIMARY KEY,
	body BLOB NOT NULL,
	op TEXT NOT NULL,
	algorithm TEXT NOT NULL,
	planner TEXT NOT NULL,
	nodes INTEGER NOT NULL,
	size_bytes INTEGER NOT NULL,
	total_ns REAL NOT NULL,
	created INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS jobs (
	id TEXT PRIMARY KEY,
	command TEXT NOT NULL,
	request TEXT NOT NULL,
	client TEXT NOT NULL,
	state TEXT NOT NULL,
	starts INTEGER NOT NULL,
	done INTEGER NOT NULL,
	total INTEGER NOT NULL,
	field TEXT NOT NULL,
	problem TEXT NOT NULL,
	body BLOB,
	plan TEXT NOT NULL,
	key TEXT NOT NULL,
	created INTEGER NOT NULL,
	kept INTEGER NOT NULL DEFAULT 0,
	stalls INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS jobs_created ON jobs (created);
`

// storeVersion is the version of the tables, kept in the file's user_version.
const storeVersion = 1

// errNone means that there is no such thing in the store.
var errNone = errors.New("there is none of that name")

func openStore(ctx context.Context, dir string) (*store, error) {
	name := filepath.Join(dir, "lightpath.db")
	query := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)", "cache_size(-16384)",
	}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: name}).EscapedPath()+"?"+query.Encode())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	db.SetMaxOpenConns(4)
	s := &store{db: db, recent: newRecent(recentBytes)}
	if err := s.check(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), db.Close())
	}
	return s, nil
}

func (s *store) check(ctx context.Context) error {
	var version, tables int
	err := s.db.QueryRowContext(ctx, "SELECT (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)").Scan(&version, &tables)
	switch {
	case err != nil:
		return fmt.Errorf("not a store of this service: %w", err)
	case version != storeVersion && (version != 0 || tables > 0):
		return fmt.Errorf("not a store of this service: its version is %d, want %d", version, storeVersion)
	}
	var old bool // jobs that do not know yet how far they were
	if err := s.db.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM pragma_table_info('jobs')) = 14").Scan(&old); err != nil {
		return err
	}
	if old {
		if _, err := s.db.ExecContext(ctx, "BEGIN; ALTER TABLE jobs ADD COLUMN kept INTEGER NOT NULL DEFAULT 0; ALTER TABLE jobs ADD COLUMN stalls INTEGER NOT NULL DEFAULT 0; COMMIT"); err != nil {
			return err
		}
	}
	_, err = s.db.ExecContext(ctx, fmt.Sprintf("BEGIN IMMEDIATE; %s PRAGMA user_version=%d; COMMIT", storeTables, storeVersion))
	return err
}

func (s *store) close() error {
	_, err := s.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	return errors.Join(err, s.db.Close())
}

// find returns the answer to a request that was asked before.
func (s *store) find(ctx context.Context, key string) (answer, error) {
	if a, ok := s.recent.get(key); ok {
		return a, nil
	}
	var a answer
	var packed []byte
	err := s.db.QueryRowContext(ctx, "SELECT body, plan FROM answers WHERE key = ?", key).Scan(&packed, &a.plan)
	if errors.Is(err, sql.ErrNoRows) {
		return a, errNone
	}
	if err == nil {
		a.body, err = unpack(packed)
	}
	if err == nil {
		s.recent.put(key, a)
	}
	return a, err
}

// keep stores an answer, and the plan that it is the summary of.
func (s *store) keep(ctx context.Context, command, key string, request []byte, a answer, whole *wholePlan) (err error) {
	defer func() { err = s.wrote(err) }()
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	if whole != nil {
		if err := addPlan(ctx, tx, whole); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO answers (key, command, request, body, plan, created) VALUES (?, ?, ?, ?, ?, ?)",
		key, command, string(request), pack(a.body), a.plan, time.Now().Unix()); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.recent.put(key, a)
	return nil
}

// execer is a database or a transaction.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func addPlan(ctx context.Context, to execer, p *wholePlan) error {
	_, err := to.ExecContext(ctx, "INSERT OR REPLACE INTO plans (id, body, op, algorithm, planner, nodes, size_bytes, total_ns, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		p.ID, pack(p.body), p.Op, p.Algorithm, p.Planner, p.Nodes, p.SizeBytes, p.TotalNs, time.Now().Unix())
	return err
}

// Plan implements lightpath.PlanStore.
func (s *store) Plan(ctx context.Context, id string) (*plan.Plan, error) {
	whole, err := s.planFile(ctx, id)
	if err != nil {
		return nil, err
	}
	return plan.Decode(bytes.NewReader(whole))
}

// planFile returns the whole plan as its file has it.
func (s *store) planFile(ctx context.Context, id string) ([]byte, error) {
	var packed []byte
	err := s.db.QueryRowContext(ctx, "SELECT body FROM plans WHERE id = ?", id).Scan(&packed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("plan %.80q: %w", id, errNone)
	}
	if err != nil {
		return nil, err
	}
	return unpack(packed)
}

// StoredPlan is a line of the list of plans.
type StoredPlan struct {
	ID        string  `json:"id"`
	Op        string  `json:"op"`
	Algorithm string  `json:"algorithm"`
	Planner   string  `json:"planner"`
	Nodes     int     `json:"nodes"`
	SizeBytes int64   `json:"size_bytes"`
	TotalNs   float64 `json:"total_ns"`
	Created   int64   `json:"created_s"` // since 1970
}

// listed is how many things a list shows at most.
const listed = 200

// plans lists plans, the newest first, in whose names or ID a word occurs.
func (s *store) plans(ctx context.Context, word string) ([]StoredPlan, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, op, algorithm, planner, nodes, size_bytes, total_ns, created FROM plans
		WHERE instr(id || ' ' || op || ' ' || algorithm || ' ' || planner || ' ' || nodes, ?) > 0 ORDER BY created DESC, id LIMIT ?`, word, listed)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := []StoredPlan{}
	for rows.Next() {
		var p StoredPlan
		if err := rows.Scan(&p.ID, &p.Op, &p.Algorithm, &p.Planner, &p.Nodes, &p.SizeBytes, &p.TotalNs, &p.Created); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, rows.Err()
}

// forget deletes a plan and the answers that are its summary.
func (s *store) forget(ctx context.Context, id string) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	result, err := tx.ExecContext(ctx, "DELETE FROM plans WHERE id = ?", id)
	if err == nil {
		if n, _ := result.RowsAffected(); n == 0 {
			err = fmt.Errorf("plan %.80q: %w", id, errNone)
		}
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, "DELETE FROM answers WHERE plan = ?", id)
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	err = tx.Commit()
	s.recent.clear()
	return err
}

func pack(data []byte) []byte {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic("server: " + err.Error()) // a buffer takes everything, and the level is right
	}
	return out.Bytes()
}

func unpack(data []byte) ([]byte, error) { return io.ReadAll(flate.NewReader(bytes.NewReader(data))) }
