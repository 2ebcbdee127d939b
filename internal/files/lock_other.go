//go:build !unix

package files

import (
	"os"
	"time"
)

// lock does nothing where there are no such locks; free goes by the age.
func lock(*os.File) {}

// free reports whether a file has not been written to for long.
func free(f *os.File) bool {
	const abandoned = time.Hour
	info, err := f.Stat()
	return err == nil && time.Since(info.ModTime()) > abandoned
}

// taken cannot find out, and reports that nobody has the file.
func taken(*os.File) bool { return false }
