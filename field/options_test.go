package field_test

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/field"
)

type first struct {
	A int `json:"a"`
	b int
	C int `json:"-"`
}

type second struct {
	D string `json:"d,omitempty" help:"a letter"`
}

type whole struct {
	first
	Lists []any   `json:",inline"`
	One   *second `json:",inline"`
	E     int     `json:"e"`
}

// Fields come in order; the fields of an embedded or inline struct take its place.
func TestAllFieldsOfAStruct(t *testing.T) {
	w := whole{first: first{A: 1, b: 2, C: 3}, Lists: []any{&second{D: "x"}, &first{A: 4}}, E: 5}
	var names []string
	for f := range field.All(&w) {
		names = append(names, f.Name)
		if f.Name == "d" && (f.Help != "a letter" || f.Value.String() != "x") {
			t.Errorf("%+v", f)
		}
	}
	if want := []string{"a", "d", "a", "e"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	for f := range field.All(w) {
		if f.Name != "a" {
			t.Errorf("it went on after the end: %s", f.Name)
		}
		break
	}
}

func TestChangedFields(t *testing.T) {
	from, to := whole{E: 5}, whole{first: first{A: 1, b: 2}, E: 5}
	changed := field.Changed(from, &to)
	if len(changed) != 1 || changed[0].Name != "a" || changed[0].Value.Int() != 1 {
		t.Errorf("%+v", changed)
	}
	if changed := field.Changed(to, to); changed != nil {
		t.Errorf("%+v", changed)
	}
}
