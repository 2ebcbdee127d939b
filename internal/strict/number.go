package strict

import (
	"errors"
	"fmt"
	"io"
	"strconv"
)

// number reads the text of a number; it is valid until the next token.
func (d *Reader) number() ([]byte, error) {
	b, err := d.peek()
	if err != nil {
		return nil, err
	}
	if b != '-' && (b < '0' || b > '9') {
		return nil, d.unexpected("a number")
	}
	text := d.token[:0]
	for {
		if d.pos == d.end {
			if err := d.fill(); err != nil {
				if errors.Is(err, io.ErrUnexpectedEOF) {
					break // the text may end with a number
				}
				return nil, err
			}
		}
		b := d.buf[d.pos]
		if (b < '0' || b > '9') && b != '-' && b != '+' && b != '.' && b != 'e' && b != 'E' {
			break
		}
		d.pos++
		if d.raw {
			d.keep = append(d.keep, b)
		}
		if text = append(text, b); len(text) > maxToken {
			return nil, fmt.Errorf("a number of more than %d digits", maxToken)
		}
	}
	d.token = text
	if !wellFormed(text) {
		return nil, fmt.Errorf("%s is not a number", short(text))
	}
	return text, nil
}

func short(text []byte) string {
	const most = 40
	if len(text) > most {
		return string(text[:most]) + ".."
	}
	return string(text)
}

// wellFormed reports whether text is a number of JSON's grammar.
func wellFormed(text []byte) bool {
	i := 0
	digits := func() int {
		from := i
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			i++
		}
		return i - from
	}
	if i < len(text) && text[i] == '-' {
		i++
	}
	zero := i < len(text) && text[i] == '0'
	if n := digits(); n == 0 || zero && n > 1 {
		return false
	}
	if i < len(text) && text[i] == '.' {
		i++
		if digits() == 0 {
			return false
		}
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		i++
		if i < len(text) && (text[i] == '-' || text[i] == '+') {
			i++
		}
		if digits() == 0 {
			return false
		}
	}
	return i == len(text)
}

// Int reads an integer that fits in the given number of bits.
func (d *Reader) Int(bits int) (int64, error) {
	text, err := d.number()
	if err != nil {
		return 0, err
	}
	if len(text) < 19 { // the common case, without making a string
		n, negative := int64(0), text[0] == '-'
		plain := true
		for i, b := range text {
			if negative && i == 0 {
				continue
			}
			if b < '0' || b > '9' {
				plain = false
				break
			}
			n = 10*n + int64(b-'0')
		}
		if negative {
			n = -n
		}
		if plain && (bits == 64 || n >= -(1<<(bits-1)) && n < 1<<(bits-1)) {
			return n, nil
		}
	}
	n, err := strconv.ParseInt(string(text), 10, bits)
	if err != nil {
		return 0, fmt.Errorf("%s is not a whole number that fits", short(text))
	}
	return n, nil
}

// Float reads a number.
func (d *Reader) Float() (float64, error) {
	text, err := d.number()
	if err != nil {
		return 0, err
	}
	if len(text) == 1 && text[0] != '-' {
		return float64(text[0] - '0'), nil
	}
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, fmt.Errorf("%s is not a number that fits", short(text))
	}
	return x, nil
}

// word reads true, false or null.
func (d *Reader) word(text string) error {
	if _, err := d.peek(); err != nil {
		return err
	}
	for i := range len(text) {
		b, err := d.next()
		if err != nil {
			return err
		}
		if b != text[i] {
			return fmt.Errorf("want %s", text)
		}
	}
	return nil
}

// Bool reads true or false.
func (d *Reader) Bool() (bool, error) {
	b, err := d.peek()
	switch {
	case err != nil:
		return false, err
	case b == 't':
		return true, d.word("true")
	case b == 'f':
		return false, d.word("false")
	}
	return false, d.unexpected("true or false")
}

// Null reads null if that comes next.
func (d *Reader) Null() (bool, error) {
	if b, err := d.peek(); err != nil || b != 'n' {
		return false, err
	}
	return true, d.word("null")
}
