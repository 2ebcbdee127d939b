// Package client is a client of a lightpath service, with the requests and answers of package
// lightpath.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/server"
)

// Client is a client of a service. It is safe for concurrent use.
type Client struct {
	Base  string       // e.g. "http://127.0.0.1:8080"
	Token string       // "" if the service needs none
	HTTP  *http.Client // nil: http.DefaultClient
	// Commands are the commands of the service; nil: lightpath.Commands().
	Commands []lightpath.Command
}

// Error is an error that the service returned.
type Error struct {
	Status int // of HTTP
	server.Problem
	Others []server.Problem // more problems of the same request
}

// Error returns the field and what is wrong with it.
func (e *Error) Error() string {
	if e.Field != "" {
		return e.Field + ": " + e.Problem.Problem
	}
	return e.Problem.Problem
}

// do sends a request. The caller closes the body of the answer.
func (c *Client) do(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.Base, "/")+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	web := cmp.Or(c.HTTP, http.DefaultClient)
	answer, err := web.Do(r)
	if err != nil || answer.StatusCode < 300 {
		return answer, err
	}
	defer answer.Body.Close()
	failed := &Error{Status: answer.StatusCode}
	var doc server.Error
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<16))
	if err == nil {
		err = json.Unmarshal(text, &doc)
	}
	if failed.Problem, failed.Others = doc.Error, doc.Others; err != nil {
		failed.Problem.Problem = fmt.Sprintf("%s: %.200s", answer.Status, text)
	}
	return nil, failed
}

// ask sends a request, decodes the answer, and returns its headers.
func (c *Client) ask(ctx context.Context, method, path string, body, into any) (http.Header, error) {
	answer, err := c.do(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return answer.Header, nil
}

// get decodes the resource at a path.
func get[A any](ctx context.Context, c *Client, path string) (*A, error) {
	a := new(A)
	if _, err := c.ask(ctx, http.MethodGet, path, nil, a); err != nil {
		return nil, err
	}
	return a, nil
}

// post decodes the answer to a request.
func post[A any](ctx context.Context, c *Client, name string, request any) (*A, error) {
	a := new(A)
	if _, err := c.ask(ctx, http.MethodPost, "/v1/"+name, request, a); err != nil {
		return nil, err
	}
	return a, nil
}

// remove deletes the resource at a path.
func (c *Client) remove(ctx context.Context, path string) error {
	answer, err := c.do(ctx, http.MethodDelete, path, nil)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}
