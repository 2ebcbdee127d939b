package reproduce

import (
	"context"
	"fmt"
	"strings"
)

// Paper is a paper with its claims and the figures that are drawn.
type Paper struct {
	Name    string // the first part of the IDs of its claims
	Title   string
	Entries []Entry
	Panels  []Panel
}

// Papers lists all claims, in the order in which they are shown.
func Papers() []Paper {
	return []Paper{harvest(), lightBends(), retri(), directConnect(), reconfigureOrNot()}
}

// All is the name of all claims.
const All = "all"

// Find returns the claims of a name: All, that of a paper, an ID, or the beginning of some up
// to a slash, such as harvest/table1.
func Find(name string) ([]Entry, error) {
	var found []Entry
	for _, p := range Papers() {
		for _, e := range p.Entries {
			if name == All || e.ID == name || strings.HasPrefix(e.ID, strings.TrimSuffix(name, "/")+"/") {
				found = append(found, e)
			}
		}
	}
	if found == nil {
		return nil, fmt.Errorf("%q is no claim; want %s, a paper (%s), or an ID that reproduce list shows", name, All, strings.Join(names(), ", "))
	}
	return found, nil
}

func names() []string {
	var list []string
	for _, p := range Papers() {
		list = append(list, p.Name)
	}
	return list
}

// Run computes claims one after the other. Those that take long are left out unless full is
// set. After each claim it reports how many are done.
func Run(ctx context.Context, entries []Entry, full bool, done func(n, total int)) ([]Row, error) {
	var chosen []Entry
	for _, e := range entries {
		if full || !e.Full {
			chosen = append(chosen, e)
		}
	}
	rows := make([]Row, 0, len(chosen))
	for i := range chosen {
		row, err := chosen[i].Run(ctx)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
		done(i+1, len(chosen))
	}
	return rows, nil
}
