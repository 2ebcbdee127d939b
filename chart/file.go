package chart

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lightpath-net/lightpath/internal/files"
)

// CheckFile reports why a picture cannot be written to a file: its name must end in .svg, .png,
// .pdf or .html, and its folder must exist.
func CheckFile(name string) error {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".svg", ".png", ".pdf", ".html":
	default:
		return fmt.Errorf("%q does not end in .svg, .png, .pdf or .html", name)
	}
	if info, err := os.Stat(filepath.Dir(name)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: there is no directory %s", name, filepath.Dir(name))
	}
	return nil
}

// WriteFile writes the scene in the format given by the end of the name.
func (s *Scene) WriteFile(name string) error {
	if err := CheckFile(name); err != nil {
		return err
	}
	return files.Write(name, func(w io.Writer) error {
		switch strings.ToLower(filepath.Ext(name)) {
		case ".svg":
			return s.SVG(w)
		case ".png":
			return s.PNG(w)
		case ".pdf":
			return s.PDF(w)
		}
		page := Page{Title: s.Title}
		page.Picture(s)
		return page.Write(w)
	})
}
