// Package restconf drives optical switches by RESTCONF (RFC 8040) with the model optical-switch,
// as Polatis switches offer it below /api/data, and is the face of an emulated switch that
// speaks it.
//
// A change is one PUT of all cross-connects: the state that was read, without the disconnected
// ones and with the new ones. If the switch gives an ETag, the PUT has it, so that the switch
// refuses to overwrite a change made in between. The PUT includes cross-connects of others,
// which stay.
package restconf

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/opticalswitch"
)

// Ports of Polatis' service, with and without TLS.
const (
	Port      = 443
	PlainPort = 8008
)

// data is the path of the datastore.
const data = "/api/data/"

// media is the type of documents.
const media = "application/yang-data+json"

// Paths of the resources that are read and written.
const (
	crosses = data + opticalswitch.Module + ":" + opticalswitch.Crosses
	product = data + opticalswitch.Module + ":" + opticalswitch.Product
)

// Client is a switch that speaks RESTCONF.
type Client struct {
	Address, User, Secret string
	TLS                   *tls.Config // nil: plain HTTP

	http *http.Client
}

// ask sends a request and reads the answer.
func (c *Client) ask(ctx context.Context, method, path string, body []byte, header http.Header) (*http.Response, []byte, error) {
	if c.http == nil {
		c.http = &http.Client{
			Transport:     &http.Transport{TLSClientConfig: c.TLS, MaxIdleConns: 1, DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	scheme := "https://"
	if c.TLS == nil {
		scheme = "http://"
	}
	request, err := http.NewRequestWithContext(ctx, method, scheme+c.Address+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(request.Header, header)
	request.Header.Set("Accept", media)
	if body != nil {
		request.Header.Set("Content-Type", media)
	}
	if c.Secret != "" {
		request.SetBasicAuth(c.User, c.Secret)
	}
	answer, err := c.http.Do(request)
	if err != nil {
		c.http.CloseIdleConnections()
		return nil, nil, cause(ctx, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, opticalswitch.MaxBytes+1))
	if err != nil {
		return nil, nil, cause(ctx, err)
	}
	return answer, text, nil
}

// cause removes the URL, with method and path, from an error, because it adds nothing.
func cause(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errors.New("no answer in time")
	}
	for inner := errors.Unwrap(err); inner != nil && strings.Contains(err.Error(), "://"); inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}

// Size reads the number of ports in the name of the product.
func (c *Client) Size(ctx context.Context) (control.Size, error) {
	answer, text, err := c.ask(ctx, http.MethodGet, product, nil, nil)
	if err != nil {
		return control.Size{}, err
	}
	if err := judge(answer, text); err != nil {
		return control.Size{}, err
	}
	model, err := parseProduct(text)
	if err != nil {
		return control.Size{}, err
	}
	return opticalswitch.SizeOf(model)
}

// parseProduct finds the name of the model.
func parseProduct(text []byte) (string, error) {
	var doc map[string]map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		return "", fmt.Errorf("product: %w", err)
	}
	model, _ := doc[opticalswitch.Module+":"+opticalswitch.Product][opticalswitch.ModelName].(string)
	return model, nil
}

// State reads the cross-connects.
func (c *Client) State(ctx context.Context) (control.State, error) {
	up, _, err := c.read(ctx)
	return up, err
}

// read reads the cross-connects and their version.
func (c *Client) read(ctx context.Context) (control.State, string, error) {
	answer, text, err := c.ask(ctx, http.MethodGet, crosses, nil, nil)
	if err != nil {
		return nil, "", err
	}
	none := answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusNoContent
	if none { // there are no pairs, RFC 8040, 4.3
		return control.State{}, answer.Header.Get("ETag"), nil
	}
	if err := judge(answer, text); err != nil {
		return nil, "", err
	}
	up, err := opticalswitch.DecodeJSON(text)
	if err != nil {
		return nil, "", fmt.Errorf("cross-connects: %w", err)
	}
	return up, answer.Header.Get("ETag"), nil
}

// Change puts the current state with the change applied.
func (c *Client) Change(ctx context.Context, change control.Change) error {
	up, version, err := c.read(ctx)
	if err != nil {
		return err
	}
	if err := change.Apply(up); err != nil {
		return &control.Refusal{Why: err.Error()}
	}
	body, err := opticalswitch.EncodeJSON(up)
	if err != nil {
		return err
	}
	header := http.Header{}
	if version != "" {
		header.Set("If-Match", version)
	}
	answer, text, err := c.ask(ctx, http.MethodPut, crosses, body, header)
	if err != nil {
		return err
	}
	return judge(answer, text)
}

// judge returns nil if an answer says that the request succeeded (2xx). 4xx is a refusal; after
// any other status the effect is unknown.
func judge(answer *http.Response, text []byte) error {
	switch code := answer.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code >= 400 && code < 500:
		return &control.Refusal{Why: strings.TrimSpace(answer.Status + " " + parseErrors(text))}
	}
	return fmt.Errorf("answers %s", answer.Status)
}

// parseErrors finds the first message of a refusal.
func parseErrors(text []byte) string {
	var doc struct {
		Errors struct {
			Error []struct {
				Tag     string `json:"error-tag"`
				Message string `json:"error-message"`
			} `json:"error"`
		} `json:"ietf-restconf:errors"`
	}
	if json.Unmarshal(text, &doc) != nil || len(doc.Errors.Error) == 0 {
		return ""
	}
	first := doc.Errors.Error[0]
	return fmt.Sprintf("%.200s", strings.Join(strings.Fields(first.Tag+": "+first.Message), " "))
}

// Close ends connections; the next request opens new ones.
func (c *Client) Close() error {
	if c.http != nil {
		c.http.CloseIdleConnections()
	}
	return nil
}
