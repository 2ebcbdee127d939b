package sonic

import (
	"fmt"

	"github.com/lightpath-net/lightpath/control"
)

// Again reads a file, takes all cross-connects down and up again, and writes and reads the
// result. It panics if the result differs.
func Again(data []byte) error {
	t, err := parse(data)
	if err != nil {
		return err
	}
	before := t.up.Crosses()
	if err := t.change(control.Change{Disconnect: before, Connect: before}); err != nil {
		panic(err)
	}
	text, err := t.encode()
	if err != nil {
		panic(err)
	}
	again, err := parse(text)
	if err != nil || fmt.Sprint(again.up.Crosses()) != fmt.Sprint(before) || again.size != t.size {
		panic(fmt.Sprint(again, err))
	}
	return nil
}
