package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lightpath-net/lightpath/train"
)

func main() {
	directory := flag.String("o", "train/traces", "write the traces into this `directory`")
	flag.Parse()
	if err := write(*directory); err != nil {
		fmt.Fprintln(os.Stderr, "arch:", err)
		os.Exit(1)
	}
}

// write writes the traces of all models.
func write(directory string) error {
	for _, m := range Models() {
		var text bytes.Buffer
		if err := train.WriteTrace(&text, m.Trace()); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(directory, m.Name+".csv"), text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
