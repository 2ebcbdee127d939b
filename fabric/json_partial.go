package fabric

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/strict"
)

// UnmarshalJSON reads a fabric as people write it. It is like MarshalJSON's output, but
// anything may be left out and then has its default, or that of a "preset". A property may also
// use the name and text of its flag: "alpha": "500ns", "reconfig": "per-port:1us+10ns",
// "theta": "1". The result is validated; errors are field.Errors.
func (f *Fabric) UnmarshalJSON(data []byte) error {
	p := partial{words: map[string]string{}, members: map[string]bool{}}
	if err := p.read(data); err != nil {
		return err
	}
	made := Default()
	if p.preset != "" {
		if err := made.ApplyPreset(p.preset); err != nil {
			return field.In("preset", err)
		}
	}
	doc := made.document()
	if p.members["reconfig"] { // the given one replaces it completely
		doc.Reconfig = reconfigJSON{Model: Constant.String()}
	}
	if err := strict.Unmarshal(p.document(), &doc); err != nil {
		return err
	}
	made, err := doc.fabric(f.known)
	if err != nil {
		return err
	}
	for _, s := range settings {
		word, given := p.words[s.Name]
		if !given {
			continue
		}
		if err := s.Set(&made, word); err != nil {
			return field.In(s.Name, err)
		}
	}
	if err := made.Validate(); err != nil {
		return err
	}
	*f = made
	return nil
}

// partial is an object that gives some properties of a fabric.
type partial struct {
	preset  string
	words   map[string]string // by setting
	members map[string]bool   // of the document, if given
	text    bytes.Buffer      // the members as JSON
}

func (p *partial) read(data []byte) error {
	d := strict.NewReader(bytes.NewReader(data))
	err := d.Object(func(name string) error {
		raw, err := d.Raw()
		if err != nil {
			return err
		}
		return p.member(name, raw)
	})
	if err != nil {
		return err
	}
	return d.End()
}

// member takes one member of the object: text for a setting, or a value for the document.
func (p *partial) member(name string, raw []byte) error {
	var word string
	isWord := json.Unmarshal(raw, &word) == nil && raw[0] == '"'
	if name == "island" && json.Unmarshal(raw, new(int)) == nil {
		word, isWord = string(raw), true // only its size
	}
	if name == "preset" {
		if p.preset = word; word == "" {
			return field.Errorf(name, "want the name of a preset")
		}
		return nil
	}
	setting := settingOf(name)
	if _, twice := p.words[setting]; twice || p.members[setting] {
		return field.Errorf(name, "given twice, as %s and with its unit", setting)
	}
	if flag := strings.ReplaceAll(name, "_", "-"); isWord && isSetting(flag) {
		p.words[flag] = word
		return nil
	}
	p.members[setting] = true
	if p.text.Len() > 0 {
		p.text.WriteByte(',')
	}
	key, err := json.Marshal(name)
	p.text.Write(key)
	p.text.WriteByte(':')
	p.text.Write(raw)
	return err
}

func (p *partial) document() []byte { return []byte("{" + p.text.String() + "}") }

// settingOf returns the setting to which a member of the document belongs.
func settingOf(member string) string {
	for _, unit := range strict.Units() {
		if name, ok := strings.CutSuffix(member, unit); ok {
			return name
		}
	}
	return strings.TrimPrefix(member, "cap_")
}

// isSetting reports whether a member may be the text of a flag. Numbers without a unit, and
// booleans, have JSON types.
func isSetting(name string) bool {
	switch name {
	case "nodes", "ports", "duplex", "radix":
		return false
	}
	return slices.ContainsFunc(settings, func(s Setting) bool { return s.Name == name })
}
