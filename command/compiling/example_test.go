package compiling_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/command/compiling"
)

// A request has the fields of its target.
func ExampleCompileRequest_UnmarshalJSON() {
	for _, text := range []string{
		`{"plan":{"id":"a"},"to":"msccl","protocol":"LL"}`,
		`{"plan":{"id":"a"},"to":"dot","protocol":"LL"}`,
	} {
		var r compiling.CompileRequest
		fmt.Println(r.UnmarshalJSON([]byte(text)))
	}
	// Output:
	// <nil>
	// protocol: dot has no such option; use it with msccl, rccl
}
