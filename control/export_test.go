package control

import "errors"

// KillJournal kills a process when it appends to a journal.
func KillJournal(j *Journal, step func() (effect, alive bool)) {
	j.before = func() (bool, error) {
		effect, alive := step()
		if !alive {
			return effect, errors.New("killed")
		}
		return true, nil
	}
}

// Take reads an entry of a journal.
func Take(m *Memory, entry []byte) error { return m.take(entry) }
