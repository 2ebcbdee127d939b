package reproduce

import (
	"context"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/reproduce/bills"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/reproduce/directconnect"
	"github.com/lightpath-net/lightpath/reproduce/harvest"
	"github.com/lightpath-net/lightpath/reproduce/iterations"
	"github.com/lightpath-net/lightpath/reproduce/lightbends"
	"github.com/lightpath-net/lightpath/reproduce/neighbours"
	"github.com/lightpath-net/lightpath/reproduce/reconfigure"
	"github.com/lightpath-net/lightpath/reproduce/retri"
)

// Papers lists all papers with their claims, in the order in which they are shown.
func Papers() []claim.Paper {
	return []claim.Paper{harvest.Paper(), lightbends.Paper(), retri.Paper(), directconnect.Paper(), reconfigure.Paper(), iterations.Paper(), bills.Paper(), neighbours.Paper()}
}

// All is the name of all claims.
const All = "all"

// Find returns the claims with a name: All, the name of a paper, an ID, or a prefix of IDs up to
// a slash, such as harvest/table1.
func Find(name string) ([]claim.Entry, error) {
	var found []claim.Entry
	for _, p := range Papers() {
		for _, e := range p.Entries {
			if name == All || e.ID == name || strings.HasPrefix(e.ID, strings.TrimSuffix(name, "/")+"/") {
				found = append(found, e)
			}
		}
	}
	if found == nil {
		return nil, fmt.Errorf("%q is not a claim; want %s, a paper (%s), or the ID of a claim", name, All, strings.Join(names(), ", "))
	}
	return found, nil
}

func names() []string {
	return each.Of(Papers(), func(p claim.Paper) string { return p.Name })
}

// Run computes claims one after the other. It skips claims that take long unless full is set.
// After each claim it reports how many are done.
func Run(ctx context.Context, entries []claim.Entry, full bool, done func(n, total int)) ([]claim.Row, error) {
	chosen := each.Where(entries, func(e claim.Entry) bool { return full || !e.Full })
	rows := make([]claim.Row, 0, len(chosen))
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
