package layout

import (
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
)

// plugger is a layout of some kind: its text, and the switch of every port.
type plugger interface {
	// String returns the one text that its kind parses to it.
	String() string
	// plug sets the switch of every port (Plugging.at), or says why GPUs and ports do not match.
	plug(p *Plugging) error
}

// kind is a kind of layout.
type kind struct {
	syntax string
	// reads reports whether a text is of this kind: from all of it, or from what is before a
	// colon.
	reads func(text, head string) bool
	parse func(text string) (plugger, error)
}

// kinds are all kinds except the ideal switch.
var kinds = []kind{railsKind, placesKind, cutKind, gridKind, cubesKind, tableKind}

// Syntax describes what Parse accepts.
func Syntax() string {
	all := each.Of(kinds, func(k kind) string { return k.syntax })
	return "use " + Ideal + ", " + strings.Join(all, ", ") + ", or @FILE.csv (gpu,port,switch)"
}

func parse(text string) (plugger, error) {
	head, _, _ := strings.Cut(text, ":")
	for _, k := range kinds {
		if k.reads(text, head) {
			return k.parse(text)
		}
	}
	return nil, fmt.Errorf("unknown layout")
}

// named recognises a kind by the word before the colon.
func named(name string) func(text, head string) bool {
	return func(_, head string) bool { return head == name }
}

// after returns the text after the colon.
func after(text string) string {
	_, rest, _ := strings.Cut(text, ":")
	return rest
}

// rails has port p of every GPU on switch p.
type rails struct{}

var railsKind = kind{
	syntax: "rails",
	reads:  func(text, _ string) bool { return text == "rails" },
	parse:  func(string) (plugger, error) { return rails{}, nil },
}

func (rails) String() string { return "rails" }

func (rails) plug(p *Plugging) error {
	for i := range p.at {
		p.at[i] = int32(i % p.ports)
	}
	return nil
}
