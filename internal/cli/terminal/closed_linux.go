package terminal

import (
	"os"
	"syscall"
)

// Closed reports whether a program was started with this file closed, as by >&- in a shell. The
// Go runtime then opens /dev/null in its place, for reading and writing, so that output would be
// lost without an error. A shell that redirects to /dev/null opens it for writing only.
func Closed(f *os.File) bool {
	var info syscall.Stat_t
	if syscall.Fstat(int(f.Fd()), &info) != nil || info.Mode&syscall.S_IFMT != syscall.S_IFCHR {
		return false
	}
	const null = 1<<8 | 3 // the device number of /dev/null
	if info.Rdev != null {
		return false
	}
	flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), syscall.F_GETFL, 0)
	return errno == 0 && flags&syscall.O_ACCMODE == syscall.O_RDWR
}
