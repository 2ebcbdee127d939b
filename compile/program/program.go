package program

import "fmt"

// Buffer is one of the three buffers of a rank.
type Buffer uint8

// The buffers.
const (
	Input Buffer = iota
	Output
	Scratch
)

// String returns the letter that the formats write.
func (b Buffer) String() string { return "ios"[b : b+1] }

// Loc is a chunk of a buffer. Offset is negative in unused operands.
type Loc struct {
	Buffer Buffer
	Offset int32
}

// None returns the location of an unused operand.
func None() Loc { return Loc{Input, -1} }

// Plus returns the location n chunks further.
func (l Loc) Plus(chunks int) Loc { return Loc{l.Buffer, l.Offset + int32(chunks)} }

// String writes the location as i[3].
func (l Loc) String() string { return fmt.Sprintf("%v[%d]", l.Buffer, l.Offset) }

// Kind is what an operation does.
type Kind uint8

// The operations. Each works on Count consecutive chunks.
const (
	Nop                Kind = iota // waits for its dependencies
	Send                           // send Src
	Recv                           // receive into Dst
	RecvCopySend                   // receive into Dst and send on
	RecvReduceSend                 // receive, add Src, send on; keep nothing
	RecvReduceCopy                 // receive, add Src, store in Dst
	RecvReduceCopySend             // the same, and send on
	Copy                           // Dst := Src
	Reduce                         // Dst := Dst + Src
)

// kindNames are the names in MSCCL's files.
var kindNames = [...]string{"nop", "s", "r", "rcs", "rrs", "rrc", "rrcs", "cpy", "re"}

// String returns the name of the operation in MSCCL's files.
func (k Kind) String() string { return kindNames[k] }

// ParseKind is the inverse of String.
func ParseKind(name string) (Kind, bool) {
	for k, known := range kindNames {
		if known == name {
			return Kind(k), true
		}
	}
	return Nop, false
}

// Sends reports whether the operation sends.
func (k Kind) Sends() bool {
	return k == Send || k == RecvCopySend || k == RecvReduceSend || k == RecvReduceCopySend
}

// Receives reports whether the operation receives.
func (k Kind) Receives() bool { return k >= Recv && k <= RecvReduceCopySend }

// Reads reports whether the operation reads Src.
func (k Kind) Reads() bool { return k == Send || k >= RecvReduceSend }

// Writes reports whether the operation writes Dst.
func (k Kind) Writes() bool { return k >= Recv && k != RecvReduceSend }

// Dep names an operation of a thread block of the same rank.
type Dep struct {
	Block, Op int32
}

// Op is an operation. It waits until the operations in Deps have ended.
type Op struct {
	Kind     Kind
	Src, Dst Loc
	Count    int32
	Deps     []Dep
	// Awaited says that the operation announces its end to other thread blocks.
	Awaited bool
}

// Block is a thread block: its operations run one after the other.
type Block struct {
	Send, Recv int // the peers of its connections; -1: none
	Channel    int
	Ops        []Op
}

// Rank is what one GPU does. The numbers of chunks are those of the buffers that the program
// uses; 0 for an unused buffer.
type Rank struct {
	Input, Output, Scratch int
	Blocks                 []Block
}

// Program is what all ranks do.
type Program struct {
	Name     string
	Protocol Protocol
	BufferMap
	Channels           int
	MinBytes, MaxBytes int64 // sizes of the whole buffer for which it is meant
	Ranks              []Rank
}

// Protocol is how a runtime moves bytes; it decides how far senders may run ahead.
type Protocol string

// The protocols.
const (
	Simple Protocol = "Simple"
	LL     Protocol = "LL"
	LL128  Protocol = "LL128"
)

// Slots returns by how many transfers a sender may be ahead of its receiver: a connection has 8
// steps, and a transfer takes 4 (Simple) or 1.
func (p Protocol) Slots() int {
	if p == Simple {
		return 2
	}
	return 8
}

// Place is the position of an operation in a program.
type Place struct {
	Rank, Block, Op int
}

// String returns the place in the form of error messages.
func (p Place) String() string {
	return fmt.Sprintf("rank %d, thread block %d, step %d", p.Rank, p.Block, p.Op)
}
