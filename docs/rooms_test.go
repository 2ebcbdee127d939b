package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mostFiles is how many files a package may have beside its tests, so that a newcomer can hold it.
const mostFiles = 30

// A package has few enough files to be held in mind, and in the root no file has the name of a
// folder beside it: one would not know where to look.
func TestPackagesAreRoomsThatCanBeHeld(t *testing.T) {
	for name := range imports(t) {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(name), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			count++
			if beside, err := os.Stat(strings.TrimSuffix(file, ".go")); name == "." && err == nil && beside.IsDir() {
				t.Errorf("%s is beside a folder of that name", file)
			}
		}
		if count > mostFiles {
			t.Errorf("%s has %d files; want at most %d: what of it knows nothing of the rest?", name, count, mostFiles)
		}
	}
}
