package collective_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/units"
)

// Errors name what is wrong, and what the algorithm at hand has.
func TestErrorsOfOperationsNameTheCause(t *testing.T) {
	for spec, want := range map[string]string{
		"chain:pieces=4":            "chain has the option parts=16 and the like",
		"ring:pieces=4":             "ring has no options",
		"ring:parts=4":              "algorithm ring has no option parts=P; it has no options",
		"telepathy:pieces=4":        "options look like 8x8, r=4, parts=16 or peers=1",
		"double-binary-tree:parts=": "double-binary-tree has the option parts=16 and the like",
	} {
		if _, err := algorithms.New(collective.Broadcast, spec, 8, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
	o := collective.Operation{Op: collective.Broadcast, Size: 3, Algorithm: "chain:parts=16"}
	if err := o.Complete(8); err == nil || err.Error() != "algorithm: parts=16: pieces of 3B would be below 1B; want at most parts=3" {
		t.Error(err)
	}
	o.Algorithm = "chain:parts=3"
	if err := o.Complete(8); err != nil {
		t.Error(err)
	}
	o = collective.Operation{Op: collective.AllToAll, Size: units.Byte, Generator: "moe:2"}
	if _, err := o.Bytes(64); err == nil || !strings.HasPrefix(err.Error(), "size_bytes: 1B is too little for moe:2 among 64 GPUs") {
		t.Error(err)
	}
}
