package msccl

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// Limits of the loaders' scanner.
const (
	maxName       = 254 // bytes of a name or value
	maxAttributes = 16
)

// attribute is a name and a value within the text of a tag.
type attribute struct {
	name, value []byte
}

// tag is the opening or closing tag of an element. It is valid until the next one is read.
type tag struct {
	name   []byte
	attrs  []attribute
	close  bool // </name>
	single bool // <name .../>
}

// scanner reads tags, one byte at a time from a buffer of fixed size.
type scanner struct {
	r    *bufio.Reader
	line int
	text []byte // of the current tag
	tag  tag
	ends []int // of the names and values in text
}

func newScanner(r io.Reader) *scanner { return &scanner{r: bufio.NewReaderSize(r, 1<<16), line: 1} }

// errorf makes an error that names the line.
func (s *scanner) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: "+format, append([]any{s.line}, args...)...)
}

func (s *scanner) byte() (byte, error) {
	b, err := s.r.ReadByte()
	if b == '\n' && err == nil {
		s.line++
	}
	return b, err
}

// inside is byte at a place where the file must not end.
func (s *scanner) inside(what string) (byte, error) {
	b, err := s.byte()
	if err == io.EOF {
		return 0, s.errorf("the file ends in the middle of %s", what)
	}
	return b, err
}

// next returns the next tag, or io.EOF.
func (s *scanner) next() (*tag, error) {
	for {
		b, err := s.byte()
		switch {
		case err != nil:
			return nil, err
		case b == ' ' || b == '\n' || b == '\r':
			continue
		case b == '\t':
			return nil, s.errorf("a tab between elements; the loaders take blanks and line breaks only")
		case b != '<':
			return nil, s.errorf("text %q between elements; the loaders take none", b)
		}
		comment, err := s.open()
		if err != nil {
			return nil, err
		}
		if !comment {
			return &s.tag, nil
		}
	}
}

// open reads a tag after its "<". It reports a comment, which it skips.
func (s *scanner) open() (comment bool, err error) {
	s.text, s.ends = s.text[:0], s.ends[:0]
	s.tag = tag{attrs: s.tag.attrs[:0]}
	b, err := s.inside("a tag")
	if err != nil {
		return false, err
	}
	switch b {
	case '?':
		return false, s.errorf("an XML declaration; the loaders take it for an element that is never closed, so leave it out")
	case '!':
		return true, s.comment()
	case '/':
		s.tag.close = true
		if b, err = s.inside("a tag"); err != nil {
			return false, err
		}
	}
	for ; b != ' ' && b != '>' && b != '/'; b, err = s.inside("a tag") {
		if err != nil {
			return false, err
		}
		if err := s.keep(b, 0); err != nil {
			return false, err
		}
	}
	if err != nil {
		return false, err
	}
	s.ends = append(s.ends, len(s.text))
	if len(s.text) == 0 {
		return false, s.errorf("a tag without a name")
	}
	if err := s.attributes(b); err != nil {
		return false, err
	}
	start := s.ends[0]
	s.tag.name = s.text[:start]
	for i := 1; i < len(s.ends); i += 2 {
		s.tag.attrs = append(s.tag.attrs, attribute{s.text[start:s.ends[i]], s.text[s.ends[i]:s.ends[i+1]]})
		start = s.ends[i+1]
	}
	return false, nil
}

// keep appends a byte of a name or value that began at the given place.
func (s *scanner) keep(b byte, start int) error {
	switch {
	case b == '\n' || b == '\r' || b == '\t':
		return s.errorf("a line break or tab inside a tag; the loaders take blanks only")
	case b == '&':
		return s.errorf("an entity; the loaders know none")
	case b < ' ' || b == '<':
		return s.errorf("%q inside a tag", b)
	case len(s.text)-start >= maxName:
		return s.errorf("a name or value of more than %d bytes", maxName)
	}
	s.text = append(s.text, b)
	return nil
}

// attributes reads what follows a tag's name, up to the ">". b is the byte after the name.
func (s *scanner) attributes(b byte) (err error) {
	slots := 0
	for {
		switch b {
		case '>':
			return nil
		case '/':
			if b, err = s.inside("a tag"); err != nil {
				return err
			}
			if b != '>' || s.tag.close {
				return s.errorf(`"/" inside a tag that is not at its end`)
			}
			s.tag.single = true
			return nil
		case ' ':
			if slots++; slots > maxAttributes {
				return s.errorf("more than %d attributes, each further blank counted; the loaders drop the rest", maxAttributes)
			}
			if b, err = s.inside("a tag"); err != nil {
				return err
			}
			if b == ' ' || b == '>' || b == '/' {
				continue
			}
			if err = s.attribute(b); err != nil {
				return err
			}
			if b, err = s.inside("a tag"); err != nil {
				return err
			}
		case '\n', '\r', '\t':
			return s.errorf("a line break or tab inside a tag; the loaders take blanks only")
		default:
			return s.errorf("%q after a value; a blank, \"/>\" or \">\" is needed", b)
		}
	}
}

// attribute reads name="value".
func (s *scanner) attribute(b byte) (err error) {
	start := len(s.text)
	for ; b != '='; b, err = s.inside("an attribute") {
		if err != nil {
			return err
		}
		if b == ' ' || b == '>' || b == '/' || b == '"' {
			return s.errorf("an attribute without a value: name=\"value\" is needed")
		}
		if err := s.keep(b, start); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	s.ends = append(s.ends, len(s.text))
	if b, err = s.inside("an attribute"); err != nil {
		return err
	}
	if b != '"' {
		return s.errorf("%q where a value begins; the loaders take double quotes only", b)
	}
	start = len(s.text)
	for {
		if b, err = s.inside("a value"); err != nil {
			return err
		}
		if b == '"' {
			s.ends = append(s.ends, len(s.text))
			return nil
		}
		if err := s.keep(b, start); err != nil {
			return err
		}
	}
}

var errDeclaration = errors.New("a declaration such as DOCTYPE or ENTITY; the loaders know none, only comments <!-- -->")

// comment skips <!-- .. --> after its "<!".
func (s *scanner) comment() error {
	for range 2 {
		if b, err := s.inside("a comment"); err != nil || b != '-' {
			if err != nil {
				return err
			}
			return s.errorf("%w", errDeclaration)
		}
	}
	dashes := 0
	for {
		b, err := s.inside("a comment")
		switch {
		case err != nil:
			return err
		case b == '-':
			dashes++
		case b == '>' && dashes >= 2:
			return nil
		default:
			dashes = 0
		}
	}
}
