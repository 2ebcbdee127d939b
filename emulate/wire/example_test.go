package wire_test

import (
	"bytes"
	"fmt"

	"github.com/lightpath-net/lightpath/emulate/wire"
)

// The example writes and reads a frame, and shows the reader's error for a changed bit.
func ExampleRead() {
	var sent bytes.Buffer
	if err := wire.Write(&sent, &wire.Frame{Kind: wire.Data, Step: 3, Transfer: 1, Hop: 1, Payload: []byte("chunk")}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("% x\n", sent.Bytes()[:8])
	changed := bytes.Clone(sent.Bytes())
	changed[len(changed)-1] ^= 1
	f, err := wire.Read(&sent)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Step, f.Transfer, string(f.Payload))
	_, err = wire.Read(bytes.NewReader(changed))
	fmt.Println(err)
	// Output:
	// 4c 50 03 11 00 00 00 05
	// 3 1 chunk
	// not the protocol: a frame whose checksum is wrong
}
