package wire

import "io"

// Read reads a frame as a connection does.
func Read(r io.Reader) (*Frame, error) { return read(r, MaxPayload) }
