package compile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// ManifestSchema names the form of a manifest.
const ManifestSchema = "lightpath.manifest/v1"

// ManifestFile is the name of a manifest in its folder.
const ManifestFile = "manifest.json"

// Manifest describes how the files of a plan with several stages fit together. They run in
// order; before each file, all ranks meet at a barrier and the switches set its circuits. Every
// file gets the same memory for input and output, whose contents live on from stage to stage,
// and so does scratch if ScratchLives is set.
type Manifest struct {
	Schema     string `json:"schema"`
	Format     Format `json:"format"`
	Collective string `json:"collective"`
	Algorithm  string `json:"algorithm"`
	SizeBytes  int64  `json:"size_bytes"`
	Ranks      int    `json:"ranks"`
	GPUs       []int  `json:"gpus,omitempty"` // of the ranks; if absent, rank r is GPU r
	InPlace    bool   `json:"in_place"`
	Chunks     int    `json:"chunks"`
	Scratch    []int  `json:"scratch_chunks"` // of each rank
	// ScratchLives says that a file reads scratch that an earlier file wrote. Otherwise each
	// file may have scratch of its own.
	ScratchLives bool   `json:"scratch_lives"`
	Timetable    string `json:"timetable"`
	// Island is how many GPUs share an electrical switch, if there are islands.
	Island int `json:"island,omitempty"`
	// Fixed names the links that are always up, if any: a topology that each group of
	// consecutive GPUs has.
	Fixed  string          `json:"fixed,omitempty"`
	Stages []ManifestStage `json:"stages"`
}

// ManifestStage is one file and the circuits that must be up while it runs.
type ManifestStage struct {
	File            string     `json:"file"`
	More            []string   `json:"more,omitempty"` // run after it, each after a barrier
	Topology        string     `json:"topology"`
	Barrier         bool       `json:"barrier"` // of all ranks, before the circuits change
	Start           units.Time `json:"start_ns"`
	Reconfiguration units.Time `json:"reconfiguration_ns"`
	Circuits        [][3]int   `json:"circuits"` // from, to, count
}

// files lists the files of a stage, in the order in which they run.
func (s *ManifestStage) files() []string { return append([]string{s.File}, s.More...) }

// pieces returns the stage of every file.
func (m *Manifest) pieces() (stages []int) {
	for i := range m.Stages {
		for range m.Stages[i].files() {
			stages = append(stages, i)
		}
	}
	return stages
}

// Written lists the files of the plan that was compiled into a folder: the manifest or list of
// files, and the files that it names. Without a manifest or list there are none.
func Written(folder fs.FS) []string {
	list := listed(folder)
	file, err := folder.Open(ManifestFile)
	if err != nil {
		return list
	}
	defer file.Close()
	m, err := ReadManifest(file)
	if err != nil {
		return list
	}
	list = append(list, ManifestFile, m.Timetable)
	for i := range m.Stages {
		list = append(list, m.Stages[i].files()...)
	}
	return slices.DeleteFunc(list, func(name string) bool { return !fs.ValidPath(name) })
}

// maxManifest bounds how many bytes of a manifest are read.
const maxManifest = 64 << 20

// ReadManifest reads a manifest and checks its form.
func ReadManifest(r io.Reader) (*Manifest, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxManifest))
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	var m Manifest
	switch err := strict.Decode(bytes.NewReader(data), &head); {
	case err != nil:
		return nil, fmt.Errorf("manifest: %w", err)
	case head.Schema != ManifestSchema: // the members of another document may be of other kinds
		return nil, fmt.Errorf("not a manifest: its schema is %q; this version reads %q", head.Schema, ManifestSchema)
	}
	if err := strict.Decode(bytes.NewReader(data), &m); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	switch {
	case m.Format != MSCCL && m.Format != RCCL && m.Format != MSCCLPP:
		return nil, fmt.Errorf("manifest: format is %q, not %s, %s or %s", m.Format, MSCCL, RCCL, MSCCLPP)
	case m.SizeBytes < 1:
		return nil, fmt.Errorf("manifest: size_bytes is %d, not 1 or more", m.SizeBytes)
	case m.Island < 0 || m.Island == 1:
		return nil, fmt.Errorf("manifest: island is %d, not 2 or more", m.Island)
	case m.fixed() != nil:
		return nil, fmt.Errorf("manifest: fixed: %w", m.fixed())
	case m.Timetable == "":
		return nil, fmt.Errorf("manifest: no timetable")
	case len(m.Stages) == 0:
		return nil, fmt.Errorf("manifest: no stages")
	}
	for i, s := range m.Stages {
		if !(s.Start >= 0) || !(s.Reconfiguration >= 0) {
			return nil, fmt.Errorf("manifest: stage %d: start_ns is %v and reconfiguration_ns %v, not 0 or more", i+1, float64(s.Start), float64(s.Reconfiguration))
		}
		if slices.Contains(s.files(), "") {
			return nil, fmt.Errorf("manifest: stage %d has no file", i+1)
		}
		if i > 0 && !s.Barrier {
			return nil, fmt.Errorf("manifest: stage %d begins without a barrier: ranks may still be sending over circuits that change", i+1)
		}
	}
	return &m, nil
}

// fixed reports fixed links that are not a topology.
func (m *Manifest) fixed() error {
	_, err := fabric.ParseFixed(m.Fixed, nil)
	return err
}

// Write writes the manifest.
func (m *Manifest) Write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	return encoder.Encode(m)
}

// manifest describes the stages of a plan; the caller names the files.
func manifest(p *plan.Plan, format Format) *Manifest {
	m := &Manifest{
		Schema: ManifestSchema, Format: format, Collective: string(p.Collective.Op), Algorithm: p.Collective.Algorithm,
		SizeBytes: int64(p.Collective.Size), Timetable: timetableFile, Island: p.Fabric.Island.Size, Fixed: p.Fabric.Fixed.Links.String(),
	}
	for i := range p.Stages {
		s := &p.Stages[i]
		stage := ManifestStage{Topology: s.Topology.Name(), Barrier: i > 0, Start: s.Start, Reconfiguration: s.Reconfiguration}
		stage.Circuits = circuitsOf(s)
		m.Stages = append(m.Stages, stage)
	}
	return m
}

// circuitsOf lists the circuits of a stage: from, to, count.
func circuitsOf(s *plan.Stage) (list [][3]int) {
	for e := range s.Topology.Edges() {
		list = append(list, [3]int{e.From, e.To, e.Count})
	}
	return list
}
