// Package msccl reads and writes programs as the XML files that MSCCL and RCCL load: one
// language in two dialects, with the limits that the loaders enforce or silently assume.
//
// The loaders read only a small subset of XML, with their own scanners: no declaration, no tab,
// no line break in a tag, double quotes, no entities, no text. The reader here accepts exactly
// that subset. If it refuses a file it says why, whereas a loader would misread the file or stop
// without a message. It reads in one pass and needs only the memory of the program.
package msccl
