package server_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/server"
	"github.com/lightpath-net/lightpath/units"
)

const smallPlan = `{"operations":[{"op":"allreduce","size":"1MiB"}],"fabric":{"nodes":8,"ports":1}}`

// Unchanging answers have a validator: a client that already has an answer does not get it again.
func TestWhatDoesNotChangeIsSentOnce(t *testing.T) {
	_, base := started(t, server.Config{})
	status, header, data := call(t, "POST", base+"/v1/plan", smallPlan)
	if status != 200 {
		t.Fatalf("%d %s", status, data)
	}
	if got := header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("an answer to POST: Cache-Control %q", got)
	}
	plan := "/v1/plans/" + header.Get("Lightpath-Plan")
	for path, policy := range map[string]string{
		plan: "private, max-age=31536000, immutable", plan + "/figure": "private, no-cache", plan + "/film": "private, no-cache",
		"/": "private, no-cache", "/main.js": "private, no-cache", "/style.css": "private, no-cache", "/openapi.json": "private, no-cache",
	} {
		status, header, data := call(t, "GET", base+path, "")
		tag := header.Get("ETag")
		if status != 200 || tag == "" || header.Get("Cache-Control") != policy || len(data) == 0 {
			t.Errorf("%s: %d, ETag %q, Cache-Control %q", path, status, tag, header.Get("Cache-Control"))
		}
		for _, known := range []string{tag, strings.TrimPrefix(tag, "W/"), `"x", ` + tag, "*"} {
			if status, _, data := call(t, "GET", base+path, "", "If-None-Match", known); status != http.StatusNotModified || len(data) > 0 {
				t.Errorf("%s, If-None-Match %s: %d and %d bytes", path, known, status, len(data))
			}
		}
		if status, _, _ := call(t, "GET", base+path, "", "If-None-Match", `"other"`); status != 200 {
			t.Errorf("%s of another validator: %d", path, status)
		}
	}
	if status, _, _ := call(t, "GET", base+"/v1/plans/none", "", "If-None-Match", "*"); status != http.StatusNotFound {
		t.Errorf("a plan that is not there: %d", status)
	}
}

// Long answers are compressed for clients that accept it, and decompress to the same bytes.
func TestLongAnswersAreCompressed(t *testing.T) {
	_, base := started(t, server.Config{})
	call(t, "POST", base+"/v1/plan", smallPlan)
	for path, long := range map[string]bool{"/main.js": true, "/style.css": true, "/openapi.json": true, "/v1/export": true, "/healthz": false, "/v1/jobs": false} {
		_, header, plain := call(t, "GET", base+path, "", "Accept-Encoding", "identity")
		if header.Get("Content-Encoding") != "" {
			t.Errorf("%s: compressed for somebody who does not accept it", path)
		}
		for _, accepts := range []string{"gzip", "br, gzip;q=0.5", "*"} {
			_, header, data := call(t, "GET", base+path, "", "Accept-Encoding", accepts)
			if got := header.Get("Content-Encoding") == "gzip"; got != long {
				t.Errorf("%s, %s: compressed %v", path, accepts, got)
			}
			if !long {
				continue
			}
			if len(data) >= len(plain) || header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s: %d bytes of %d, Vary %q", path, len(data), len(plain), header.Get("Vary"))
			}
			zip, err := gzip.NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(path, err)
			}
			if whole, err := io.ReadAll(zip); err != nil || !bytes.Equal(whole, plain) {
				t.Errorf("%s: another answer when compressed, %v", path, err)
			}
		}
		for _, refuses := range []string{"gzip;q=0", "br", "gzip;q=0, *"} {
			if _, header, _ := call(t, "GET", base+path, "", "Accept-Encoding", refuses); header.Get("Content-Encoding") != "" {
				t.Errorf("%s, %s: compressed", path, refuses)
			}
		}
	}
}

// A body whose declared length is too long is refused before any of it is read.
func TestABodyThatSaysItIsTooLongIsNotRead(t *testing.T) {
	_, base := started(t, server.Config{Limits: server.Limits{Body: units.MiB}})
	body := &endless{}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/v1/plan", io.LimitReader(body, 1<<30))
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = 1 << 30
	r.Header.Set("Expect", "100-continue") // so that the client waits for permission
	answer, err := (&http.Client{Transport: &http.Transport{ExpectContinueTimeout: 1 << 40}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusRequestEntityTooLarge || body.read.Load() != 0 {
		t.Errorf("%s after %d bytes", answer.Status, body.read.Load())
	}
}

// Limits are those of the service, not of the library.
func TestRangesAreThoseOfTheService(t *testing.T) {
	_, base := started(t, server.Config{Limits: server.Limits{Nodes: 100, Ranks: 4}})
	for _, body := range []string{
		`{"operations":[{"op":"allreduce","size":"1MiB"}],"fabric":{"nodes":-3,"ports":1}}`,
		`{"operations":[{"op":"allreduce","size":"1MiB"}],"fabric":{"nodes":1,"ports":1}}`,
	} {
		status, _, data := call(t, "POST", base+"/v1/plan", body)
		if got := decode[server.Error](t, data).Error; status != 422 || got.Field != "fabric.nodes" || !strings.HasSuffix(got.Problem, "is not in 2..100") {
			t.Errorf("%s: %d %+v", body, status, got)
		}
	}
	_, header, _ := call(t, "POST", base+"/v1/plan", smallPlan)
	status, _, data := call(t, "POST", base+"/v1/emulate", `{"plan":{"id":"`+header.Get("Lightpath-Plan")+`"},"no_wait":true}`)
	if got := decode[server.Error](t, data).Error; status != 422 || got.Field != "plan" || !strings.Contains(got.Problem, "8 ranks") {
		t.Errorf("too many ranks: %d %+v", status, got)
	}
}
