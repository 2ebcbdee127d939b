// Package studio holds the pages of the studio, which package server serves at /: plain HTML,
// CSS and JavaScript modules, embedded, without a build step and without external resources. The
// JSON files are the answers with which views open; tests recompute them with -rewrite.
package studio

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"sync"
)

//go:embed *.html *.css *.gz *.js *.json *.svg
var files embed.FS

// Files returns the pages by their names.
func Files() fs.FS { return files }

// Worker is the name of the script that keeps the pages in a browser for use without a network.
// Serve the text of WorkerScript under this name.
const Worker = "worker.js"

// WorkerScript returns the script that keeps the pages in a browser: it contains their names,
// and a version that changes whenever one of them does.
var WorkerScript = sync.OnceValues(func() ([]byte, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	names, sum := []string{""}, sha256.New() // "" is the page as most ask for it
	var script []byte
	for _, e := range entries {
		data, err := files.ReadFile(e.Name())
		if err != nil {
			return nil, err
		}
		each := sha256.Sum256(data)
		sum.Write([]byte(e.Name()))
		sum.Write(each[:])
		if e.Name() == Worker {
			script = data
		} else {
			names = append(names, e.Name())
		}
	}
	list, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	version := base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12])
	return append([]byte("const version = \""+version+"\";\nconst files = "+string(list)+";\n"), script...), nil
})
