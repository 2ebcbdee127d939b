package simulating

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/units"
)

// maxFile bounds the file of a simulation, whose links are listed one by one.
const maxFile = 1 << 30

// IsFile reports, by the first bytes of a file, whether it holds a simulation as JSON.
func IsFile(head []byte) bool { return bytes.Contains(head, []byte(SimulateSchema)) }

// Load reads from a file the parts of a simulation that a page shows.
func Load(_ context.Context, file string) (*Simulation, error) {
	f, err := files.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// The other fields have JSON forms that are only written.
	var seen struct {
		Level        json.RawMessage     `json:"level"`
		CompletionNs float64             `json:"completion_ns"`
		PredictedNs  float64             `json:"predicted_ns"`
		Packets      int64               `json:"packets"`
		PacketHops   int64               `json:"packet_hops"`
		Steps        []SimulatedStep     `json:"steps"`
		Links        []SimulatedLink     `json:"links"`
		Iteration    *SimulatedIteration `json:"iteration"`
	}
	if err := json.NewDecoder(io.LimitReader(f, maxFile)).Decode(&seen); err != nil {
		return nil, fmt.Errorf("%s: not a simulation: %w", file, err)
	}
	made := &Simulation{Packets: seen.Packets, PacketHops: seen.PacketHops, Steps: seen.Steps, Links: seen.Links, Iteration: seen.Iteration}
	if err := json.Unmarshal(seen.Level, &made.Level); err != nil {
		return nil, fmt.Errorf("%s: level: %w", file, err)
	}
	made.CompletionNs, made.PredictedNs = units.Time(seen.CompletionNs), units.Time(seen.PredictedNs)
	return made, nil
}
