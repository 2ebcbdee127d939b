package gnmi

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/opticalswitch"
)

// Face lets clients reach a switch.
type Face struct {
	User, Secret string      // "": every client is let in
	TLS          *tls.Config // nil: none
}

// Serve lets clients reach a switch by gNMI until the context ends.
func (f Face) Serve(ctx context.Context, listener net.Listener, to control.Switch) error {
	server := &http.Server{
		Handler: f.Handler(to), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 1 << 16, Protocols: new(http.Protocols),
		TLSConfig: f.TLS, BaseContext: func(net.Listener) context.Context { return ctx },
	}
	server.Protocols.SetHTTP2(true)
	server.Protocols.SetUnencryptedHTTP2(f.TLS == nil)
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	serve := server.Serve
	if f.TLS != nil {
		serve = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
	}
	err := serve(listener)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// status is a call that ends with another code than 0.
type status struct {
	code int
	why  string
}

func (s *status) Error() string { return s.why }

// Handler answers calls.
func (f Face) Handler(to control.Switch) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || !strings.HasPrefix(r.Header.Get("Content-Type"), media) {
			http.Error(w, "want gRPC", http.StatusUnsupportedMediaType)
			return
		}
		w.Header().Set("Content-Type", media)
		w.Header().Set("Trailer", "Grpc-Status, Grpc-Message")
		var answer []byte
		var err error
		if r.URL.Path == service+"Subscribe" {
			if err = f.subscribe(w, r, to); r.Context().Err() != nil {
				panic(http.ErrAbortHandler) // the client has left
			}
		} else {
			answer, err = f.answer(r, to)
		}
		var refusal *control.Refusal
		var end *status
		switch {
		case errors.Is(err, control.ErrSilent): // until the client gives up
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		case errors.As(err, &refusal):
			end = &status{codePrecondition, refusal.Why}
		case errors.As(err, &end):
		case err != nil:
			end = &status{codeInternal, err.Error()}
		default:
			end = &status{codeOK, ""}
			if _, err := w.Write(frame(answer)); err != nil {
				return
			}
		}
		w.Header().Set("Grpc-Status", strconv.Itoa(end.code))
		w.Header().Set("Grpc-Message", url.PathEscape(end.why))
	})
}

// admit reads the message of an authorized client.
func (f Face) admit(r *http.Request) ([]byte, error) {
	given := r.Header.Get("username") + "\x00" + r.Header.Get("password")
	if f.Secret != "" && subtle.ConstantTimeCompare([]byte(given), []byte(f.User+"\x00"+f.Secret)) != 1 {
		return nil, &status{codeUnauthenticated, "user or password"}
	}
	message, err := unframe(r.Body)
	if err != nil {
		return nil, &status{codeInvalid, err.Error()}
	}
	return message, nil
}

// answer executes a call.
func (f Face) answer(r *http.Request, to control.Switch) ([]byte, error) {
	message, err := f.admit(r)
	if err != nil {
		return nil, err
	}
	// A client that leaves now does not stop the switch.
	return carry(context.WithoutCancel(r.Context()), strings.TrimPrefix(r.URL.Path, service), message, to)
}

// carry executes a method.
func carry(ctx context.Context, method string, message []byte, to control.Switch) ([]byte, error) {
	now := time.Now().UnixNano()
	switch method {
	case "Capabilities":
		return encodeCapabilities(), nil
	case "Get":
		paths, err := decodeGet(message)
		if err != nil {
			return nil, &status{codeInvalid, err.Error()}
		}
		var values []update
		for _, p := range paths {
			v, err := valueOf(ctx, p, to)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
		return encodeValues(now, values), nil
	case "Set":
		s, err := decodeSet(message)
		if err != nil {
			return nil, &status{codeInvalid, err.Error()}
		}
		up, err := to.State(ctx)
		if err != nil {
			return nil, err
		}
		next, err := s.applied(up)
		if err != nil {
			return nil, err
		}
		if err := to.Change(ctx, control.Difference(up, next)); err != nil {
			return nil, err
		}
		return encodeDone(now, s), nil
	}
	return nil, &status{codeUnimplemented, "want Capabilities, Get, Set or Subscribe"}
}

// valueOf reads a path.
func valueOf(ctx context.Context, p path, to control.Switch) (update, error) {
	up, err := to.State(ctx)
	if err != nil {
		return update{}, err
	}
	switch {
	case len(p.elems) == 1 && p.is(0, opticalswitch.Crosses):
		text, err := json.Marshal(map[string]any{opticalswitch.Module + ":" + opticalswitch.Pair: opticalswitch.NewCrossConnects(up).Pairs})
		return update{p, text}, err
	case len(p.elems) == 1 && p.is(0, opticalswitch.Product):
		size, err := to.Size(ctx)
		if err != nil {
			return update{}, err
		}
		text, err := json.Marshal(map[string]string{opticalswitch.Module + ":" + opticalswitch.ModelName: opticalswitch.ModelOf(size)})
		return update{p, text}, err
	}
	ingress, err := ingressOf(p)
	out, there := up[ingress]
	if err != nil || !there {
		return update{}, &status{codeNotFound, fmt.Sprintf("%v: not there", p)}
	}
	text, err := json.Marshal(opticalswitch.NewPair(control.Cross{Ingress: ingress, Egress: out}))
	return update{p, text}, err
}

// applied returns the state after a request: deletes come first, then replaces, then updates.
func (s set) applied(up control.State) (control.State, error) {
	next := maps.Clone(up)
	for _, p := range s.deletes {
		if len(p.elems) == 1 && p.is(0, opticalswitch.Crosses) {
			clear(next)
			continue
		}
		ingress, err := ingressOf(p)
		if err != nil {
			return nil, &status{codeInvalid, err.Error()}
		}
		delete(next, ingress) // deleting a missing pair is allowed
	}
	for i, u := range append(append([]update(nil), s.replaces...), s.updates...) {
		if len(u.path.elems) == 1 && u.path.is(0, opticalswitch.Crosses) {
			all, err := decode(u.json)
			if err != nil {
				return nil, &status{codeInvalid, err.Error()}
			}
			if i < len(s.replaces) {
				clear(next)
			}
			maps.Copy(next, all)
			continue
		}
		x, err := crossOf(u)
		if err != nil {
			return nil, &status{codeInvalid, err.Error()}
		}
		next[x.Ingress] = x.Egress
	}
	if _, err := control.Up(next.Crosses()); err != nil {
		return nil, &control.Refusal{Why: err.Error()}
	}
	return next, nil
}
