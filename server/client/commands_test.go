package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/server"
	"github.com/lightpath-net/lightpath/server/client"
)

// Every command of the API has a method of its name that asks the example of its description,
// and whose answer says all that the service said.
func TestEveryCommandHasAMethodThatLosesNothing(t *testing.T) {
	service, err := server.New(t.Context(), server.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	web := httptest.NewServer(service.Handler())
	defer web.Close()
	c := &client.Client{Base: web.URL}
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
		method := reflect.ValueOf(c).MethodByName(strings.ToUpper(name[:1]) + name[1:])
		if !method.IsValid() {
			t.Errorf("%s has no method", name)
			continue
		}
		request := reflect.New(method.Type().In(1))
		if err := json.Unmarshal([]byte(text), request.Interface()); err != nil {
			t.Fatal(err)
		}
		in := []reflect.Value{reflect.ValueOf(t.Context()), request.Elem()}
		job := method.Type().NumIn() == 3
		if job {
			in = append(in, reflect.Zero(method.Type().In(2)))
		}
		out := method.Call(in)
		if err, _ := out[len(out)-1].Interface().(error); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if job {
			continue // its answer is at another place, and may be a measurement
		}
		said, err := json.Marshal(out[0].Interface())
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

// A job that nobody waits for any more is cancelled.
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
