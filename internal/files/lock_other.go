//go:build !unix

package files

import (
	"os"
	"time"
)

// lock does nothing on systems without such locks; free goes by the age of the file.
func lock(*os.File) {}

// free reports whether a file has not been written to for a long time.
func free(f *os.File) bool {
	const abandoned = time.Hour
	info, err := f.Stat()
	return err == nil && time.Since(info.ModTime()) > abandoned
}

// taken cannot find out, and reports that no process has the file.
func taken(*os.File) bool { return false }
