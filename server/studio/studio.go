// Package studio holds the pages of the studio, which package server serves at /: plain
// HTML, CSS and JavaScript modules, embedded, without a build step and without anything
// from elsewhere. Files in JSON are the answers that views open on; tests compute them anew
// with -rewrite.
package studio

import (
	"embed"
	"io/fs"
)

//go:embed *.html *.css *.gz *.js *.json *.svg
var files embed.FS

// Files returns the pages by their names.
func Files() fs.FS { return files }
