package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// link is a link of a document, or a picture.
type link struct {
	line    int
	target  string
	anchor  string
	picture bool
}

var linkForm = regexp.MustCompile(`(!?)\[[^\]]*\]\(([^)\s#]*)(#[^)\s]*)?\)`)

// linksOf lists the links outside of blocks, except for those into the web.
func linksOf(d *document) []link {
	var all []link
	inside := map[int]bool{}
	for _, b := range d.blocks {
		for i := range b.lines {
			inside[b.line+i] = true
		}
	}
	for i, line := range d.lines {
		if inside[i+1] {
			continue
		}
		for _, m := range linkForm.FindAllStringSubmatch(line, -1) {
			if !strings.Contains(m[2], "://") && !strings.HasPrefix(m[2], "mailto:") {
				all = append(all, link{i + 1, m[2], strings.TrimPrefix(m[3], "#"), m[1] == "!"})
			}
		}
	}
	return all
}

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchors are the names of a document's headings in links.
func anchors(d *document) map[string]bool {
	names := map[string]bool{}
	for _, line := range d.lines {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			names[strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")] = true
		}
	}
	return names
}

// Every link leads to a file of the repository, and to a heading that it has.
func TestLinksLeadSomewhere(t *testing.T) {
	all := documents(t)
	byName := map[string]*document{}
	for _, d := range all {
		byName[d.name] = d
	}
	count := 0
	for _, d := range all {
		for _, l := range linksOf(d) {
			count++
			name := filepath.ToSlash(filepath.Join(filepath.Dir(d.name), l.target))
			if l.target == "" {
				name = d.name
			}
			if _, err := os.Stat(filepath.Join(root, name)); err != nil {
				t.Errorf("%s:%d: %v", d.name, l.line, err)
			} else if to := byName[name]; l.anchor != "" && (to == nil || !anchors(to)[l.anchor]) {
				t.Errorf("%s:%d: %s has no heading #%s", d.name, l.line, name, l.anchor)
			}
		}
	}
	if count < 10 {
		t.Errorf("only %d links were found", count)
	}
}

// Every document of the folder can be reached from the README.
func TestEveryDocumentIsLinked(t *testing.T) {
	all := documents(t)
	reached := map[string]bool{}
	var follow func(name string)
	follow = func(name string) {
		if reached[name] {
			return
		}
		reached[name] = true
		for _, d := range all {
			if d.name == name {
				for _, l := range linksOf(d) {
					follow(filepath.ToSlash(filepath.Join(filepath.Dir(name), l.target)))
				}
			}
		}
	}
	follow("README.md")
	for _, d := range all {
		if !reached[d.name] {
			t.Errorf("%s: no way leads there from README.md", d.name)
		}
	}
}
