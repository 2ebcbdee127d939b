package scpi_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/emulated"
	"github.com/lightpath-net/lightpath/control/scpi"
)

// TestASwitchAnswersAsPolatisDoes: the emulated switch answers the commands of published drivers.
func TestASwitchAnswersAsPolatisDoes(t *testing.T) {
	s := scpi.NewSession(emulated.New(16, 0, nil))
	for _, c := range [][2]string{
		{"*IDN?", scpi.Identity},
		{":oxc:swit:size?", "16,16"},
		{":oxc:swit:conn:stat?", "(@),(@)"},
		{":oxc:swit:conn:add (@1,2,3),(@17,18,19)", ""},
		{":oxc:swit:conn:port? 2", "18"},
		{":OXC:SWITch:CONNect:PORT? 18", "2"},
		{":oxc:swit:conn:port? 4", "0"},
		{":oxc:swit:conn:stat?", "(@1,2,3),(@17,18,19)"},
		{":oxc:swit:conn:sub (@1),(@17)", ""},
		{"*CLS;:OXC:SWITch:CONNect:PORT? 1;*OPC?", "0;1"},
		{":oxc:swit:conn:only (@1:2),(@20, 21); stat?", ""},
		{":syst:err?", `-113,"Undefined header"`}, // of the second half, without its path
		{":oxc:swit:conn:stat?", "(@1,2),(@20,21)"},
		{":oxc:swit:conn:add (@5),(@21)", ""},
		{":syst:err?", `-221,"egress port 21 is in use: 2->21"`},
		{":syst:err?", `0,"No error"`},
		{":oxc:swit:conn:sub (@5),(@25)", ""},
		{":syst:err?", `-221,"5->25 is not connected"`},
		{":oxc:swit:conn:add (@5),(@33)", ""},
		{":syst:err?", `-221,"33 is not an egress port in 17..32"`},
		{":oxc:swit:conn:add (@5,6),(@25)", ""},
		{":syst:err?", `-104,"2 ingress ports but 1 egress ports"`},
		{":oxc:swit:disc:all", ""},
		{":oxc:swit:conn:stat?", "(@),(@)"},
	} {
		got, err := s.Answer(t.Context(), c[0])
		if err != nil || got != c[1] {
			t.Errorf("%s: %q, %v; want %q", c[0], got, err, c[1])
		}
	}
}

// FuzzAnswer: the session answers any input in one line, and the switch has no port in two
// cross-connects.
func FuzzAnswer(f *testing.F) {
	for _, line := range []string{":oxc:swit:conn:add (@1,2),(@9,10)", "*CLS;*OPC?;:SYST:ERR?", ":oxc:swit:conn:only (@1:8),(@9:16)", ":oxc:swit:conn:sub (@),(@)", "(@1:999999999),(@", ":oxc:swit:conn:port? 3"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		sw := emulated.New(8, 0, nil)
		s := scpi.NewSession(sw)
		answer, err := s.Answer(t.Context(), line)
		if err != nil || strings.ContainsAny(answer, "\r\n") && !strings.ContainsAny(line, "\r\n") {
			t.Fatalf("%q: %q, %v", line, answer, err)
		}
		if why, err := s.Answer(t.Context(), ":SYST:ERR?"); err != nil || strings.Count(why, "\n") > 0 {
			t.Fatalf("%q: %q, %v", line, why, err)
		}
		up, _ := sw.State(t.Context())
		if _, err := control.Up(up.Crosses()); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
	})
}

// FuzzReplies: for any answer of a switch, the driver returns a state or an error.
func FuzzReplies(f *testing.F) {
	for _, reply := range []string{"(@1,2),(@9,10)", "16,16", `0,"No error"`, `"(@1),(@2)"`, "(@1,1),(@2,3)", "-221,", "(@1:3),(@4:6)"} {
		f.Add(reply)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		up, err := scpi.ParseState(reply)
		if err == nil {
			again, err := scpi.ParseState(scpi.FormatState(up))
			if err != nil || !again.Equal(up) {
				t.Fatalf("%q: %v, again %v, %v", reply, up, again, err)
			}
		}
		scpi.ParseSize(reply)
		scpi.ParseError(reply)
	})
}
