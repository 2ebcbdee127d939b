//go:build unix && !linux

package launch

import "syscall"

// inherited is "", because all children would share one read position of a file under /dev/fd.
const inherited = ""

// attributes returns the attributes of a child. A process group of its own keeps Ctrl-C for this
// process, which ends the others in order. If this process dies first, the others notice that
// the coordinator has gone.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
