package chart

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// CheckFile reports why a picture cannot be written under a name: its ending must be
// .svg, .png, .pdf or .html, and its folder must exist.
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

// WriteFile writes the scene in the format that the name ends with.
func (s *Scene) WriteFile(name string) error {
	if err := CheckFile(name); err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".svg":
		err = s.SVG(f)
	case ".png":
		err = s.PNG(f)
	case ".pdf":
		err = s.PDF(f)
	default:
		page := Page{Title: s.Title}
		page.Picture(s)
		err = page.Write(f)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
