package strict

// Raw reads any value and returns its text without blanks. Everything inside is read strictly,
// too.
func (d *Reader) Raw() ([]byte, error) {
	if d.raw { // inside another Raw, which keeps everything
		return nil, d.skip()
	}
	d.raw, d.keep = true, nil
	err := d.skip()
	d.raw = false
	return d.keep, err
}

// skip reads any value.
func (d *Reader) skip() error {
	b, err := d.peek()
	if err != nil {
		return err
	}
	switch {
	case b == '{':
		return d.Object(func(string) error { return d.skip() })
	case b == '[':
		return d.List(func(int) error { return d.skip() })
	case b == '"':
		_, err = d.Text()
	case b == 't' || b == 'f':
		_, err = d.Bool()
	case b == 'n':
		_, err = d.Null()
	default:
		_, err = d.number()
	}
	return err
}
