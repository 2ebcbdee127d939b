//go:build !unix

package launch

import (
	"os"
	"syscall"
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
)

// inherited is "": children find files by their names.
const inherited = ""

// attributes returns the attributes of a child.
func attributes() *syscall.SysProcAttr { return nil }

// kill ends a child.
func kill(p *os.Process) { p.Kill() }

// misbehave makes this process end, or hang forever.
func misbehave(kind fault.Kind) {
	if kind != fault.Stalled {
		os.Exit(1)
	}
	time.Sleep(time.Hour)
}
