package server

import (
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/lightpath-net/lightpath/plan"
)

// store is a bbolt file of answers by the hash of their requests, of plans by their ID, and
// of jobs. One process has it open.
//
// A process that is killed at any moment leaves every transaction that it committed, and no
// partial one. An answer and its plan are one transaction.
type store struct {
	db     *bbolt.DB
	recent *recent
	full   atomic.Bool // the last write found no room
}

// The buckets. Lines are JSON. Bodies, under the same keys, are compressed (DEFLATE) and in
// separate buckets, so that lists need not read them.
var (
	aboutBucket        = []byte("about")
	answersBucket      = []byte("answers") // by the hash of the request
	answerBodiesBucket = []byte("answer bodies")
	plansBucket        = []byte("plans") // by ID
	planBodiesBucket   = []byte("plan bodies")
	jobsBucket         = []byte("jobs") // by ID
	jobBodiesBucket    = []byte("job bodies")
)

// storeVersion is the version of the buckets, kept under versionKey of aboutBucket.
const storeVersion = "2"

var versionKey = []byte("version")

// errNone means that the store has no such entry.
var errNone = errors.New("there is none of that name")

// storeError is a failure of the store itself, which the client cannot fix.
type storeError struct{ err error }

func (e *storeError) Error() string { return "the store: " + e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

func openStore(ctx context.Context, dir string) (*store, error) {
	name := filepath.Join(dir, "lightpath.db")
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if begin, err := beginning(name); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	} else if strings.HasPrefix(begin, "SQLite format 3") {
		return nil, fmt.Errorf("%s: a SQLite file, as an earlier version kept its store; name another directory, "+
			"or export the plans with that version (GET /v1/export) and add them (POST /v1/plans)", name)
	}
	db, err := bbolt.Open(name, 0o600, &bbolt.Options{Timeout: 10 * time.Second, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return nil, fmt.Errorf("%s: not a store of this service: %w", name, err)
	}
	s := &store{db: db, recent: newRecent(recentBytes)}
	if err := s.check(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), db.Close())
	}
	return s, nil
}

// beginning returns the first bytes of a file, none if there is none.
func beginning(name string) (string, error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	defer f.Close()
	buf := make([]byte, 16)
	n, err := io.ReadFull(f, buf)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return string(buf[:n]), err
}

// check makes the buckets of a new file and refuses one of another version.
func (s *store) check(ctx context.Context) error {
	return s.update(ctx, func(tx *bbolt.Tx) error {
		about := tx.Bucket(aboutBucket)
		if first, _ := tx.Cursor().First(); about == nil && first != nil {
			return errors.New("not a store of this service")
		}
		if about != nil {
			if version := string(about.Get(versionKey)); version != storeVersion {
				return fmt.Errorf("not a store of this service: its version is %q, want %q", version, storeVersion)
			}
		}
		for _, name := range [][]byte{aboutBucket, answersBucket, answerBodiesBucket, plansBucket, planBodiesBucket, jobsBucket, jobBodiesBucket} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return tx.Bucket(aboutBucket).Put(versionKey, []byte(storeVersion))
	})
}

func (s *store) close() error { return s.db.Close() }

// view reads, and update writes, in a transaction.
func (s *store) view(ctx context.Context, read func(*bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return ofStore(s.db.View(read))
}

func (s *store) update(ctx context.Context, write func(*bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := s.db.Update(write)
	full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, berrors.ErrMaxSizeReached)
	if err == nil || full {
		s.full.Store(full)
	}
	if full {
		return errFull
	}
	return ofStore(err)
}

// ofStore marks errors of the store itself, as opposed to errNone.
func ofStore(err error) error {
	if err == nil || errors.Is(err, errNone) {
		return err
	}
	return &storeError{err}
}

// probe checks that there is room for a write.
func (s *store) probe(ctx context.Context) error {
	return s.update(ctx, func(tx *bbolt.Tx) error { return tx.Bucket(aboutBucket).Put(versionKey, []byte(storeVersion)) })
}

// line reads the JSON of a key.
func line(b *bbolt.Bucket, key string, into any) error {
	text := b.Get([]byte(key))
	if text == nil {
		return errNone
	}
	return json.Unmarshal(text, into)
}

// putLine writes the JSON of a key, and its body, if not nil, into another bucket.
func putLine(tx *bbolt.Tx, lines, bodies []byte, key string, value any, body []byte) error {
	text, err := json.Marshal(value)
	if err == nil {
		err = tx.Bucket(lines).Put([]byte(key), text)
	}
	if err == nil && body != nil {
		err = tx.Bucket(bodies).Put([]byte(key), body)
	}
	return err
}

// bodyOf reads and unpacks a body.
func bodyOf(tx *bbolt.Tx, bodies []byte, key string) ([]byte, error) {
	packed := tx.Bucket(bodies).Get([]byte(key))
	if packed == nil {
		return nil, errNone
	}
	return unpack(packed)
}

// storedAnswer is a line of the bucket of answers.
type storedAnswer struct {
	Command string `json:"command"`
	Request string `json:"request"`
	Plan    string `json:"plan,omitempty"`
	Created int64  `json:"created_s"` // since 1970
}

// find returns the stored answer to a request.
func (s *store) find(ctx context.Context, key string) (answer, error) {
	if a, ok := s.recent.get(key); ok {
		return a, nil
	}
	var a answer
	err := s.view(ctx, func(tx *bbolt.Tx) (err error) {
		var about storedAnswer
		if err := line(tx.Bucket(answersBucket), key, &about); err != nil {
			return err
		}
		a.plan = about.Plan
		a.body, err = bodyOf(tx, answerBodiesBucket, key)
		return err
	})
	if err == nil {
		s.recent.put(key, a)
	}
	return a, err
}

// documentKey returns the key of the whole document that an answer summarises among the bodies of
// answers, whose own keys are hexadecimal digits.
func documentKey(key string) string { return key + " iteration" }

// document returns the whole document that the answer to a request summarises.
func (s *store) document(ctx context.Context, key string) (whole []byte, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) (err error) {
		whole, err = bodyOf(tx, answerBodiesBucket, documentKey(key))
		return err
	})
	return whole, err
}

