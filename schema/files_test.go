package schema_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/schema"
)

var rewrite = flag.Bool("rewrite", false, "write the schemas of docs/schema anew")

// The schemas that are committed are those of the code. After a change of a request or an
// answer: go test ./schema -rewrite
func TestCommittedSchemasAreCurrent(t *testing.T) {
	dir := filepath.Join("..", "docs", "schema")
	all := schema.All()
	for _, name := range names() {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(all[name]); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name+".schema.json")
		if *rewrite {
			if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if old, err := os.ReadFile(file); err != nil || !bytes.Equal(old, text.Bytes()) {
			t.Errorf("%s is not what the code says (%v); go test ./schema -rewrite", file, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.schema.json"))
	if err != nil || len(files) != len(all) {
		t.Errorf("%d files for %d schemas, %v", len(files), len(all), err)
	}
}

// names lists the documents, in order.
func names() []string { return slices.Sorted(maps.Keys(schema.All())) }
