package fabric_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

func TestFileSetsWhatItNames(t *testing.T) {
	f := fabric.Default()
	err := f.Load("my.yaml", []byte(`
# a comment
nodes: 16
ports: 2
bandwidth: "400Gbps"
reconfig: per-port:1us+20ns
duplex: true
base: C(16;3)
`))
	if err != nil {
		t.Fatal(err)
	}
	want := fabric.Default()
	want.Nodes, want.Ports, want.Bandwidth, want.Duplex, want.Base = 16, 2, 400*units.Gbps, true, "C(16;3)"
	want.Reconfig = fabric.Reconfig{Model: fabric.PerPort, Base: units.Microsecond, Each: 20 * units.Nanosecond}
	if !f.Equal(want) {
		t.Errorf("%+v, want %+v", f, want)
	}
}

// A preset comes before the other settings, wherever it stands.
func TestFilePresetComesFirst(t *testing.T) {
	for _, text := range []string{"preset: retri\nnodes: 27\n", "nodes: 27\npreset: retri\n", "{nodes: 27, preset: retri}"} {
		f := fabric.Default()
		if err := f.Load("my.yaml", []byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if f.Nodes != 27 || f.Ports != 2 || !f.Duplex || f.Alpha != 1700*units.Nanosecond {
			t.Errorf("%q: %+v", text, f)
		}
	}
}

// badFiles are invalid YAML texts with the beginning of the expected message.
var badFiles = []struct{ name, text, want string }{
	{"empty", "", "my.yaml: empty"},
	{"only a comment", "# nothing\n", "my.yaml: empty"},
	{"null", "null\n", "my.yaml:1: want a mapping"},
	{"a list", "\n- nodes\n- 64\n", "my.yaml:2: want a mapping"},
	{"a word", "nodes\n", "my.yaml:1: want a mapping"},
	{"unknown key", "nodes: 64\n\ncolour: red\n", "my.yaml:3: colour: unknown setting; use preset, nodes, "},
	{"duplicate key", "nodes: 64\nports: 1\nnodes: 64\n", "my.yaml:3: nodes: set twice"},
	{"duplicate preset", "preset: retri\npreset: retri\n", "my.yaml:2: preset: set twice"},
	{"bad value", "ports: 1\nnodes: many\n", "my.yaml:2: nodes: \"many\" is not a whole number"},
	{"bad value after a good preset", "preset: retri\nalpha: 1\n", "my.yaml:2: alpha: \"1\" has no unit"},
	{"no value", "nodes:\n", "my.yaml:1: nodes: "},
	{"unknown preset", "preset: abacus\n", "my.yaml:1: preset: unknown preset \"abacus\"; use sirius, "},
	{"list instead of a value", "ports: 1\nnodes: [64]\n", "my.yaml:2: nodes: want a single value"},
	{"mapping instead of a value", "reconfig:\n  model: constant\n", "my.yaml:1: reconfig: want a single value"},
	{"alias", "ports: &p 2\nnodes: *p\n", "my.yaml:2: nodes: want a single value"},
	{"merge", "<<: {nodes: 64}\n", "my.yaml:1: <<: want a single value"},
	{"two documents", "nodes: 64\n---\nports: 2\n", "my.yaml:2: a second YAML document"},
	{"broken second document", "nodes: 64\n---\n[\n", "my.yaml:"},
	{"truncated list", "ports: 1\nnodes: [\n", "my.yaml:"},
	{"truncated text", "nodes: \"64\n", "my.yaml:"},
	{"bad indentation", "nodes: 64\n  ports: 2\n", "my.yaml:2: "},
	{"tab", "nodes: 64\n\tports: 2\n", "my.yaml:2: "},
	{"key of several lines", "\"a\\nb\": 1\n", "my.yaml:1: \"a\\nb\": unknown setting"},
	{"key that is a list", "? [a]\n: 1\n", "my.yaml:1: \"\": unknown setting"},
	{"value of several lines", "nodes: \"6\\n4\"\n", "my.yaml:1: nodes: \"6\\n4\" is not"},
	{"long key", strings.Repeat("x", 900) + ": 1\n", "my.yaml:1: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...: unknown setting"},
	{"long value", "nodes: " + strings.Repeat("9", 1<<16) + "\n", "my.yaml:1: nodes: longer than 4096 bytes"},
	{"binary", "nodes: \x00\x01\n", "my.yaml:"},
}

// Errors name the file and, if the YAML library reports it, the line. They are one line long and
// leave the fabric unchanged.
func TestBadFilesAreNamedAndChangeNothing(t *testing.T) {
	for _, bad := range badFiles {
		t.Run(bad.name, func(t *testing.T) {
			f := fabric.Default()
			err := f.Load("my.yaml", []byte(bad.text))
			if err == nil {
				t.Fatalf("accepted as %+v", f)
			}
			if !strings.HasPrefix(err.Error(), bad.want) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 500 {
				t.Errorf("%q, want %q..", err, bad.want)
			}
			if !f.Equal(fabric.Default()) {
				t.Errorf("the fabric is now %+v", f)
			}
		})
	}
}

func TestLoadFile(t *testing.T) {
	dir := t.TempDir()
	good, huge := filepath.Join(dir, "good.yaml"), filepath.Join(dir, "huge.yaml")
	if err := os.WriteFile(good, []byte("nodes: 16\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(huge, []byte("nodes: 16\n"+strings.Repeat("# filler\n", 1<<17)), 0o600); err != nil {
		t.Fatal(err)
	}
	f := fabric.Default()
	if err := f.LoadFile(good); err != nil || f.Nodes != 16 {
		t.Errorf("%d nodes, %v", f.Nodes, err)
	}
	before := f
	for _, bad := range []string{huge, filepath.Join(dir, "missing.yaml"), dir} {
		err := f.LoadFile(bad)
		if err == nil || !strings.Contains(err.Error(), bad) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", bad, err)
		}
		if !f.Equal(before) {
			t.Errorf("%s: the fabric is now %+v", bad, f)
		}
	}
}