// keep stores an answer, and what it summarizes.
func (s *store) keep(ctx context.Context, command, key string, request []byte, a answer, whole wholeAnswer) error {
	err := s.update(ctx, func(tx *bbolt.Tx) error {
		if whole.plan != nil {
			if err := putPlan(tx, whole.plan); err != nil {
				return err
			}
		}
		if whole.document != nil {
			if err := tx.Bucket(answerBodiesBucket).Put([]byte(documentKey(key)), pack(whole.document)); err != nil {
				return err
			}
		}
		about := storedAnswer{Command: command, Request: string(request), Plan: a.plan, Created: time.Now().Unix()}
		return putLine(tx, answersBucket, answerBodiesBucket, key, &about, pack(a.body))
	})
	if err == nil {
		s.recent.put(key, a)
	}
	return err
}

// addPlan stores a plan.
func (s *store) addPlan(ctx context.Context, p *wholePlan) error {
	return s.update(ctx, func(tx *bbolt.Tx) error { return putPlan(tx, p) })
}

func putPlan(tx *bbolt.Tx, p *wholePlan) error {
	about := p.StoredPlan
	about.Created = time.Now().Unix()
	return putLine(tx, plansBucket, planBodiesBucket, p.ID, &about, pack(p.body))
}

// Plan implements lightpath.PlanStore.
func (s *store) Plan(ctx context.Context, id string) (*plan.Plan, error) {
	whole, err := s.planFile(ctx, id)
	if err != nil {
		return nil, err
	}
	return plan.Decode(bytes.NewReader(whole))
}

// planFile returns the whole plan in the form of its file.
func (s *store) planFile(ctx context.Context, id string) (whole []byte, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) (err error) {
		whole, err = bodyOf(tx, planBodiesBucket, id)
		return err
	})
	if errors.Is(err, errNone) {
		return nil, fmt.Errorf("plan %.80q: %w", id, errNone)
	}
	return whole, err
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

// listed is the largest number of entries of a list.
const listed = 200

// plans lists the plans whose names or ID contain a word, the newest first.
func (s *store) plans(ctx context.Context, word string) ([]StoredPlan, error) {
	list := []StoredPlan{}
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		return tx.Bucket(plansBucket).ForEach(func(_, text []byte) error {
			var p StoredPlan
			if err := json.Unmarshal(text, &p); err != nil {
				return err
			}
			if strings.Contains(strings.Join([]string{p.ID, p.Op, p.Algorithm, p.Planner, strconv.Itoa(p.Nodes)}, " "), word) {
				list = append(list, p)
			}
			return ctx.Err()
		})
	})
	slices.SortFunc(list, func(a, b StoredPlan) int {
		return cmp.Or(cmp.Compare(b.Created, a.Created), strings.Compare(a.ID, b.ID))
	})
	return list[:min(len(list), listed)], err
}

// forget deletes a plan and the answers that are its summary.
func (s *store) forget(ctx context.Context, id string) error {
	err := s.update(ctx, func(tx *bbolt.Tx) error {
		if tx.Bucket(plansBucket).Get([]byte(id)) == nil {
			return fmt.Errorf("plan %.80q: %w", id, errNone)
		}
		if err := remove(tx, plansBucket, planBodiesBucket, id); err != nil {
			return err
		}
		var summaries []string
		err := tx.Bucket(answersBucket).ForEach(func(key, text []byte) error {
			var about storedAnswer
			err := json.Unmarshal(text, &about)
			if about.Plan == id {
				summaries = append(summaries, string(key))
			}
			return err
		})
		for _, key := range summaries {
			if err == nil {
				err = remove(tx, answersBucket, answerBodiesBucket, key)
			}
		}
		return err
	})
	s.recent.clear()
	return err
}

// remove deletes a line and its body.
func remove(tx *bbolt.Tx, lines, bodies []byte, key string) error {
	return errors.Join(tx.Bucket(lines).Delete([]byte(key)), tx.Bucket(bodies).Delete([]byte(key)))
}

func pack(data []byte) []byte {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	writeAll(w, err, data)
	return out.Bytes()
}

func unpack(data []byte) ([]byte, error) { return io.ReadAll(flate.NewReader(bytes.NewReader(data))) }
