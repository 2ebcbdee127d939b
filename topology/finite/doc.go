// Package finite implements arithmetic in finite fields, and lists the points and lines of the
// projective spaces over them, from which package topology makes incidence graphs.
package finite
