// Package mended plans around failed ports and links with what is left: a GPU that has lost a port
// need not cost the others one.
package mended
