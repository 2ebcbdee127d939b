// Package scpi drives optical switches that speak SCPI over TCP as Polatis switches do, and is
// the face of an emulated switch that speaks it.
//
//	:OXC:SWITch:CONNect:ADD (@1,2),(@17,18)   connects 1 to 17 and 2 to 18; what is up stays
//	:OXC:SWITch:CONNect:SUB (@1,2),(@17,18)   disconnects them
//	:OXC:SWITch:CONNect:ONLy (@1),(@17)       connects these, and disconnects all others
//	:OXC:SWITch:CONNect:STATe?                (@1,2),(@17,18): what is up
//	:OXC:SWITch:CONNect:PORT? 1               17: what a port is connected to, 0 if nothing
//	:OXC:SWITch:DISConnect:ALL                disconnects everything
//	:OXC:SWITch:SIZE?                         16,16: ingress and egress ports
//	*IDN? *OPC? *CLS :SYSTem:ERRor?           as every instrument has them
//
// Egress ports are numbered after the ingress ports. Commands have no answer; errors are in the
// error queue. Keywords may be written in full or by their capitals, in any case.
package scpi

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/control"
)

// maxLine bounds a line of either side, and maxPort a port's number.
const (
	maxLine = 1 << 20
	maxPort = 1 << 20
)

// batch is the largest number of cross-connects in one command, because input buffers of
// instruments are small.
const batch = 64

// keywords are the keywords of the commands; their capitals are the short forms.
var keywords = []string{"OXC", "SWITch", "CONNect", "DISConnect", "ADD", "SUB", "ONLy", "STATe", "PORT", "SIZE", "ALL", "SYSTem", "ERRor"}

// shorten returns the short form of a header: upper case, without a colon in front.
func shorten(header string) string {
	words := strings.Split(strings.TrimPrefix(strings.ToUpper(header), ":"), ":")
	for i, word := range words {
		asks := strings.HasSuffix(word, "?")
		word = strings.TrimSuffix(word, "?")
		for _, k := range keywords {
			if short := strings.TrimRight(k, "abcdefghijklmnopqrstuvwxyz"); word == strings.ToUpper(k) {
				word = short
				break
			}
		}
		if asks {
			word += "?"
		}
		words[i] = word
	}
	return strings.Join(words, ":")
}

// formatLists writes cross-connects as two lists of channels.
func formatLists(crosses []control.Cross) string {
	var in, out strings.Builder
	for i, x := range crosses {
		if i > 0 {
			in.WriteByte(',')
			out.WriteByte(',')
		}
		in.WriteString(strconv.Itoa(x.Ingress))
		out.WriteString(strconv.Itoa(x.Egress))
	}
	return "(@" + in.String() + "),(@" + out.String() + ")"
}

// parseLists reads two lists of channels of the same length: (@1,2),(@17,18). A list may have
// ranges, 1:4. There may be blanks between its words.
func parseLists(text string) ([]control.Cross, error) {
	text = strings.Join(strings.Fields(text), "")
	body, ok := strings.CutPrefix(text, "(@")
	if ok {
		body, ok = strings.CutSuffix(body, ")")
	}
	left, right, both := strings.Cut(body, "),(@")
	if !ok || !both {
		return nil, fmt.Errorf("%.40q is not two lists of ports, e.g. (@1,2),(@17,18)", text)
	}
	in, err := parsePorts(left)
	if err != nil {
		return nil, err
	}
	out, err := parsePorts(right)
	if err != nil {
		return nil, err
	}
	if len(in) != len(out) {
		return nil, fmt.Errorf("%d ingress ports but %d egress ports", len(in), len(out))
	}
	crosses := make([]control.Cross, len(in))
	for i := range in {
		crosses[i] = control.Cross{Ingress: in[i], Egress: out[i]}
	}
	return crosses, nil
}

// parseState reads the answer to STAT?.
func parseState(text string) (control.State, error) {
	crosses, err := parseLists(strings.Trim(text, `"`))
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	up, err := control.Up(crosses)
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	return up, nil
}

// parsePorts reads ports and ranges of them.
func parsePorts(text string) (ports []int, err error) {
	if text == "" {
		return nil, nil
	}
	for word := range strings.SplitSeq(text, ",") {
		from, to, ranged := strings.Cut(word, ":")
		low, err := port(from)
		if err != nil {
			return nil, err
		}
		high := low
		if ranged {
			if high, err = port(to); err != nil {
				return nil, err
			}
		}
		if high < low || len(ports)+high-low > maxPort {
			return nil, fmt.Errorf("%.40q is not a range of ports", word)
		}
		for p := low; p <= high; p++ {
			ports = append(ports, p)
		}
	}
	return ports, nil
}

// port reads the number of a port.
func port(text string) (int, error) {
	p, err := strconv.Atoi(text)
	if err != nil || p < 1 || p > maxPort {
		return 0, fmt.Errorf("%.20q is not a port", text)
	}
	return p, nil
}

// parseSize reads the answer to SIZE?: 16,16.
func parseSize(text string) (control.Size, error) {
	left, right, _ := strings.Cut(strings.Trim(text, `"() `), ",")
	in, err := port(strings.TrimSpace(left))
	if err != nil {
		return control.Size{}, fmt.Errorf("size %.40q: want ingress and egress ports, e.g. 16,16", text)
	}
	out, err := port(strings.TrimSpace(right))
	if err != nil {
		return control.Size{}, fmt.Errorf("size %.40q: want ingress and egress ports, e.g. 16,16", text)
	}
	return control.Size{Ingress: in, Egress: out}, nil
}

// parseError reads the answer to SYST:ERR?: -221,"Settings conflict". The number 0 is no error.
func parseError(text string) (code int, why string, err error) {
	number, words, _ := strings.Cut(text, ",")
	code, err = strconv.Atoi(strings.TrimSpace(number))
	if err != nil {
		return 0, "", fmt.Errorf("%.40q is not a number and words, as SYST:ERR? answers", text)
	}
	return code, strings.Trim(strings.TrimSpace(words), `"`), nil
}
