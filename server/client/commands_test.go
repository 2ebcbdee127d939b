package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/server"
	"github.com/lightpath-net/lightpath/server/client"
)

// The client calls every command of the API with the example of its description, and its answer
// loses nothing of the service's answer.
func TestAnswersLoseNothing(t *testing.T) {
	service, err := server.New(t.Context(), server.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	web := httptest.NewServer(service.Handler())
	defer web.Close()
	c, list := &client.Client{Base: web.URL}, lightpath.Commands()
	var doc struct {
		Paths map[string]struct {
			Post struct {
				Tags        []string
				RequestBody struct {
					Content map[string]struct{ Example json.RawMessage }
				}
			}
		}
	}
	if err := json.Unmarshal(fetch(t, http.MethodGet, web.URL+"/openapi.json", ""), &doc); err != nil {
		t.Fatal(err)
	}
	example := func(path string) string {
		return string(doc.Paths[path].Post.RequestBody.Content["application/json"].Example)
	}
	answer, err := http.Post(web.URL+"/v1/plan", "application/json", strings.NewReader(example("/v1/plan")))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	id, count := answer.Header.Get("Lightpath-Plan"), 0
	for path, at := range doc.Paths {
		if len(at.Post.Tags) == 0 {
			continue
		}
		count++
		name := strings.TrimPrefix(path, "/v1/")
		text := strings.ReplaceAll(example(path), "PLAN", id)
		i := slices.IndexFunc(list, func(l lightpath.Command) bool { return l.Name == name })
		if i < 0 {
			t.Errorf("%s is no command", name)
			continue
		}
		request, err := list[i].Read([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := c.Request(t.Context(), request, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if list[i].Long {
			continue // its answer is at another place, and may be a measurement
		}
		said, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		if want := fetch(t, http.MethodPost, web.URL+path, text); !reflect.DeepEqual(plain(t, said), plain(t, want)) {
			t.Errorf("%s: the client has\n%s\nand the service said\n%s", name, said, want)
		}
	}
	if count < 19 {
		t.Errorf("%d commands", count)
	}
}

func fetch(t *testing.T, method, url, body string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func plain(t *testing.T, data []byte) (value any) {
	t.Helper()
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// A job is cancelled when its client stops waiting.
func TestJobsEndWithTheirContext(t *testing.T) {
	service, err := server.New(t.Context(), server.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	web := httptest.NewServer(service.Handler())
	defer web.Close()
	c := &client.Client{Base: web.URL}
	ctx, stop := context.WithCancel(t.Context())
	_, err = c.Sweep(ctx, grid("1KiB..1GiB", 200), func(client.Event) { stop() })
	if err == nil {
		t.Fatal("a sweep of a context that had ended has an answer")
	}
	list, err := c.Jobs(t.Context(), "")
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	over, err := c.Follow(t.Context(), list[0].ID, nil)
	if err != nil || over.State != server.Cancelled {
		t.Errorf("%+v %v", over, err)
	}
}
