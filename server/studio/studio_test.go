package studio_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/server/studio"
)

// The page names every module, so that they come all at once, and nothing else; no file
// names anything that is not here, except for the namespace of SVG.
func TestStudioNeedsNothingFromElsewhere(t *testing.T) {
	page, err := fs.ReadFile(studio.Files(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?:href|src)="([^"#]+)"`).FindAllSubmatch(page, -1) {
		named[string(m[1])] = true
		if _, err := fs.Stat(studio.Files(), string(m[1])); err != nil {
			t.Errorf("index.html: %v", err)
		}
	}
	files, err := fs.ReadDir(studio.Files(), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := fs.ReadFile(studio.Files(), f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if path.Ext(f.Name()) == ".js" && !named[f.Name()] && f.Name() != studio.Worker {
			t.Errorf("index.html does not name %s", f.Name())
		}
		for _, url := range regexp.MustCompile(`https?://[^"'`+"`"+`\s]+`).FindAllString(string(data), -1) {
			if url != "http://www.w3.org/2000/svg" {
				t.Errorf("%s: %s", f.Name(), url)
			}
		}
		for _, m := range regexp.MustCompile(`(?:from |import\()"([^"]+)"`).FindAllSubmatch(data, -1) {
			if _, err := fs.Stat(studio.Files(), strings.TrimPrefix(string(m[1]), "./")); err != nil {
				t.Errorf("%s: %v", f.Name(), err)
			}
		}
	}
}

// The studio asks the service for all that it needs to know about a delay, so a new delay model
// needs no change here.
func TestScriptsKnowNoDelayModel(t *testing.T) {
	scripts, err := fs.Glob(studio.Files(), "*.js")
	if err != nil || len(scripts) < 10 {
		t.Fatal(scripts, err)
	}
	for _, name := range scripts {
		text, err := fs.ReadFile(studio.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, model := range []fabric.DelayModel{fabric.PerPort, fabric.PerCircuit, fabric.PerSwitch} {
			if strings.Contains(string(text), model.String()) {
				t.Errorf("%s knows the delay model %s", name, model)
			}
		}
	}
}

// A name in the address is looked up among the views alone: every object also has a
// "constructor". The journeys try such names in a browser.
func TestViewsAreLookedUpByTheirOwnNames(t *testing.T) {
	main, err := fs.ReadFile(studio.Files(), "main.js")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(main), "Object.hasOwn(views, name) ? name") || strings.Contains(string(main), "views[name]") {
		t.Error("main.js looks up what the address says in the object itself")
	}
}

// The worker keeps every file and nothing else, and its version is that of their content, so that a
// browser replaces it when any of them differs.
func TestWorkerKeepsEveryFile(t *testing.T) {
	script, err := studio.WorkerScript()
	if err != nil {
		t.Fatal(err)
	}
	head := regexp.MustCompile(`^const version = "([\w-]{16})";\nconst files = (\[.*\]);\n`).FindSubmatch(script)
	if head == nil {
		t.Fatalf("it begins with %.100s", script)
	}
	var names []string
	if err := json.Unmarshal(head[2], &names); err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(studio.Files(), "*")
	if err != nil {
		t.Fatal(err)
	}
	want := slices.DeleteFunc(append([]string{""}, files...), func(name string) bool { return name == studio.Worker })
	if !slices.Equal(names, want) {
		t.Errorf("it keeps %q, and not %q", names, want)
	}
	again := sha256.New()
	for _, name := range files {
		data, err := fs.ReadFile(studio.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		again.Write(append([]byte(name), sum[:]...))
	}
	if version := base64.RawURLEncoding.EncodeToString(again.Sum(nil)[:12]); version != string(head[1]) {
		t.Errorf("its version is %s, and not that of the content, %s", head[1], version)
	}
}
