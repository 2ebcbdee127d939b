// Package strict reads JSON strictly, from a stream, in linear time and constant memory: valid
// UTF-8, known names in their exact spelling, none of them twice, lists of the right length. The
// standard decoder folds case, takes the last of two members of the same name, and ignores unknown
// members; in a plan or a request each of these would be a silent mistake.
package strict

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds how deep lists and objects may be nested: far above any of our documents, far
// below what would exhaust the stack.
const maxDepth = 64

// maxToken bounds a string or number, which is held in memory.
const maxToken = 1 << 20

// Reader reads the tokens of one JSON text.
type Reader struct {
	r     io.Reader
	buf   []byte
	pos   int // of the next byte in buf
	end   int // of the data in buf
	line  int
	begun bool // anything but blanks has been seen
	ended bool // the text has ended, and was not cut off
	depth int
	token []byte // scratch
	keep  []byte // the text that Raw has read so far
	raw   bool
	known structs
}

// NewReader returns a reader of the text in r.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: r, buf: make([]byte, 1<<16), line: 1, known: structs{}}
}

// Line returns the current line, from 1.
func (d *Reader) Line() int { return d.line }

// Empty reports whether the text has ended and held nothing but blanks.
func (d *Reader) Empty() bool { return d.ended && !d.begun }

