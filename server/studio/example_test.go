package studio_test

import (
	"fmt"
	"io/fs"

	"github.com/lightpath-net/lightpath/server/studio"
)

// The page that the service shows at its root.
func ExampleFiles() {
	page, err := fs.ReadFile(studio.Files(), "index.html")
	fmt.Printf("%.15s %v\n", page, err)
	// Output: <!doctype html> <nil>
}
