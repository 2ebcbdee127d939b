package restconf

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/opticalswitch"
)

// Face lets clients reach a switch.
type Face struct {
	User, Secret string      // "": every client is let in
	TLS          *tls.Config // nil: plain HTTP
}

// Serve lets clients reach a switch by RESTCONF until the context ends.
func (f Face) Serve(ctx context.Context, listener net.Listener, to control.Switch) error {
	if f.TLS != nil {
		listener = tls.NewListener(listener, f.TLS)
	}
	server := &http.Server{
		Handler: f.Handler(to), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, MaxHeaderBytes: 1 << 16,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	err := server.Serve(listener)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// Handler answers requests.
func (f Face) Handler(to control.Switch) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, secret, _ := r.BasicAuth()
		if f.Secret != "" && subtle.ConstantTimeCompare([]byte(user+"\x00"+secret), []byte(f.User+"\x00"+f.Secret)) != 1 {
			w.Header().Set("WWW-Authenticate", `Basic realm="switch"`)
			no(w, http.StatusUnauthorized, "access-denied", "user or password")
			return
		}
		err := answer(w, r, to)
		var refusal *control.Refusal
		switch {
		case errors.Is(err, control.ErrSilent): // until the client gives up
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		case errors.As(err, &refusal):
			no(w, http.StatusConflict, "in-use", refusal.Why)
		case err != nil:
			no(w, http.StatusInternalServerError, "operation-failed", err.Error())
		}
	})
}

// no writes a refusal.
func no(w http.ResponseWriter, code int, tag, why string) {
	w.Header().Set("Content-Type", media)
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]any{"ietf-restconf:errors": map[string]any{
		"error": []map[string]string{{"error-type": "application", "error-tag": tag, "error-message": why}},
	}}) // the client has left
}

// yes writes a document.
func yes(w http.ResponseWriter, document []byte) {
	w.Header().Set("Content-Type", media)
	_, _ = w.Write(document) // the client has left
}

// version returns the ETag of a state.
func version(up control.State) string {
	text, _ := opticalswitch.EncodeJSON(up)
	sum := sha256.Sum256(text)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

// answer executes a request.
func answer(w http.ResponseWriter, r *http.Request, to control.Switch) error {
	pair, ofPair := strings.CutPrefix(r.URL.Path, crosses+"/"+opticalswitch.Pair+"=")
	if !ofPair {
		pair = ""
	}
	switch {
	case r.URL.Path == product && r.Method == http.MethodGet:
		size, err := to.Size(r.Context())
		if err != nil {
			return err
		}
		text, err := json.Marshal(map[string]any{opticalswitch.Module + ":" + opticalswitch.Product: map[string]string{
			"manufacturer": "Lightpath", opticalswitch.ModelName: opticalswitch.ModelOf(size),
		}})
		yes(w, text)
		return err
	case r.URL.Path == crosses || ofPair:
		return answerCrosses(w, r, to, pair)
	}
	no(w, http.StatusNotFound, "invalid-value", "no such resource")
	return nil
}

// answerCrosses reads or changes cross-connects: all of them, or that of one ingress port.
func answerCrosses(w http.ResponseWriter, r *http.Request, to control.Switch, pair string) error {
	up, err := to.State(r.Context())
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(pair)
	if pair != "" && (err != nil || number < 1) {
		no(w, http.StatusBadRequest, "invalid-value", "the key of a pair is its ingress port")
		return nil
	}
	if want := r.Header.Get("If-Match"); want != "" && want != "*" && want != version(up) {
		no(w, http.StatusPreconditionFailed, "operation-failed", "changed meanwhile")
		return nil
	}
	part := control.State{}
	if out, there := up[number]; there {
		part[number] = out
	}
	next := maps.Clone(up)
	switch r.Method {
	case http.MethodGet:
		if pair != "" && len(part) == 0 {
			no(w, http.StatusNotFound, "invalid-value", "not connected")
			return nil
		}
		if pair == "" {
			part = up
		}
		w.Header().Set("ETag", version(up))
		text, err := opticalswitch.EncodeJSON(part)
		yes(w, text)
		return err
	case http.MethodPut:
		body, err := io.ReadAll(io.LimitReader(r.Body, opticalswitch.MaxBytes+1))
		if err != nil {
			return err
		}
		want, err := opticalswitch.DecodeJSON(body)
		if _, named := want[number]; err != nil || pair != "" && (len(want) != 1 || !named) {
			no(w, http.StatusBadRequest, "malformed-message", "want pairs of ingress and egress ports")
			return nil //nolint:nilerr // the client is told
		}
		if pair == "" {
			clear(next)
		}
		maps.Copy(next, want)
	case http.MethodDelete:
		if pair == "" {
			clear(next)
		}
		delete(next, number)
	default:
		w.Header().Set("Allow", "GET, PUT, DELETE")
		no(w, http.StatusMethodNotAllowed, "operation-not-supported", "GET, PUT or DELETE")
		return nil
	}
	// A client that leaves now does not stop the switch.
	if err := to.Change(context.WithoutCancel(r.Context()), control.Difference(up, next)); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
