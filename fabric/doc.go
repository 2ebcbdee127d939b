// Package fabric describes the machine that a plan is for: how many GPUs with how
// many ports, how fast and how far apart they are, and what it costs to rewire the
// circuits between them. A fabric comes from named presets, YAML files and single
// settings, each of which overrides the ones before.
package fabric
