package server

import (
	"bytes"
	"cmp"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lightpath-net/lightpath/server/studio"
)

// studioHandler serves the studio. Every file is in memory, compressed once; for a missing file
// it serves a page that says so. A browser that has a file asks whether it is still current.
func studioHandler() http.Handler {
	files := studio.Files()
	var zipped sync.Map // by name
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "the studio is only to be read", http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		name = cmp.Or(name, "index.html")
		data, err := fs.ReadFile(files, name)
		if name == studio.Worker {
			data, err = studio.WorkerScript()
		}
		if err != nil {
			http.Error(w, "there is no such page", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
		if unchanged(w, r, askAgain, string(data)) {
			return
		}
		if r.Header.Get("Range") == "" && acceptsGzip(r.Header.Get("Accept-Encoding")) && isCompressible(w, len(data)) {
			small, ok := zipped.Load(name)
			if !ok {
				small, _ = zipped.LoadOrStore(name, compress(data))
			}
			data, _ = small.([]byte)
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Length", strconv.Itoa(len(data)))
			if r.Method == http.MethodGet {
				_, _ = w.Write(data) // the client may have gone
			}
			return
		}
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
	})
}
