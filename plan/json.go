package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// MarshalJSON writes the whole plan, as Encode does.
func (p *Plan) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	err := p.Encode(&out)
	return out.Bytes(), err
}

// UnmarshalJSON reads a whole plan, as Decode does.
func (p *Plan) UnmarshalJSON(data []byte) error {
	read, err := Decode(bytes.NewReader(data))
	if err == nil {
		*p = *read
	}
	return err
}

// ID identifies a plan by its content: the SHA-256 of Encode's output, in hexadecimal digits.
// Two plans have the same ID only if they are equal.
func (p *Plan) ID() (string, error) {
	sum := sha256.New()
	if err := p.Encode(sum); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
