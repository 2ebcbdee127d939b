package reproduce

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// nothing is a Best for figures that do not ask for it.
func nothing(context.Context, fabric.Fabric, collective.Op, units.Bytes) (func(units.Duration) units.Time, error) {
	return nil, errors.New("not asked for")
}

// Figures have unique IDs that begin with their paper, and every paper has some figures that go
// beyond it.
func TestPanelsAreWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Papers() {
		better := false
		for _, f := range p.Panels {
			if seen[f.ID] || !strings.HasPrefix(f.ID, p.Name+"/") || f.Source == "" || f.Draw == nil {
				t.Errorf("%+v is no figure", f)
			}
			if f.Better != strings.HasPrefix(f.ID, p.Name+"/better/") {
				t.Errorf("%s: better is %v", f.ID, f.Better)
			}
			seen[f.ID] = true
			better = better || f.Better
		}
		if !better {
			t.Errorf("%s: no figure goes beyond it", p.Name)
		}
	}
}

// Pictures are drawn as XML, with IDs that begin with their figure's ID.
func TestPicturesAreDrawn(t *testing.T) {
	for _, name := range []string{"harvest/fig3", "retri/fig4", "reconfigure-or-not/fig13b"} {
		panels := FindPanels(name)
		if len(panels) != 1 {
			t.Fatalf("%s: %d figures", name, len(panels))
		}
		seen := map[string]bool{}
		drawn, err := Draw(t.Context(), panels, false, nothing, func(int, int) {})
		if err != nil || len(drawn) == 0 {
			t.Fatalf("%s: %d pictures, %v", name, len(drawn), err)
		}
		for _, p := range drawn {
			if seen[p.ID] || !strings.HasPrefix(p.ID, name) || p.Title == "" || p.Scene == nil {
				t.Errorf("%s, %q: no picture of %s", p.ID, p.Title, name)
			}
			seen[p.ID] = true
			for d := xml.NewDecoder(strings.NewReader(p.SVG)); ; {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%s: %v", p.ID, err)
				}
			}
		}
	}
}
