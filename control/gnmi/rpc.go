package gnmi

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/control"
)

// maxMessage bounds a message.
const maxMessage = 8 << 20

// service is the path of the service; a method follows.
const service = "/gnmi.gNMI/"

// media is the type of bodies.
const media = "application/grpc"

// Codes of gRPC.
const (
	codeOK              = 0
	codeInvalid         = 3
	codeDeadline        = 4
	codeNotFound        = 5
	codeExists          = 6
	codeDenied          = 7
	codePrecondition    = 9
	codeAborted         = 10
	codeRange           = 11
	codeUnimplemented   = 12
	codeUnauthenticated = 16
	codeInternal        = 13
)

// refuses reports whether a code says that the request was understood and not executed. Other
// codes leave it open, because the answer may have been lost in transit.
func refuses(code int) bool {
	switch code {
	case codeInvalid, codeNotFound, codeExists, codeDenied, codePrecondition, codeAborted, codeRange, codeUnimplemented, codeUnauthenticated:
		return true
	}
	return false
}

// frame puts a length before a message, as gRPC does.
func frame(message []byte) []byte {
	head := make([]byte, 5, 5+len(message))
	binary.BigEndian.PutUint32(head[1:], uint32(len(message)))
	return append(head, message...)
}

// unframe reads one message.
func unframe(r io.Reader) ([]byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head[1:])
	if head[0] != 0 || size > maxMessage {
		return nil, fmt.Errorf("a message that is compressed, or of more than %d bytes", maxMessage)
	}
	message, err := io.ReadAll(io.LimitReader(r, int64(size)))
	if err == nil && len(message) < int(size) {
		err = io.ErrUnexpectedEOF
	}
	return message, err
}

// newHTTP makes a client of HTTP/2, with or without TLS.
func newHTTP(secure *tls.Config) *http.Client {
	t := &http.Transport{TLSClientConfig: secure, Protocols: new(http.Protocols), DisableCompression: true}
	t.Protocols.SetHTTP2(secure != nil)
	t.Protocols.SetUnencryptedHTTP2(secure == nil)
	return &http.Client{Transport: t}
}

// call calls a method that takes one message and answers with one.
func (c *Client) call(ctx context.Context, method string, message []byte) ([]byte, error) {
	if c.http == nil {
		c.http = newHTTP(c.TLS)
	}
	r, err := c.request(ctx, method, bytes.NewReader(frame(message)))
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, c.failed(ctx, err)
	}
	defer answer.Body.Close()
	if err := isGRPC(answer); err != nil {
		return nil, err
	}
	got, read := unframe(answer.Body)
	if read == nil || errors.Is(read, io.EOF) {
		_, err = io.Copy(io.Discard, io.LimitReader(answer.Body, maxMessage)) // up to the trailers
	}
	if err != nil {
		return nil, c.failed(ctx, err)
	}
	if err := judge(statusOf(answer)); err != nil {
		return nil, err
	}
	if read != nil {
		return nil, c.failed(ctx, read)
	}
	return got, nil
}

// request makes the request of a method.
func (c *Client) request(ctx context.Context, method string, body io.Reader) (*http.Request, error) {
	scheme := "https://"
	if c.TLS == nil {
		scheme = "http://"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, scheme+c.Address+service+method, body)
	if err != nil {
		return nil, err
	}
	r.GetBody = nil // nothing is sent twice
	r.Header.Set("Content-Type", media)
	r.Header.Set("TE", "trailers")
	if c.Secret != "" {
		r.Header.Set("username", c.User)
		r.Header.Set("password", c.Secret)
	}
	return r, nil
}

// isGRPC returns an error if an answer is not gRPC.
func isGRPC(answer *http.Response) error {
	if answer.StatusCode != http.StatusOK || !strings.HasPrefix(answer.Header.Get("Content-Type"), media) {
		return fmt.Errorf("answers %s, which is not gRPC", answer.Status)
	}
	return nil
}

// statusOf reads the status of a call after its body has been read.
func statusOf(answer *http.Response) (status, why string) {
	status, why = answer.Trailer.Get("Grpc-Status"), answer.Trailer.Get("Grpc-Message")
	if status == "" { // without a body, headers are the trailers
		status, why = answer.Header.Get("Grpc-Status"), answer.Header.Get("Grpc-Message")
	}
	return status, why
}

// failed closes the connection, and says briefly what went wrong.
func (c *Client) failed(ctx context.Context, err error) error {
	c.http.CloseIdleConnections()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errors.New("no answer in time")
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// judge reads the status of a call.
func judge(status, why string) error {
	code, err := strconv.Atoi(status)
	if err != nil {
		return fmt.Errorf("status %.20q, not a code of gRPC", status)
	}
	if code == codeOK {
		return nil
	}
	if plain, err := url.PathUnescape(why); err == nil {
		why = plain
	}
	why = fmt.Sprintf("%.200s", strings.Join(strings.Fields(why), " "))
	if refuses(code) {
		return &control.Refusal{Why: fmt.Sprintf("code %d, %s", code, why)}
	}
	return fmt.Errorf("code %d: %s", code, why)
}
