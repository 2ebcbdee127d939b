package fabric

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

const heldSyntax = "use a list of 7.1 (port 1 of GPU 7), 7 (GPU 7 with all its ports) and 8-15 (these GPUs)"

// maxHeld limits the GPUs and ports of a list: every port of the largest fabric with 64 ports.
const maxHeld = 1 << 22

// ParseHeld reads what other jobs hold, such as "0-15,20.1,21.1"; "" and "none" are nothing.
func ParseHeld(text string) (Failures, error) {
	if text == "" || text == nothingAvoided {
		return Failures{}, nil
	}
	var items []failure
	count := 0
	for item := range strings.SplitSeq(text, ",") {
		read, err := parseHeld(item)
		if err != nil {
			return Failures{}, fmt.Errorf("%.40q: %w; %s", item, err, heldSyntax)
		}
		if count += read.to - read.from + 1; count > maxHeld {
			return Failures{}, fmt.Errorf("more than %d GPUs and ports", maxHeld)
		}
		items = append(items, read)
	}
	return failuresOf(items), nil
}

func parseHeld(item string) (failure, error) {
	read := failure{kind: heldKind, port: anyPort, text: item}
	gpu, port, named := strings.Cut(item, ".")
	first, last, ranged := strings.Cut(gpu, "-")
	if !ranged {
		last = first
	}
	var err error
	if read.from, err = gpuIn(first, MaxNodes); err != nil {
		return read, err
	}
	if read.to, err = gpuIn(last, MaxNodes); err != nil {
		return read, err
	}
	if read.to < read.from {
		return read, fmt.Errorf("ends before it begins")
	}
	if named {
		read.port, err = portIn(port)
	}
	return read, err
}

// HeldGPUs returns the GPUs from..to, as other jobs hold them.
func HeldGPUs(from, to int) Failures {
	return failuresOf([]failure{{kind: heldKind, from: from, to: to, port: anyPort, text: fmt.Sprintf("%d-%d", from, to)}})
}

// Held writes what other jobs hold for ParseHeld; "": nothing.
func (a Failures) Held() string {
	if a.read == nil {
		return ""
	}
	return a.read.held
}

// WithoutHeld returns the list as if no other job held anything.
func (a Failures) WithoutHeld() Failures { return a.without(heldKind) }

// OnlyHeld returns what other jobs hold, as if nothing had failed.
func (a Failures) OnlyHeld() Failures {
	if a.read == nil {
		return a
	}
	return failuresOf(slices.DeleteFunc(slices.Clone(a.read.items), func(f failure) bool { return f.kind != heldKind }))
}

// HeldGPU reports whether another job holds a GPU.
func (a Failures) HeldGPU(u int) bool { return a.read != nil && a.read.heldGPUs[u] }

// HeldPort reports whether another job holds a port.
func (a Failures) HeldPort(u, port int) bool {
	return a.read != nil && (a.read.heldPorts[[2]int{u, port}] || a.read.heldGPUs[u])
}

// headerHeld is the first line of a file that lists what is held.
const headerHeld = "gpu,port"

// ReadHeldCSV reads what other jobs hold from lines gpu,port, in any order, below that heading.
// Without a port, the GPU is held with all its ports. Columns after the port, such as the
// switch in a list for technicians, are ignored. Errors name the file and the line.
func ReadHeldCSV(name string, file io.Reader) (string, error) {
	lines := bufio.NewScanner(file)
	var items []string
	number := 0
	for lines.Scan() {
		number++
		line := strings.ReplaceAll(strings.TrimSpace(lines.Text()), " ", "")
		if number == 1 {
			if line != headerHeld && !strings.HasPrefix(line, headerHeld+",") {
				return "", fmt.Errorf("%s:1: %.40q; want the header %s", name, line, headerHeld)
			}
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.SplitN(line, ",", 3)
		item := words[0]
		if len(words) > 1 && words[1] != "" {
			item += "." + words[1]
		}
		if _, err := strconv.Atoi(words[0]); err != nil {
			return "", fmt.Errorf("%s:%d: %.40q is not a GPU", name, number, words[0])
		}
		if _, err := parseHeld(item); err != nil {
			return "", fmt.Errorf("%s:%d: %.40q: %w; want gpu,port", name, number, line, err)
		}
		if items = append(items, item); len(items) > maxHeld {
			return "", fmt.Errorf("%s: more than %d lines", name, maxHeld)
		}
	}
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("%s:%d: %w", name, number+1, err)
	}
	if number == 0 {
		return "", fmt.Errorf("%s:1: empty; want the header %s", name, headerHeld)
	}
	return strings.Join(items, ","), nil
}
