package gnmi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/opticalswitch"
)

// Numbers of fields of subscriptions, as gnmi.proto has them, and their modes.
const (
	subscribeList                      = 1
	listPrefix, listPath, listMode     = 1, 2, 5
	listEncoding                       = 8
	subscriptionPath, subscriptionMode = 1, 2
	answerUpdate, answerSync           = 1, 3
	modeStream                         = 0
	modeOnChange                       = 1
	modeSample                         = 2
)

// subscription asks for notifications of changes of paths.
type subscription struct {
	paths  []path
	stream bool
	sample bool // some values are requested periodically
}

// encodeSubscribe writes a request for notifications of every change of a path.
func encodeSubscribe(p path) []byte {
	one := appendNumber(appendBytes(nil, subscriptionPath, p.encode()), subscriptionMode, modeOnChange)
	return appendBytes(nil, subscribeList, appendNumber(appendBytes(nil, listPath, one), listEncoding, encodingIETF))
}

// decodeSubscribe reads such a request, which may be for several paths.
func decodeSubscribe(message []byte) (s subscription, err error) {
	var prefix path
	s.stream = true
	err = fields(message, func(number protowire.Number, _ protowire.Type, data []byte, _ uint64) error {
		if number != subscribeList {
			return nil
		}
		return fields(data, func(number protowire.Number, _ protowire.Type, data []byte, value uint64) error {
			switch number {
			case listPrefix:
				prefix, err = decodePath(data)
				return err
			case listMode:
				s.stream = value == modeStream
			case listPath:
				return fields(data, func(number protowire.Number, _ protowire.Type, data []byte, value uint64) error {
					switch number {
					case subscriptionPath:
						p, err := decodePath(data)
						s.paths = append(s.paths, p)
						return err
					case subscriptionMode:
						s.sample = s.sample || value == modeSample
					}
					return nil
				})
			}
			return nil
		})
	})
	for i := range s.paths {
		s.paths[i] = s.paths[i].under(prefix)
	}
	return s, err
}

// check returns an error for a subscription that the emulated switch does not support.
func (s *subscription) check() error {
	switch {
	case len(s.paths) != 1 || len(s.paths[0].elems) != 1 || !s.paths[0].is(0, opticalswitch.Crosses):
		return &status{codeInvalid, fmt.Sprintf("want one subscription, to %v", crossesPath)}
	case !s.stream || s.sample:
		return &status{codeUnimplemented, "want a stream of changes"}
	}
	return nil
}

// subscribe sends a client all cross-connects, and again after every change, until the client
// leaves.
func (f Face) subscribe(w http.ResponseWriter, r *http.Request, to control.Switch) error {
	message, err := f.admit(r)
	if err != nil {
		return err
	}
	s, err := decodeSubscribe(message)
	if err != nil {
		return &status{codeInvalid, err.Error()}
	}
	if err := s.check(); err != nil {
		return err
	}
	teller, tells := to.(control.Teller)
	if !tells {
		return &status{codeUnimplemented, "this switch does not tell of changes"}
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	changed := make(chan struct{}, 1)
	changed <- struct{}{} // the first answer is the current state
	ended := make(chan error, 1)
	go func() {
		ended <- teller.Tell(ctx, func() {
			select {
			case changed <- struct{}{}:
			default:
			}
		})
	}()
	var last []byte
	for first := true; ; first = false {
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			return err
		}
		value, err := valueOf(ctx, s.paths[0], to)
		if err != nil {
			return err
		}
		var out []byte
		if first || !bytes.Equal(value.json, last) {
			note := appendBytes(appendNumber(nil, noteTimestamp, uint64(time.Now().UnixNano())), noteUpdate, value.encode())
			out = frame(appendBytes(nil, answerUpdate, note))
			last = value.json
		}
		if first {
			out = append(out, frame(appendNumber(nil, answerSync, 1))...)
		}
		if _, err := w.Write(out); err != nil {
			return err
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			return err
		}
	}
}

// Tell implements control.Teller by a subscription to all cross-connects. It has a connection of
// its own. It does not read the changes from the messages: the listener reads the state.
func (c *Client) Tell(ctx context.Context, told func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	own := &Client{Address: c.Address, User: c.User, Secret: c.Secret, TLS: c.TLS, http: newHTTP(c.TLS)}
	defer own.Close()
	body, feed := io.Pipe() // stays open: closing it would end the subscription
	defer feed.Close()
	go func() { _, _ = feed.Write(frame(encodeSubscribe(crossesPath))) }() // fails if the call does
	r, err := own.request(ctx, "Subscribe", body)
	if err != nil {
		return err
	}
	answer, err := own.http.Do(r)
	if err != nil {
		return own.failed(ctx, err)
	}
	defer answer.Body.Close()
	if err := isGRPC(answer); err != nil {
		return err
	}
	for {
		message, err := unframe(answer.Body)
		if errors.Is(err, io.EOF) {
			return own.end(answer)
		}
		if err != nil {
			return own.failed(ctx, err)
		}
		news, err := isNews(message)
		if err != nil {
			return err
		}
		if news {
			told()
		}
	}
}

// end returns why a stream has ended.
func (c *Client) end(answer *http.Response) error {
	if err := judge(statusOf(answer)); err != nil {
		return err
	}
	return errors.New("the subscription has ended")
}

// isNews reports whether an answer to a subscription has values, rather than the mark that all
// were sent.
func isNews(message []byte) (news bool, err error) {
	err = fields(message, func(number protowire.Number, kind protowire.Type, data []byte, _ uint64) error {
		if number != answerUpdate || kind != protowire.BytesType {
			return nil
		}
		news = true
		return fields(data, func(protowire.Number, protowire.Type, []byte, uint64) error { return nil })
	})
	return news, err
}
