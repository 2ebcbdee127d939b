package server

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// How long a client may reuse an answer.
const (
	// forGood is for answers named by their content. They are private, because they may need a
	// token.
	forGood = "private, max-age=31536000, immutable"
	// askAgain is for answers that may change with the version of the program.
	askAgain = "private, no-cache"
)

// unchanged gives an answer a validator (RFC 9110, section 8.8) made from what it depends on. It
// reports whether the client already has that answer, in which case it sends only that status.
// The validator is weak, because the answer may be compressed or not.
func unchanged(w http.ResponseWriter, r *http.Request, policy string, parts ...string) bool {
	sum := sha256.New()
	for _, p := range parts {
		sum.Write([]byte(strconv.Itoa(len(p)) + ":" + p))
	}
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:18]) + `"`
	w.Header().Set("ETag", "W/"+tag)
	w.Header().Set("Cache-Control", policy)
	for given := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if given = strings.TrimSpace(given); given == "*" || strings.TrimPrefix(given, "W/") == tag {
			w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}

// ndjson is the type of exports.
const ndjson = "application/x-ndjson"

// compressible are the types of answers that become much smaller. Events are not among them,
// because each must arrive when it is sent.
var compressible = []string{
	"application/json", ndjson, "image/svg+xml", "text/css", "text/html", "text/javascript", "text/plain",
}

// leastCompressed is the length from which compressing pays off.
const leastCompressed = 2 << 10

// compressed sends answers with gzip to clients that accept it.
func compressed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !acceptsGzip(r.Header.Get("Accept-Encoding")) || r.Method == http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		z := &compressor{ResponseWriter: w}
		defer z.close()
		next.ServeHTTP(z, r)
	})
}

// acceptsGzip reads an Accept-Encoding header (RFC 9110, section 12.5.3).
func acceptsGzip(header string) bool {
	accepted := false
	for one := range strings.SplitSeq(header, ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(one), ";")
		weight, err := strconv.ParseFloat(strings.TrimPrefix(strings.ReplaceAll(q, " ", ""), "q="), 64)
		switch name = strings.ToLower(strings.TrimSpace(name)); {
		case name == "gzip":
			return err != nil || weight > 0
		case name == "*":
			accepted = err != nil || weight > 0
		}
	}
	return accepted
}

// compressor compresses what is written if its type and length are worth it.
type compressor struct {
	http.ResponseWriter
	status int // sent with the first bytes, whose number decides; 0: none yet
	sent   bool
	zip    *gzip.Writer // nil: uncompressed
}

// zips are writers for reuse, because each has tables of a megabyte.
var zips = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic("server: " + err.Error()) // cannot happen: the level is valid
	}
	return z
}}

func (c *compressor) WriteHeader(status int) {
	c.status = cmp.Or(c.status, status)
}

// begin sends the header of an answer, given the number of its first bytes.
func (c *compressor) begin(first int) {
	if c.sent || c.status == 0 {
		return
	}
	c.sent = true
	c.decide(first)
	c.ResponseWriter.WriteHeader(c.status)
}

// isCompressible reports whether an answer of the given length, and of the type in its header,
// is worth compressing.
func isCompressible(w http.ResponseWriter, length int) bool {
	kind, _, err := mime.ParseMediaType(w.Header().Get("Content-Type"))
	return err == nil && slices.Contains(compressible, kind) && length >= leastCompressed
}

// compress compresses data that is sent many times as much as possible.
func compress(data []byte) []byte {
	var small bytes.Buffer
	z, err := gzip.NewWriterLevel(&small, gzip.BestCompression)
	writeAll(z, err, data)
	return small.Bytes()
}

// writeAll writes all data to a compressor of a buffer, which cannot fail. err is the error of
// making the compressor: there is none if the level is valid.
func writeAll(to io.WriteCloser, err error, data []byte) {
	if err == nil {
		_, err = to.Write(data)
	}
	if err == nil {
		err = to.Close()
	}
	if err != nil {
		panic("server: " + err.Error())
	}
}

func (c *compressor) decide(length int) {
	h := c.Header()
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || !slices.Contains(compressible, kind) {
		return
	}
	h.Add("Vary", "Accept-Encoding")
	if said, err := strconv.Atoi(h.Get("Content-Length")); err == nil {
		length = said
	}
	small := length < leastCompressed && kind != ndjson // ndjson lines come one by one
	if small || h.Get("Content-Encoding") != "" || c.status == http.StatusPartialContent {
		return
	}
	h.Del("Content-Length")
	h.Del("Accept-Ranges") // ranges would refer to the compressed bytes
	h.Set("Content-Encoding", "gzip")
	if z, ok := zips.Get().(*gzip.Writer); ok {
		c.zip = z
		c.zip.Reset(c.ResponseWriter)
	}
}

func (c *compressor) Write(data []byte) (int, error) {
	c.WriteHeader(http.StatusOK) // unless a status was set
	c.begin(len(data))
	if c.zip == nil {
		return c.ResponseWriter.Write(data)
	}
	return c.zip.Write(data)
}

// FlushError is the method that http.ResponseController looks for.
func (c *compressor) FlushError() error {
	c.begin(0)
	if c.zip != nil {
		if err := c.zip.Flush(); err != nil {
			return err
		}
	}
	return http.NewResponseController(c.ResponseWriter).Flush()
}

func (c *compressor) close() {
	c.begin(0)
	if c.zip != nil {
		_ = c.zip.Close() // the client may have gone
		zips.Put(c.zip)
	}
}

// Unwrap is for http.ResponseController.
func (c *compressor) Unwrap() http.ResponseWriter { return c.ResponseWriter }
