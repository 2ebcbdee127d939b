// Package netconf drives optical switches by NETCONF over SSH (RFC 6241, 6242) with the model
// optical-switch of Polatis, and is the face of an emulated switch that speaks it.
//
// A change is one edit-config of the running datastore under its lock: it deletes pairs,
// replaces pairs whose egress port changes, and creates new ones. No pair occurs twice.
package netconf

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Port is the TCP port of NETCONF over SSH.
const Port = 830

// maxMessage bounds a message.
const maxMessage = 8 << 20

// end is what ends a message of version 1.0.
const end = "]]>]]>"

// framed reads and writes messages, in the framing of version 1.0 until both sides have
// announced version 1.1 (RFC 6242, section 4).
type framed struct {
	in      *bufio.Reader
	out     io.Writer
	chunked bool
}

// write sends a message.
func (f *framed) write(message []byte) error {
	var all []byte
	if f.chunked {
		all = fmt.Appendf(nil, "\n#%d\n%s\n##\n", len(message), message)
	} else {
		all = append(append(all, message...), end...)
	}
	_, err := f.out.Write(all)
	return err
}

// read returns the next message.
func (f *framed) read() ([]byte, error) {
	if f.chunked {
		return f.readChunks()
	}
	var message []byte
	for {
		part, err := f.in.ReadSlice('>')
		message = append(message, part...)
		switch {
		case bytes.HasSuffix(message, []byte(end)):
			return message[:len(message)-len(end)], nil
		case len(message) > maxMessage:
			return nil, fmt.Errorf("a message of more than %d bytes", maxMessage)
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return nil, unexpected(err, message)
		}
	}
}

// unexpected is the error for a message that ends in the middle.
func unexpected(err error, message []byte) error {
	if errors.Is(err, io.EOF) && len(bytes.TrimSpace(message)) > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}

// errChunk is the error for bytes that are not a chunk.
var errChunk = errors.New("not a chunk of a message")

// readChunks reads a message of version 1.1.
func (f *framed) readChunks() ([]byte, error) {
	var message []byte
	for {
		if b, err := f.in.ReadByte(); err != nil {
			return nil, unexpected(err, message)
		} else if b != '\n' {
			return nil, errChunk
		}
		if b, err := f.in.ReadByte(); err != nil || b != '#' {
			return nil, errChunk
		}
		line, err := f.in.ReadSlice('\n')
		if err != nil || len(line) < 2 || len(line) > 11 {
			return nil, errChunk
		}
		if string(line) == "#\n" {
			if len(message) == 0 {
				return nil, errChunk
			}
			return message, nil
		}
		size, err := strconv.ParseUint(string(line[:len(line)-1]), 10, 32)
		if err != nil || size == 0 || line[0] == '0' {
			return nil, errChunk
		}
		if len(message)+int(size) > maxMessage {
			return nil, fmt.Errorf("a message of more than %d bytes", maxMessage)
		}
		from := len(message)
		message = append(message, make([]byte, size)...)
		if _, err := io.ReadFull(f.in, message[from:]); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
	}
}
