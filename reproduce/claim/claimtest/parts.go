// Package claimtest holds what the tests of claims share.
package claimtest

import (
	"context"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/reproduce/claim"
)

// Parts returns the numbers behind a claim, which must be finite and have names, and its value by
// one of its readings.
func Parts(t *testing.T, entries []claim.Entry, id string, value func(e claim.Entry) func(context.Context) (float64, error)) (parts []float64, want float64) {
	t.Helper()
	for _, e := range entries {
		if e.ID != id {
			continue
		}
		list, err := e.Parts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			if p.Name == "" || math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
				t.Errorf("%s: part %q is %v", id, p.Name, p.Value)
			}
			parts = append(parts, p.Value)
		}
		if want, err = value(e)(t.Context()); err != nil {
			t.Fatal(err)
		}
		return parts, want
	}
	t.Fatalf("no claim %s", id)
	return nil, 0
}
