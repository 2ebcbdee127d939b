// Package msccl reads and writes programs as the XML files that MSCCL and RCCL load: one
// language in two dialects, with the limits that the loaders enforce or silently assume.
//
// The loaders do not read general XML but a small subset, with their own scanners: no
// declaration, no tab, no line break in a tag, double quotes, no entities, no text. The reader
// here accepts exactly that subset and says why it refuses a file; a loader would misread it or
// stop without a message. It reads in one pass, and its memory is that of the program.
package msccl
