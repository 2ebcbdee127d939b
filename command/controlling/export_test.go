package controlling

import (
	"context"
	"time"
)

// Hurry makes a run not wait between attempts.
func Hurry(n *Runner) {
	n.controller.Sleep = func(context.Context, time.Duration) error { return nil }
}

// CheckState reports why bytes are not a valid saved state of a run.
func CheckState(data []byte) error {
	_, err := parseState(data)
	return err
}
