package fabric_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
)

// FuzzYAML: Load does not panic on any text, errors are one line that names the file, and a
// fabric is changed only without an error. What was loaded can be written as settings and read
// again.
func FuzzYAML(f *testing.F) {
	for _, bad := range badFiles {
		if len(bad.text) < 2000 {
			f.Add([]byte(bad.text))
		}
	}
	f.Add([]byte("preset: light-bends\nnodes: 16\nreconfig: per-circuit:1us+5ns\n"))
	f.Add([]byte("{nodes: 4, ports: 2, duplex: true, initial: base, base: C(4;1)}"))
	f.Add([]byte("a: &a [*a, *a]\nb: !!binary x\n%YAML 1.2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		loaded := fabric.Default()
		err := loaded.Load("my.yaml", data)
		if err != nil {
			if m := err.Error(); strings.ContainsAny(m, "\n\r") || !strings.HasPrefix(m, "my.yaml:") {
				t.Errorf("%q", m)
			}
			if !loaded.Equal(fabric.Default()) {
				t.Errorf("changed to %+v in spite of %v", loaded, err)
			}
			return
		}
		again := fabric.Default()
		for _, s := range fabric.Settings() {
			if value := s.Get(&loaded); value != "" {
				if err := again.Set(s.Name, value); err != nil {
					t.Errorf("%s: %v", s.Name, err)
				}
			}
		}
		if !again.Equal(loaded) {
			t.Errorf("%+v, written and read %+v", loaded, again)
		}
	})
}

// FuzzReconfig: an accepted value is not negative and survives writing and reading.
func FuzzReconfig(f *testing.F) {
	for _, s := range []string{
		"10us", "0ns", "per-port:1us+20ns", "per-circuit:41.06ms+355.5us", "per-port:", "per-port:1us+", ":", "+", "a:b+c",
		"per-port:1us+2us+3us", "constant:1us+1us", "-1us", "10us\n", "\xff",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := fabric.ParseReconfig(s)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("%q: %q", s, err)
			}
			return
		}
		if r.Base < 0 || r.Each < 0 || r.Least() < 0 {
			t.Errorf("%q: %+v", s, r)
		}
		if again, err := fabric.ParseReconfig(r.String()); err != nil || again != r {
			t.Errorf("%q: written as %s, read as %+v, %v", s, r, again, err)
		}
	})
}
