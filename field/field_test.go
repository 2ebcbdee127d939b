package field_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/lightpath-net/lightpath/field"
)

func Example() {
	size := field.Errorf("size_bytes", "must be above 0")
	fmt.Println(field.In("operations", field.In("[1]", size)))
	// Output: operations[1].size_bytes: must be above 0
}

func TestPathsGrowAtTheFrontAndErrorsStayFindable(t *testing.T) {
	inner := field.In("nodes", io.EOF)
	outer := field.In("fabric", inner)
	var e *field.Error
	if !errors.As(outer, &e) || e.Path != "fabric.nodes" || !errors.Is(outer, io.EOF) {
		t.Errorf("%v", outer)
	}
	if field.In("x", nil) != nil {
		t.Error("an error where there is none")
	}
	if got := field.Index("rows", 3); got != "rows[3]" {
		t.Error(got)
	}
}

func ExampleSpell() {
	flag := func(name string) string { return "--" + name }
	fmt.Println(field.Spell("too many packets; `simulate` follows them", flag))
	// Output: too many packets; --simulate follows them
}
