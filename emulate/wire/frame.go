package wire

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// Kind says what a frame is.
type Kind uint8

// The kinds.
const (
	Challenge Kind = 1 + iota
	Hello
	Welcome
	Refuse
	Config
	Ready
	Step
	Beat
	Done
	Result
	Fault
	Finish
	Abort
	Connect
	Connected
	Stats
	Data
	Compute
	Perform
	Expect
	kinds
)

// Version is the protocol version. Peers with another version are refused.
const Version = 3

// MaxPayload bounds a frame. It leaves room for the circuits of 64Ki GPUs with 4 ports.
const MaxPayload = 8 << 20

// Through is the flag of data that the receiver sends on as it arrives.
const Through = 1

const headerSize = 36

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Frame is a message. Frames other than Data use only Kind and Payload.
type Frame struct {
	Kind     Kind
	Step     uint32
	Transfer uint32
	Route    uint16
	Hop      uint16
	Flags    uint16
	Seat     uint16 // place of the receiver in its island, for a frame into an island
	Offset   uint64
	Payload  []byte
}

// Error is a violation of the protocol.
type Error struct{ Text string }

// Error says what is wrong.
func (e *Error) Error() string { return "not the protocol: " + e.Text }

func bad(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Write writes a frame.
func Write(w io.Writer, f *Frame) error {
	if len(f.Payload) > MaxPayload {
		return fmt.Errorf("a message of %d bytes; the protocol has at most %d", len(f.Payload), MaxPayload)
	}
	var head [headerSize]byte
	f.header(head[:])
	if _, err := w.Write(head[:]); err != nil {
		return err
	}
	_, err := w.Write(f.Payload)
	return err
}

// header fills in everything before the payload.
func (f *Frame) header(head []byte) {
	be := binary.BigEndian
	head[0], head[1], head[2], head[3] = 'L', 'P', Version, byte(f.Kind)
	be.PutUint32(head[4:], uint32(len(f.Payload)))
	be.PutUint32(head[12:], f.Step)
	be.PutUint32(head[16:], f.Transfer)
	be.PutUint16(head[20:], f.Route)
	be.PutUint16(head[22:], f.Hop)
	be.PutUint16(head[24:], f.Flags)
	be.PutUint16(head[26:], f.Seat)
	be.PutUint64(head[28:], f.Offset)
	be.PutUint32(head[8:], checksum(head, f.Payload))
}

func checksum(head, payload []byte) uint32 {
	sum := crc32.Update(0, castagnoli, head[:8])
	sum = crc32.Update(sum, castagnoli, head[12:headerSize])
	return crc32.Update(sum, castagnoli, payload)
}

// read reads a frame with a payload of at most the given bytes. It returns io.EOF at the end of
// the input.
func read(r io.Reader, most uint32) (*Frame, error) {
	var head [headerSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	be := binary.BigEndian
	length := be.Uint32(head[4:])
	switch {
	case head[0] != 'L' || head[1] != 'P':
		return nil, bad("a frame that begins with %#x instead of LP", head[:2])
	case head[2] != Version:
		return nil, bad("version %d; want %d", head[2], Version)
	case head[3] == 0 || head[3] >= byte(kinds):
		return nil, bad("a frame of kind %d; there are 1 to %d", head[3], kinds-1)
	case length > most:
		return nil, bad("a frame of %d bytes; at most %d", length, most)
	}
	f := &Frame{
		Kind: Kind(head[3]), Step: be.Uint32(head[12:]), Transfer: be.Uint32(head[16:]), Route: be.Uint16(head[20:]),
		Hop: be.Uint16(head[22:]), Flags: be.Uint16(head[24:]), Seat: be.Uint16(head[26:]), Offset: be.Uint64(head[28:]), Payload: make([]byte, length),
	}
	if _, err := io.ReadFull(r, f.Payload); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	if sum := checksum(head[:], f.Payload); sum != be.Uint32(head[8:]) {
		return nil, bad("a frame whose checksum is wrong")
	}
	return f, nil
}
