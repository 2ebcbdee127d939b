package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/internal/journal"
)

// journalHead is the first line of a journal.
const journalHead = "lightpath control journal v1\n"

// maxRecord bounds a record that is read.
const maxRecord = 64 << 20

// kind is what a record says.
type kind string

const (
	intended kind = "intend" // a change begins
	finished kind = "done"   // all switches have the wanted state
	returned kind = "undone" // all switches have their old state again
)

// record is an entry of the journal.
type record struct {
	Kind kind `json:"kind"`
	// Plan and Stage say what the change is for: the checksum of a timetable, and its stage from
	// 1.
	Plan  string `json:"plan,omitempty"`
	Stage int    `json:"stage,omitempty"`
	// Before and After are the states of our ports on every switch, by its name.
	Before map[string][]Cross `json:"before,omitempty"`
	After  map[string][]Cross `json:"after,omitempty"`
	Why    string             `json:"why,omitempty"`
}

// Journal records which changes have begun and which have ended. It is a file that only grows;
// every entry is on disk before a command is sent.
type Journal struct {
	file *journal.Journal
	last Memory
	// before, if not nil, says whether an entry is written, and whether the process lives on;
	// tests use it to simulate kills.
	before func() (write bool, err error)
}

// Memory is the content of a journal.
type Memory struct {
	// Open says that a change has begun but not ended: switches may be in any state between
	// Before and After. Otherwise they have After.
	Open          bool
	Plan          string // checksum of the timetable
	Stage         int    // from 1; 0: none, or the initial state
	Before, After map[string]State
	// Begun are the goals of earlier changes since the last one that ended. All of these changes
	// were interrupted.
	Begun []map[string]State
}

// OpenJournal opens a journal for appending, and creates the file if there is none. Only one
// process may have it open, which makes it the lock on the switches.
func OpenJournal(name string) (*Journal, error) {
	f, err := journal.Create(name, journalHead, true)
	if err == nil {
		if err = f.Hold(); err != nil {
			err = errors.Join(err, f.Close())
		}
	}
	switch {
	case errors.Is(err, journal.ErrHeld):
		return nil, fmt.Errorf("%s: another process controls these switches", name)
	case errors.Is(err, journal.ErrOther):
		return nil, fmt.Errorf("%s: not a journal of control", name)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	j := &Journal{file: f}
	if err := j.read(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return j, nil
}

// JournalInMemory returns a journal that ends with the process.
func JournalInMemory() *Journal { return &Journal{file: journal.InMemory(journalHead)} }

// Remembering returns a journal in memory with a given content.
func Remembering(known Memory) *Journal {
	j := JournalInMemory()
	j.last = known
	return j
}

// Recall reads the content of a journal without opening it for appending. A missing file counts
// as empty.
func Recall(name string) (Memory, error) {
	f, err := journal.Open(name, journalHead)
	switch {
	case errors.Is(err, journal.ErrEmpty):
		return Memory{}, nil
	case errors.Is(err, journal.ErrOther):
		return Memory{}, fmt.Errorf("%s: not a journal of control", name)
	case err != nil:
		return Memory{}, fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	j := &Journal{file: f}
	if err := j.read(); err != nil {
		return Memory{}, fmt.Errorf("%s: %w", name, err)
	}
	return j.last, nil
}

// read reads the entries of the journal.
func (j *Journal) read() error {
	number := 0
	return j.file.Each(func(data []byte) error {
		number++
		if err := j.last.take(data); err != nil {
			return fmt.Errorf("entry %d: %w", number, err)
		}
		return nil
	})
}

// take applies the next entry.
func (m *Memory) take(data []byte) error {
	if len(data) > maxRecord {
		return fmt.Errorf("%d bytes, want at most %d", len(data), maxRecord)
	}
	var r record
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil {
		return err
	}
	switch r.Kind {
	case intended:
		before, err := statesOf(r.Before)
		if err != nil {
			return fmt.Errorf("before: %w", err)
		}
		after, err := statesOf(r.After)
		if err != nil {
			return fmt.Errorf("after: %w", err)
		}
		next := Memory{Open: true, Plan: r.Plan, Stage: r.Stage, Before: before, After: after}
		if m.Open {
			next.Begun = append(m.Begun, m.After)
		}
		*m = next
	case finished:
		if !m.Open {
			return errors.New("something ends that has not begun")
		}
		m.Open, m.Begun = false, nil
	case returned:
		if !m.Open {
			return errors.New("something is undone that has not begun")
		}
		*m = Memory{After: m.Before}
	default:
		return fmt.Errorf("kind is %.20q", r.Kind)
	}
	return nil
}

// append adds an entry; it is on disk when append returns.
func (j *Journal) append(r record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	write, killed := true, error(nil)
	if j.before != nil {
		write, killed = j.before()
	}
	if write {
		if err := j.file.Append(data); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
	}
	if killed != nil {
		return killed
	}
	return j.last.take(data)
}

// Memory returns the content of the journal.
func (j *Journal) Memory() Memory { return j.last }

// Close ends the use of the file, and lets other processes control the switches.
func (j *Journal) Close() error { return j.file.Close() }

// statesOf reads states as they are written.
func statesOf(lists map[string][]Cross) (map[string]State, error) {
	states := make(map[string]State, len(lists))
	for name, list := range lists {
		s, err := Up(list)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		states[name] = s
	}
	return states, nil
}

// listsOf writes states.
func listsOf(states map[string]State) map[string][]Cross {
	lists := make(map[string][]Cross, len(states))
	for name, s := range states {
		lists[name] = s.Crosses()
	}
	return lists
}
