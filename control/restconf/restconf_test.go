package restconf_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/emulated"
	"github.com/lightpath-net/lightpath/control/restconf"
)

const crosses = "/api/data/optical-switch:cross-connects"

// TestASwitchAnswersAsPublishedClientsExpect covers PUT of all pairs and of one pair, GET,
// DELETE, and refusals.
func TestASwitchAnswersAsPublishedClientsExpect(t *testing.T) {
	sw := emulated.New(8, 0, nil)
	server := httptest.NewServer(restconf.Face{User: "admin", Secret: "root"}.Handler(sw))
	defer server.Close()
	ask := func(method, path, body string, match ...string) (int, string) {
		t.Helper()
		r, err := http.NewRequest(method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth("admin", "root")
		for _, m := range match {
			r.Header.Set("If-Match", m)
		}
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		text, _ := io.ReadAll(got.Body)
		return got.StatusCode, strings.TrimSpace(string(text))
	}
	for _, c := range []struct {
		method, path, body string
		code               int
		want               string
	}{
		{"GET", crosses, "", 200, `{"optical-switch:cross-connects":{"pair":[]}}`},
		{"PUT", crosses, `{"optical-switch:cross-connects":{"pair":[{"ingress":1,"egress":13},{"ingress":5,"egress":9}]}}`, 204, ""},
		{"GET", crosses, "", 200, `{"optical-switch:cross-connects":{"pair":[{"ingress":1,"egress":13},{"ingress":5,"egress":9}]}}`},
		{"GET", crosses + "/pair=5", "", 200, `{"optical-switch:cross-connects":{"pair":[{"ingress":5,"egress":9}]}}`},
		{"GET", crosses + "/pair=6", "", 404, ""},
		{"PUT", crosses + "/pair=6", `{"optical-switch:pair":[{"ingress":"6","egress":"16"}]}`, 204, ""},
		{"DELETE", crosses + "/pair=5", "", 204, ""},
		{"GET", crosses, "", 200, `{"optical-switch:cross-connects":{"pair":[{"ingress":1,"egress":13},{"ingress":6,"egress":16}]}}`},
		{"PUT", crosses, `{"pair":[{"ingress":1,"egress":13},{"ingress":2,"egress":13}]}`, 400, ""},
		{"PUT", crosses, `{"pair":[{"ingress":1,"egress":99}]}`, 409, ""},
		{"PUT", crosses, `{"pair":[{"ingress":1}]}`, 400, ""},
		{"PUT", crosses, `no`, 400, ""},
		{"PUT", crosses, ``, 400, ""},
		{"PUT", crosses, `{}`, 400, ""},
		{"PUT", crosses, `null`, 400, ""},
		{"PUT", crosses, `{"optical-switch:cross-connects":null}`, 400, ""},
		{"PUT", crosses, `{"optical-switch:cross-connects":{"pair":null}}`, 400, ""},
		{"GET", crosses, "", 200, `{"optical-switch:cross-connects":{"pair":[{"ingress":1,"egress":13},{"ingress":6,"egress":16}]}}`},
		{"PUT", crosses + "/pair=2", `{"pair":[{"ingress":3,"egress":10}]}`, 400, ""},
		{"PATCH", crosses, "", 405, ""},
		{"GET", "/api/data/else", "", 404, ""},
		{"DELETE", crosses, "", 204, ""},
		{"GET", "/api/data/optical-switch:product-information", "", 200, `{"optical-switch:product-information":{"manufacturer":"Lightpath","model-name":"emulated-8x8"}}`},
	} {
		code, text := ask(c.method, c.path, c.body)
		if code != c.code || c.want != "" && text != c.want {
			t.Errorf("%s %s %s: %d %s", c.method, c.path, c.body, code, text)
		}
	}
	if code, _ := ask("PUT", crosses, `{"pair":[]}`, `"old"`); code != 412 {
		t.Errorf("a change of what has changed meanwhile is %d", code)
	}
	if got, err := http.Get(server.URL + crosses); err != nil || got.StatusCode != 401 {
		t.Errorf("a stranger gets %v, %v", got, err)
	}
}

// TestAnAnswerThatSaysNothingIsNotNothingUp: an answer without the container is an error, not an
// empty state, and no PUT follows it.
func TestAnAnswerThatSaysNothingIsNotNothingUp(t *testing.T) {
	for text, known := range map[string]bool{
		`{"foo":1}`: false, `{"ietf-restconf:errors":{"error":[]}}`: false, `null`: false, `{}`: false, ``: false, `[]`: false,
		`{"optical-switch:cross-connects":null}`: false, `{"optical-switch:cross-connects":{"foo":[]}}`: false, `{"pair":null}`: false,
		`{"optical-switch:cross-connects":{}}`: true, `{"optical-switch:cross-connects":{"pair":[]}}`: true, `{"pair":[]}`: true,
	} {
		puts := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut {
				puts++
			}
			io.WriteString(w, text)
		}))
		c := &restconf.Client{Address: strings.TrimPrefix(server.URL, "http://")}
		up, err := c.State(t.Context())
		if (err == nil) != known {
			t.Errorf("%s: %v, %v", text, up, err)
		}
		err = c.Change(t.Context(), control.Change{Connect: []control.Cross{{Ingress: 1, Egress: 9}}})
		if (err == nil) != known || (puts == 1) != known {
			t.Errorf("%s: %v, with %d changes sent", text, err, puts)
		}
		c.Close()
		server.Close()
	}
}

// FuzzAnswers: for any answer of a switch, the driver returns a model's name and a one-line
// message.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`{"ietf-restconf:errors":{"error":[{"error-tag":"in-use","error-message":"a\nb"}]}}`))
	f.Add([]byte(`{"optical-switch:product-information":{"model-name":"8x8"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if why := restconf.ParseErrors(text); strings.ContainsAny(why, "\n\r") {
			t.Errorf("%q: %q", text, why)
		}
		restconf.ParseProduct(text)
	})
}
