package files_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/lightpath-net/lightpath/internal/files"
)

// A file that cannot be written to its end leaves what was there before.
func ExampleWrite() {
	folder, err := os.MkdirTemp("", "files")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	name := filepath.Join(folder, "plan.json")
	write := func(text string, end error) {
		err := files.Write(name, func(w io.Writer) error {
			io.WriteString(w, text)
			return end
		})
		held, _ := os.ReadFile(name)
		fmt.Printf("%s %v\n", held, err)
	}
	write("first", nil)
	write("second", errors.New("interrupted"))
	// Output:
	// first <nil>
	// first interrupted
}
