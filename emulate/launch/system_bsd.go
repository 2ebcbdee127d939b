//go:build unix && !linux

package launch

import "syscall"

// inherited is "": a file under /dev/fd has one place in it for all children.
const inherited = ""

// attributes are those of a child. A group of its own keeps Ctrl-C for this process, which
// ends the others in order. If it dies without, they see that the coordinator has gone.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
