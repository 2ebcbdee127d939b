package compile

import (
	"encoding/json"
	"io"
	"io/fs"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
)

// ListFile is the name of the list of a folder's files, for folders without a manifest.
const ListFile = "files.json"

// ListSchema names the JSON form of the list and its version.
const ListSchema = "lightpath.files/v1"

// fileList is the list of a folder's files.
type fileList struct {
	Schema string   `json:"schema"`
	Format Format   `json:"format"`
	Files  []string `json:"files"` // including the list
}

// List adds a list of the files, so that a later compilation into the same folder knows which
// files are old.
func (r *Result) List() {
	l := &fileList{Schema: ListSchema, Format: r.Format}
	l.Files = append(l.Files, each.Of(r.Files, func(f File) string { return f.Name })...)
	l.Files = append(l.Files, ListFile)
	r.Files = append(r.Files, File{ListFile, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(l)
	}})
}

// listed returns the files that the list in a folder names; without a list there are none.
func listed(folder fs.FS) []string {
	file, err := folder.Open(ListFile)
	if err != nil {
		return nil
	}
	defer file.Close()
	var l fileList
	if json.NewDecoder(io.LimitReader(file, maxManifest)).Decode(&l) != nil || l.Schema != ListSchema {
		return nil
	}
	return slices.DeleteFunc(l.Files, func(name string) bool { return !fs.ValidPath(name) })
}
