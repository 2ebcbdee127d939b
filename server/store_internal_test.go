package server

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
)

// If the disk is full, known requests are still answered, new ones are refused with the reason,
// and everything works again once there is room.
func TestAFullDiskIsSaidAndSurvived(t *testing.T) {
	s, err := openStore(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	dice := rand.NewChaCha8([32]byte{})
	answerOf := func(n int) answer {
		body := make([]byte, n)
		dice.Read(body) // it never fails, and does not compress
		return answer{body: body}
	}
	first := answerOf(1000)
	if err := s.keep(t.Context(), "plan", "first", nil, first, wholeAnswer{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		most int // bytes of the file
		want error
	}{{1 << 17, errFull}, {1 << 26, nil}} {
		s.db.MaxSize = c.most
		if err := s.keep(t.Context(), "plan", "large", nil, answerOf(1<<20), wholeAnswer{}); !errors.Is(err, c.want) {
			t.Errorf("%d: %v, want %v", c.most, err, c.want)
		}
		if s.full.Load() != (c.want != nil) {
			t.Errorf("%d: full %v", c.most, s.full.Load())
		}
		s.recent.clear()
		if got, err := s.find(t.Context(), "first"); err != nil || !bytes.Equal(got.body, first.body) {
			t.Errorf("%d: what was known: %v", c.most, err)
		}
		if _, err := s.find(t.Context(), "large"); errors.Is(err, errNone) != (c.want != nil) {
			t.Errorf("%d: what is new: %v", c.most, err)
		}
	}
}
