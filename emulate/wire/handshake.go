package wire

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
)

// Role says what a connection is for.
type Role string

// The roles.
const (
	RankRole   Role = "rank"   // a rank, at the coordinator
	SwitchRole Role = "switch" // the switch, at the coordinator
	PortRole   Role = "port"   // a port of a rank, at the switch
)

// Identity is who a client says it is.
type Identity struct {
	Role Role   `json:"role"`
	Rank int    `json:"rank"`
	Port int    `json:"port"`
	Plan string `json:"plan"` // digest: all ranks must run the same
	// Address is where a switch waits for ports.
	Address string `json:"address,omitempty"`
}

const (
	nonceSize  = 32
	helloLimit = 4096
)

type challenge struct {
	Nonce []byte `json:"nonce"`
}

type hello struct {
	Identity
	Nonce []byte `json:"nonce"`
	Proof []byte `json:"proof"`
}

type proofMessage struct {
	Proof []byte `json:"proof"`
}

type refusal struct {
	Reason string `json:"reason"`
}

// ErrSecret means that the other side does not know the secret of the run.
var ErrSecret = errors.New("wrong secret")

// Refused is the answer of a server that refuses the client.
type Refused struct{ Reason string }

// Error gives the reason.
func (r *Refused) Error() string { return "refused: " + r.Reason }

// Join introduces a client to the server at the other end and checks that it knows the secret.
func Join(c Conn, secret []byte, id Identity) error {
	guard(c, true)
	defer guard(c, false)
	f, err := c.Receive()
	if err != nil {
		return err
	}
	var asked challenge
	if err := Decode(f, Challenge, &asked); err != nil {
		return err
	}
	nonce := newNonce()
	err = SendJSON(c, Hello, hello{Identity: id, Nonce: nonce, Proof: proof("client", secret, asked.Nonce, nonce, id)})
	if err != nil {
		return err
	}
	if f, err = c.Receive(); err != nil {
		return err
	}
	if f.Kind == Refuse {
		var r refusal
		if err := Decode(f, Refuse, &r); err != nil {
			return err
		}
		return &Refused{r.Reason}
	}
	var answer proofMessage
	if err := Decode(f, Welcome, &answer); err != nil {
		return err
	}
	if !hmac.Equal(answer.Proof, proof("server", secret, asked.Nonce, nonce, id)) {
		return fmt.Errorf("the coordinator or switch: %w", ErrSecret)
	}
	return nil
}

// Admit lets in a client that knows the secret and that accept does not refuse. It returns the
// identity that the client claims, even with an error.
func Admit(c Conn, secret []byte, accept func(Identity) error) (Identity, error) {
	guard(c, true)
	defer guard(c, false)
	nonce := newNonce()
	if err := SendJSON(c, Challenge, challenge{nonce}); err != nil {
		return Identity{}, err
	}
	f, err := c.Receive()
	if err != nil {
		return Identity{}, err
	}
	var h hello
	if err := Decode(f, Hello, &h); err != nil {
		return Identity{}, err
	}
	err = nil
	if !hmac.Equal(h.Proof, proof("client", secret, nonce, h.Nonce, h.Identity)) {
		err = ErrSecret
	} else if accept != nil {
		err = accept(h.Identity)
	}
	if err != nil {
		SendJSON(c, Refuse, refusal{err.Error()}) // the connection is closed anyway
		return h.Identity, err
	}
	return h.Identity, SendJSON(c, Welcome, proofMessage{proof("server", secret, nonce, h.Nonce, h.Identity)})
}

// guard restricts a connection if it supports that.
func guard(c Conn, on bool) {
	if t, ok := c.(interface{ restrict(on bool) }); ok {
		t.restrict(on)
	}
}

func newNonce() []byte {
	nonce := make([]byte, nonceSize)
	rand.Read(nonce) // never fails
	return nonce
}

// proof signs everything said in a handshake. Each part is prefixed with its length, so that no
// two handshakes sign the same bytes.
func proof(who string, secret, server, client []byte, id Identity) []byte {
	said, err := json.Marshal(id)
	if err != nil {
		panic("wire: an identity that has no JSON form: " + err.Error())
	}
	mac := hmac.New(sha256.New, secret)
	for _, part := range [][]byte{[]byte(who), server, client, said} {
		fmt.Fprintf(mac, "%d:", len(part))
		mac.Write(part)
	}
	return mac.Sum(nil)
}