// fill reads more text; at the end of the text it returns io.ErrUnexpectedEOF.
func (d *Reader) fill() error {
	d.pos, d.end = 0, 0
	for range 100 {
		n, err := d.r.Read(d.buf)
		d.end = n
		if n > 0 {
			return nil
		}
		if err == io.EOF {
			d.ended = true
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// next returns the next byte and moves on.
func (d *Reader) next() (byte, error) {
	if d.pos == d.end {
		if err := d.fill(); err != nil {
			return 0, err
		}
	}
	b := d.buf[d.pos]
	d.pos++
	if d.raw {
		d.keep = append(d.keep, b)
	}
	return b, nil
}

// peek skips blanks and returns the next byte without moving on.
func (d *Reader) peek() (byte, error) {
	for {
		if d.pos == d.end {
			if err := d.fill(); err != nil {
				return 0, err
			}
		}
		switch b := d.buf[d.pos]; b {
		case '\n':
			d.line++
			d.pos++
		case ' ', '\t', '\r':
			d.pos++
		default:
			d.begun = true
			return b, nil
		}
	}
}

// expect reads one byte after blanks.
func (d *Reader) expect(want byte) error {
	b, err := d.peek()
	if err != nil {
		return err
	}
	if b != want {
		return d.unexpected(name(want))
	}
	_, err = d.next()
	return err
}

// name returns what a byte begins, or the byte itself.
func name(b byte) string {
	switch b {
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return string(rune(b))
}

// unexpected returns an error that says what was found instead.
func (d *Reader) unexpected(want string) error {
	kind, err := d.Kind()
	if err != nil {
		return err
	}
	return fmt.Errorf("want %s, found %s", want, kind)
}

// Kind returns what comes next in one word: an object, a list, a string, a number, true, false
// or null.
func (d *Reader) Kind() (string, error) {
	b, err := d.peek()
	switch {
	case err != nil:
		return "", err
	case b == '{':
		return "an object", nil
	case b == '[':
		return "a list", nil
	case b == '"':
		return "a string", nil
	case b == '-' || b >= '0' && b <= '9':
		return "a number", nil
	case b == 't':
		return "true", nil
	case b == 'f':
		return "false", nil
	case b == 'n':
		return "null", nil
	}
	if b >= utf8.RuneSelf || b < ' ' {
		return fmt.Sprintf("the byte 0x%02x", b), nil
	}
	return strconv.QuoteRune(rune(b)), nil
}

// IsList reports whether a list comes next.
func (d *Reader) IsList() (bool, error) {
	b, err := d.peek()
	return b == '[', err
}

// End returns an error if anything but blanks follows the value.
func (d *Reader) End() error {
	_, err := d.peek()
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil
	case err != nil:
		return err
	}
	return errors.New("there is more after the end")
}

func (d *Reader) enter() error {
	if d.depth++; d.depth > maxDepth {
		return fmt.Errorf("nested deeper than %d", maxDepth)
	}
	return nil
}

// Object reads {"name": value, ..}; read is called for each name and must read its value.
// A name that is listed twice is an error.
func (d *Reader) Object(read func(name string) error) error {
	if err := d.enter(); err != nil {
		return err
	}
	if err := d.expect('{'); err != nil {
		return err
	}
	var seen nameSet
	for first := true; ; first = false {
		b, err := d.peek()
		if err != nil {
			return err
		}
		if b == '}' && first {
			break
		}
		if !first {
			if b == '}' {
				break
			}
			if err := d.expect(','); err != nil {
				return err
			}
		}
		name, err := d.Text()
		if err != nil {
			return err
		}
		if !seen.add(name) {
			return fmt.Errorf("%s is listed twice", quote(name))
		}
		if err := d.expect(':'); err != nil {
			return err
		}
		if err := read(name); err != nil {
			return err
		}
	}
	d.depth--
	_, err := d.next()
	return err
}

// nameSet is the names of an object; a few are kept in a list, which needs no allocation.
type nameSet struct {
	few  [16]string
	n    int
	many map[string]bool
}

func (s *nameSet) add(name string) bool {
	if s.many == nil {
		if slices.Contains(s.few[:s.n], name) {
			return false
		}
		if s.n < len(s.few) {
			s.few[s.n] = name
			s.n++
			return true
		}
		s.many = map[string]bool{}
		for _, known := range s.few {
			s.many[known] = true
		}
	}
	if s.many[name] {
		return false
	}
	s.many[name] = true
	return true
}

// List reads [value, ..]; read is called for each value and must read it.
func (d *Reader) List(read func(i int) error) error {
	if err := d.enter(); err != nil {
		return err
	}
	if err := d.expect('['); err != nil {
		return err
	}
	for i := 0; ; i++ {
		b, err := d.peek()
		if err != nil {
			return err
		}
		if b == ']' {
			break
		}
		if i > 0 {
			if err := d.expect(','); err != nil {
				return err
			}
			if b, err = d.peek(); err != nil {
				return err
			}
			if b == ']' {
				return errors.New("a comma before ]")
			}
		}
		if err := read(i); err != nil {
			return err
		}
	}
	d.depth--
	_, err := d.next()
	return err
}

// Text reads a string.
func (d *Reader) Text() (string, error) {
	if b, err := d.peek(); err != nil || b != '"' {
		if err != nil {
			return "", err
		}
		return "", d.unexpected("a string")
	}
	if _, err := d.next(); err != nil {
		return "", err
	}
	text := d.token[:0]
	for {
		b, err := d.next()
		switch {
		case err != nil:
			return "", err
		case b == '"':
			d.token = text
			if !utf8.Valid(text) {
				return "", fmt.Errorf("%s is not valid UTF-8", quote(string(text)))
			}
			return string(text), nil
		case b < ' ':
			return "", errors.New("a control character in a string; write it as \\u00XX")
		case b == '\\':
			if text, err = d.escape(text); err != nil {
				return "", err
			}
		default:
			text = append(text, b)
		}
		if len(text) > maxToken {
			return "", fmt.Errorf("a string of more than %d bytes", maxToken)
		}
	}
}

// escape reads what follows a backslash.
func (d *Reader) escape(text []byte) ([]byte, error) {
	b, err := d.next()
	if err != nil {
		return text, err
	}
	switch b {
	case '"', '\\', '/':
		return append(text, b), nil
	case 'b':
		return append(text, '\b'), nil
	case 'f':
		return append(text, '\f'), nil
	case 'n':
		return append(text, '\n'), nil
	case 'r':
		return append(text, '\r'), nil
	case 't':
		return append(text, '\t'), nil
	case 'u':
		high, err := d.hex()
		if err != nil {
			return text, err
		}
		if utf16.IsSurrogate(high) {
			if a, err := d.next(); err != nil || a != '\\' {
				return text, errLoneSurrogate(err)
			}
			if a, err := d.next(); err != nil || a != 'u' {
				return text, errLoneSurrogate(err)
			}
			low, err := d.hex()
			if err != nil {
				return text, err
			}
			if high = utf16.DecodeRune(high, low); high == utf8.RuneError {
				return text, errLoneSurrogate(nil)
			}
		}
		return utf8.AppendRune(text, high), nil
	}
	return text, fmt.Errorf("the escape \\%s is none of JSON's", printable(b))
}

func errLoneSurrogate(err error) error {
	if err != nil {
		return err
	}
	return errors.New("half of a surrogate pair in a string")
}

func printable(b byte) string {
	if b > ' ' && b < utf8.RuneSelf {
		return string(rune(b))
	}
	return fmt.Sprintf("x%02x", b)
}

// hex reads four hexadecimal digits.
func (d *Reader) hex() (rune, error) {
	r := rune(0)
	for range 4 {
		b, err := d.next()
		if err != nil {
			return 0, err
		}
		switch {
		case b >= '0' && b <= '9':
			r = r<<4 | rune(b-'0')
		case b >= 'a' && b <= 'f':
			r = r<<4 | rune(b-'a'+10)
		case b >= 'A' && b <= 'F':
			r = r<<4 | rune(b-'A'+10)
		default:
			return 0, errors.New("\\u without four hexadecimal digits")
		}
	}
	return r, nil
}

// quote shortens text for a message.
func quote(text string) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(text[:most]) + ".."
	}
	return strconv.Quote(text)
}
