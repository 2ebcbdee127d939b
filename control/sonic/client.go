package sonic

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/internal/files"
)

// Client is a switch whose cross-connects are in a file. The content of the file counts as the
// state; the operator of the switch must load it. Every change replaces the whole file.
type Client struct{ File string }

// read reads the file.
func (c *Client) read(ctx context.Context) (*tables, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := os.Open(c.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.File, err)
	}
	t, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.File, err)
	}
	return t, nil
}

// Size implements control.Switch.
func (c *Client) Size(ctx context.Context) (control.Size, error) {
	t, err := c.read(ctx)
	if err != nil {
		return control.Size{}, err
	}
	return t.size, nil
}

// State implements control.Switch.
func (c *Client) State(ctx context.Context) (control.State, error) {
	t, err := c.read(ctx)
	if err != nil {
		return nil, err
	}
	return t.up, nil
}

// Change implements control.Switch.
func (c *Client) Change(ctx context.Context, change control.Change) error {
	t, err := c.read(ctx)
	if err != nil {
		return err
	}
	if err := t.change(change); err != nil {
		return &control.Refusal{Why: err.Error()}
	}
	data, err := t.encode()
	if err != nil {
		return err
	}
	return files.Write(c.File, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Close implements control.Switch.
func (c *Client) Close() error { return nil }
