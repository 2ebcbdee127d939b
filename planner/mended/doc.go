// Package mended plans around failed ports and links with everything that is left: if one GPU has
// lost a port, the other GPUs keep theirs.
package mended
