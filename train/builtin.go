package train

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
)

// internal/arch writes the traces from the published architectures; its test compares them, and
// rewrites them with -rewrite.
//
//go:embed traces/*.csv
var traceFiles embed.FS

// Names lists the built-in traces.
func Names() []string {
	entries, err := traceFiles.ReadDir("traces")
	if err != nil {
		panic("train: " + err.Error()) // the directory is embedded
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".csv")
	}
	return names
}

// Builtin returns the trace of that name.
func Builtin(name string) (*Trace, error) { return builtin(name, "layers of your own") }

// builtin returns a built-in trace; others names the alternatives for its error.
func builtin(name, others string) (*Trace, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("unknown trace %q; use %s, or %s", name, strings.Join(Names(), ", "), others)
	}
	f, err := traceFiles.Open(path.Join("traces", name+".csv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := ReadTrace(f)
	if err != nil {
		return nil, fmt.Errorf("trace %s: %w", name, err)
	}
	t.Name = name
	return t, nil
}

// Load returns a built-in trace, or reads it from a file: names with a dot or a slash are
// files.
func Load(name string) (*Trace, error) {
	if strings.ContainsAny(name, `./\`) {
		return ReadTraceFile(name)
	}
	return builtin(name, "a FILE.csv")
}
