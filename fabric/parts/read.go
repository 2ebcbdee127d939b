package parts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/internal/strict"
)

// maxFile limits a file of parts, and maxValue a text in it.
const (
	maxFile  = 1 << 20
	maxValue = 1 << 12
)

// ReadFile reads the user's parts from a YAML file in the form of parts.yaml. Errors name the
// file and the line.
func ReadFile(name string) (*Catalogue, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, maxFile)
	}
	return Read(name, data)
}

// Read reads YAML text; name is for error messages. Properties that parts leave out must be in
// the catalogue of this package, or in parts that they are like.
func Read(name string, data []byte) (*Catalogue, error) { return read(name, data, Standard()) }

// read is Read over any catalogue.
func read(name string, data []byte, base *Catalogue) (*Catalogue, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := decoder.Decode(&doc); err != nil {
		if err == io.EOF {
			return nil, fmt.Errorf("%s: empty; want parts by kind: %s", name, kindNames())
		}
		return nil, fmt.Errorf("%s%s", name, strict.YAMLError(err))
	}
	if err := decoder.Decode(&second); err != io.EOF {
		return nil, fmt.Errorf("%s: more than one YAML document; want one", name)
	}
	f := &file{lines: map[string]int{}}
	err := f.kinds(doc.Content[0])
	if err == nil {
		_, err = f.read.over(base)
	}
	var named *field.Error
	if errors.As(err, &named) {
		return nil, fmt.Errorf("%s:%d: %w", name, f.line(named.Path), err)
	}
	if err != nil {
		return nil, err
	}
	return &f.read, nil
}

func kindNames() string {
	names := each.Of(kinds, func(k kind) string { return k.name })
	return strings.Join(names, ", ")
}

// file is a file being read.
type file struct {
	read  Catalogue
	lines map[string]int // of each element, by path
}

// line returns the line of a path, or of the element that contains it.
func (f *file) line(path string) int {
	for {
		if line, ok := f.lines[path]; ok {
			return line
		}
		cut := strings.LastIndexByte(path, '.')
		if cut < 0 {
			return 1
		}
		path = path[:cut]
	}
}

// members calls a function with the keys and values of a mapping at a path.
func (f *file) members(path string, n *yaml.Node, what string, each func(key string, value *yaml.Node) error) error {
	if f.lines[path] == 0 {
		f.lines[path] = max(1, n.Line)
	}
	if n.Kind != yaml.MappingNode {
		return field.Errorf(path, "want %s", what)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := field.Join(path, label(key.Value))
		f.lines[at] = key.Line
		switch {
		case key.Kind != yaml.ScalarNode || len(key.Value) > maxValue:
			return field.Errorf(path, "want %s", what)
		case seen[key.Value]:
			return field.Errorf(at, "set twice")
		case value.Kind == yaml.AliasNode || value.Anchor != "":
			return field.Errorf(at, "anchors and aliases are not read; write the value")
		}
		seen[key.Value] = true
		var named *field.Error
		if err := each(key.Value, value); errors.As(err, &named) {
			return err // it names a line already
		} else if err != nil {
			return field.In(at, err)
		}
	}
	return nil
}

// kinds reads the whole file.
func (f *file) kinds(n *yaml.Node) error {
	return f.members("", n, "parts by kind: "+kindNames(), func(key string, value *yaml.Node) error {
		i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == key })
		if i < 0 {
			return fmt.Errorf("unknown kind of parts; use %s", kindNames())
		}
		all := map[string]Part{}
		*kinds[i].in(&f.read) = all
		return f.members(key, value, "parts by name, each with its figures", func(name string, value *yaml.Node) error {
			p, err := f.part(field.Join(key, label(name)), &kinds[i], value)
			all[name] = p
			return err
		})
	})
}

// part reads one part at a path.
func (f *file) part(path string, k *kind, n *yaml.Node) (Part, error) {
	var p Part
	err := f.members(path, n, "figures such as price: 520 USD", func(key string, value *yaml.Node) error {
		if value.Kind != yaml.ScalarNode || len(value.Value) > maxValue {
			return fmt.Errorf("want a single value")
		}
		text := value.Value
		switch key {
		case "about":
			p.About = text
			return nil
		case "like":
			p.Like = text
			return wanted(text)
		case "source":
			p.Source = text
			return wanted(text)
		case "date":
			p.Date = text
			if err := wanted(text); err != nil {
				return err
			}
			return checkDate(text)
		}
		i := slices.IndexFunc(figures, func(g figure) bool { return g.name == key })
		if i < 0 || !k.says(key) {
			return fmt.Errorf("not one of what %s have: %s, about, like, source, date", k.name, k.all())
		}
		return figures[i].set(&p, text)
	})
	return p, err
}

func wanted(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("empty")
	}
	return nil
}

func setPorts(p *Part, text string) (err error) {
	p.Ports, err = strconv.Atoi(text)
	if err != nil || p.Ports < 2 || p.Ports > mostPorts {
		return fmt.Errorf("%s: want a number of ports in 2..%d", quoted(text), mostPorts)
	}
	return nil
}

// checkDate refuses anything but a year, month or day.
func checkDate(text string) error {
	if text == "" {
		return nil
	}
	for _, form := range []string{"2006", "2006-01", time.DateOnly} {
		if _, err := time.Parse(form, text); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s: want 2025, 2025-09 or 2025-09-08", quoted(text))
}

// label returns a key for a message.
func label(key string) string {
	if q := quoted(key); key == "" || q != `"`+key+`"` {
		return q
	}
	return key
}
