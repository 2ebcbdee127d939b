// Package msccl reads and writes programs as the XML files that MSCCL and RCCL load: one
// language in two dialects, with the limits that the loaders enforce or silently assume.
//
// The loaders do not read XML in general but a small subset with a scanner of their own:
// no declaration, no tab, no line break in a tag, double quotes, no entities, no text. The
// reader here accepts that subset and nothing else, and says why it refuses a file, where
// a loader would take it for something different or stop without a word. It reads in one
// pass; its memory is that of the program.
package msccl
