package compile

import (
	"encoding/json"
	"io"
	"io/fs"
	"slices"
)

// ListFile is the name of the list of a folder's files, where there is no manifest.
const ListFile = "files.json"

// ListSchema names the form of such a list.
const ListSchema = "lightpath.files/v1"

// fileList is such a list.
type fileList struct {
	Schema string   `json:"schema"`
	Format Format   `json:"format"`
	Files  []string `json:"files"` // the list included
}

// List adds a list of the files, so that a later compilation into the same folder finds which ones
// are of this one.
func (r *Result) List() {
	l := &fileList{Schema: ListSchema, Format: r.Format}
	for _, f := range r.Files {
		l.Files = append(l.Files, f.Name)
	}
	l.Files = append(l.Files, ListFile)
	r.Files = append(r.Files, File{ListFile, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(l)
	}})
}

// listed are the files that the list in a folder names, none without one.
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
