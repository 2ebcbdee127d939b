package strict_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/internal/strict"
)

// TestDecodeSpeaksOfJSON: of what is there, not of types of Go, and of whatever follows.
func TestDecodeSpeaksOfJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":{"b":1},"c":2}` + "\n": "", `{"a":{"b":"x"}}`: "a.b is of the wrong kind (string)", `[]`: "another kind (array)", ``: "empty",
		`{"a":{"b":1}}{}`: "more after", `{"a":{"b":1}} x`: "more after", `{"a":`: "truncated",
	} {
		var into struct {
			A struct {
				B int `json:"b"`
			} `json:"a"`
		}
		err := strict.Decode(strings.NewReader(text), &into)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Go ")) {
			t.Errorf("%q: %v; want ..%s..", text, err, want)
		}
	}
}
