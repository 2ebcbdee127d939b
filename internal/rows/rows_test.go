package rows

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestErrorsNameTheLine(t *testing.T) {
	odd := errors.New("odd")
	for text, want := range map[string]string{
		"":                           "line 1: empty; want a,b",
		"\ufeff":                     "line 1: empty; want a,b",
		"a,\"b\nc":                   "line 2: extraneous or missing \" in quoted-field",
		"a,b\n1,2\n\n3\n":            "<nil>",
		"\ufeffa,b\n1\n\n\nodd,1\n4": "line 5: odd",
		"a,b\n\"1\n\",2\n3,\"":       "line 4: extraneous or missing \" in quoted-field",
	} {
		r := New(strings.NewReader(text))
		heading, err := r.Heading("a,b")
		if err == nil && heading[0] != "a" {
			t.Errorf("%q: heading %q", text, heading)
		}
		if err == nil {
			err = r.Each(func(row []string) error {
				if row[0] == "odd" {
					return odd
				}
				return nil
			})
		}
		if got := fmt.Sprint(err); got != want {
			t.Errorf("%q: %s; want %s", text, got, want)
		}
	}
}
