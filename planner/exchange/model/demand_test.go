package model

import (
	"errors"
	"strings"
	"testing"
)

func TestDemandRefusesNonsense(t *testing.T) {
	huge := 1 << 31
	for want, make := range map[string]func() (Demand, error){
		"1 nodes, want 2":                         func() (Demand, error) { return Uniform(1, 1) },
		"32769 nodes, want 2":                     func() (Demand, error) { return Uniform(MaxNodes+1, 1) },
		"0 chunks per pair":                       func() (Demand, error) { return Uniform(4, 0) },
		"want 1 to 178956970":                     func() (Demand, error) { return Uniform(4, 178956971) },
		"0 nodes":                                 func() (Demand, error) { return Counts(nil) },
		"row 1 has 1 entries, want 2":             func() (Demand, error) { return Counts([][]int{{0, 1}, {1}}) },
		"-1 chunks from 0 to 1":                   func() (Demand, error) { return Counts([][]int{{0, -1}, {1, 0}}) },
		"no chunk at all":                         func() (Demand, error) { return Counts([][]int{{5, 0}, {0, 0}}) },
		"chunks from 0 to 1, want 0 or more and ": func() (Demand, error) { return Counts([][]int{{0, huge}, {0, 0}}) },
		"chunks from 1 to 0, want 0 or more and ": func() (Demand, error) { return Counts([][]int{{0, huge - 1}, {1, 0}}) },
	} {
		if _, err := make(); !errors.Is(err, ErrDemand) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestEqualCountsAreUniform(t *testing.T) {
	d, err := Counts([][]int{{7, 3, 3}, {3, 0, 3}, {3, 3, -2}})
	if err != nil {
		t.Fatal(err)
	}
	if each, equal := d.Each(); !equal || each != 3 || d.Total() != 18 || d.Count(1, 1) != 0 || d.Count(2, 0) != 3 {
		t.Errorf("%d, %v, total %d", each, equal, d.Total())
	}
	d, err = Counts([][]int{{0, 1}, {2, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if _, equal := d.Each(); equal || d.Total() != 3 || d.Count(1, 0) != 2 || d.Count(0, 1) != 1 {
		t.Errorf("equal %v, total %d", equal, d.Total())
	}
}

// TestCountsAreCopied: the caller may go on using the matrix.
func TestCountsAreCopied(t *testing.T) {
	m := [][]int{{0, 1}, {2, 0}}
	d, err := Counts(m)
	if err != nil {
		t.Fatal(err)
	}
	m[0][1] = 99
	if d.Count(0, 1) != 1 {
		t.Error("the demand changed with the matrix")
	}
}
