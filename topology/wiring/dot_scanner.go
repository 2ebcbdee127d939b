package wiring

import (
	"errors"
	"fmt"
	"strings"
)

// dotKind is the kind of a token.
type dotKind int

const (
	dotEnd dotKind = iota
	dotID
	dotMark
)

// dotToken is a word of Graphviz' language.
type dotToken struct {
	kind   dotKind
	text   string
	quoted bool // not a keyword, whatever its text
}

func (t dotToken) String() string {
	if t.kind == dotEnd {
		return "the end of the file"
	}
	return quoted(t.text)
}

// dotScanner cuts a text into tokens.
type dotScanner struct {
	text string
	pos  int
	line int
}

// skip passes blanks, comments and lines of a preprocessor.
func (s *dotScanner) skip() error {
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		switch c := rest[0]; {
		case c == '\n':
			s.line++
			s.pos++
		case c == ' ' || c == '\t' || c == '\r':
			s.pos++
		case strings.HasPrefix(rest, "//") || c == '#' && (s.pos == 0 || s.text[s.pos-1] == '\n'):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			s.pos += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return errors.New("a comment that is not closed; want */")
			}
			s.line += strings.Count(rest[:end+4], "\n")
			s.pos += end + 4
		default:
			return nil
		}
	}
	return nil
}

func (s *dotScanner) next() (dotToken, error) {
	if err := s.skip(); err != nil {
		return dotToken{}, err
	}
	if s.pos == len(s.text) {
		return dotToken{}, nil
	}
	rest := s.text[s.pos:]
	for _, mark := range []string{"->", "--", "{", "}", "[", "]", "=", ";", ",", ":"} {
		if strings.HasPrefix(rest, mark) {
			s.pos += len(mark)
			return dotToken{kind: dotMark, text: mark}, nil
		}
	}
	switch {
	case rest[0] == '"':
		return s.string()
	case rest[0] == '<':
		return dotToken{}, errors.New("names in HTML are not read; want a word, a number or \"text\"")
	}
	end := 0
	for end < len(rest) && (wordByte(rest[end]) || end == 0 && (rest[0] == '-' || rest[0] == '.')) {
		end++
	}
	if end == 0 {
		return dotToken{}, fmt.Errorf("unexpected %s", quoted(rest[:1]))
	}
	s.pos += end
	return dotToken{kind: dotID, text: rest[:end]}, nil
}

// wordByte reports whether a byte can be part of a word or number; bytes from 128 on are
// letters.
func wordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c >= 0x80
}

// string reads text in quotes, in which \" is a quote and a backslash before the end of a
// line joins it to the next. Any other backslash stands for itself.
func (s *dotScanner) string() (dotToken, error) {
	var b strings.Builder
	for i := s.pos + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.pos = i + 1
			return dotToken{kind: dotID, text: b.String(), quoted: true}, nil
		case c == '\\' && i+1 < len(s.text) && (s.text[i+1] == '"' || s.text[i+1] == '\n'):
			i++
			if s.text[i] == '"' {
				b.WriteByte('"')
			} else {
				s.line++
			}
		default:
			if c == '\n' {
				s.line++
			}
			b.WriteByte(c)
		}
	}
	return dotToken{}, errors.New("text that is not closed; want \"")
}
