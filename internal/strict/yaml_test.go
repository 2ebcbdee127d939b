package strict_test

import (
	"errors"
	"testing"

	"github.com/lightpath-net/lightpath/internal/strict"
)

func TestErrorsOfYAMLHaveTheirLine(t *testing.T) {
	for in, want := range map[string]string{
		"yaml: line 3: did not\n  find": ":3: did not find", "yaml: unknown": ": unknown", "yaml: line x": ": line x",
	} {
		if got := strict.YAMLError(errors.New(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
