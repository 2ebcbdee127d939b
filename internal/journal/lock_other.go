//go:build !unix

package journal

import "os"

// lock does nothing on systems without such locks: a file has only one writer there.
func lock(*os.File) (unlock func(), err error) { return func() {}, nil }

// hold does nothing, as lock does.
func hold(*os.File) error { return nil }
