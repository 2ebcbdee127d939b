package strict_test

import (
	"fmt"

	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/units"
)

// A quantity may have its unit in its name or in its text; an unknown name is an error.
func ExampleUnmarshal() {
	for _, text := range []string{`{"size_bytes": 4096}`, `{"size": "4KiB"}`, `{"Size": "4KiB"}`, `{"size": "4KiB", "size_bytes": 1}`} {
		var request struct {
			Size units.Bytes `json:"size_bytes"`
		}
		err := strict.Unmarshal([]byte(text), &request)
		fmt.Println(request.Size, err)
	}
	// Output:
	// 4KiB <nil>
	// 4KiB <nil>
	// 0B Size: unknown; want size_bytes
	// 4KiB size_bytes: given twice, as size_bytes too
}
