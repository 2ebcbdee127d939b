package sweep

// ReadFrame reads the records of a frame of a store, for its fuzz target.
func ReadFrame(data []byte) error {
	d := decoder{names: map[string]string{}}
	return d.each(data, func(*record) error { return nil })
}
