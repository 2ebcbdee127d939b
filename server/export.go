package server

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"go.etcd.io/bbolt"
)

// ExportSchema names the form of an export and its version.
const ExportSchema = "lightpath.export/v1"

// ExportLine is a line of an export: the first line has Schema, the last has Plans and Answers,
// and each line between them has a plan or an answer. An export without its last line is
// incomplete.
type ExportLine struct {
	Schema  string `json:"schema,omitempty"`
	Version string `json:"version,omitempty"` // of the program

	// PlanID is the ID of Plan, or of the plan that Answer summarizes.
	PlanID string          `json:"plan_id,omitempty"`
	Plan   json.RawMessage `json:"plan,omitempty"`

	Command string          `json:"command,omitempty"`
	Request json.RawMessage `json:"request,omitempty"`
	Answer  json.RawMessage `json:"answer,omitempty"`
	Created int64           `json:"created_s,omitempty"` // since 1970

	End *ExportEnd `json:"end,omitempty"`
}

// ExportEnd counts what was exported.
type ExportEnd struct {
	Plans   int `json:"plans"`
	Answers int `json:"answers"`
}

// export writes the whole content of the store, one JSON document per line, so that clients can
// read it as it arrives. Plans come before answers.
func (s *Server) export(w http.ResponseWriter, r *http.Request) error {
	patient(w)
	w.Header().Set("Content-Type", ndjson)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Disposition", `attachment; filename="lightpath.ndjson"`)
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	var end ExportEnd
	err := out.Encode(ExportLine{Schema: ExportSchema, Version: s.version})
	if err == nil {
		end.Plans, err = s.store.each(r.Context(), plansBucket, planBodiesBucket, func(id string, text, body []byte) error {
			var about StoredPlan
			if err := json.Unmarshal(text, &about); err != nil {
				return err
			}
			return out.Encode(ExportLine{PlanID: id, Plan: body, Created: about.Created})
		})
	}
	if err == nil {
		end.Answers, err = s.store.each(r.Context(), answersBucket, answerBodiesBucket, func(_ string, text, body []byte) error {
			var about storedAnswer
			if err := json.Unmarshal(text, &about); err != nil {
				return err
			}
			return out.Encode(ExportLine{Command: about.Command, PlanID: about.Plan, Request: json.RawMessage(about.Request), Answer: body, Created: about.Created})
		})
	}
	if err == nil {
		err = out.Encode(ExportLine{End: &end})
	}
	if err != nil { // too late for a status: the last line will be missing
		s.log.WarnContext(r.Context(), "an export was not finished", "error", err)
	}
	return nil
}

// each visits lines and their bodies in the order of keys, one at a time. So a slow client keeps
// no transaction open; entries written meanwhile may or may not be visited.
func (s *store) each(ctx context.Context, lines, bodies []byte, visit func(key string, text, body []byte) error) (n int, err error) {
	for last := []byte(nil); ; n++ {
		var text, body []byte
		err := s.view(ctx, func(tx *bbolt.Tx) (err error) {
			c := tx.Bucket(lines).Cursor()
			key, value := c.Seek(last)
			if last != nil && bytes.Equal(key, last) {
				key, value = c.Next()
			}
			if last = bytes.Clone(key); key == nil {
				return nil
			}
			text = bytes.Clone(value)
			body, err = bodyOf(tx, bodies, string(key))
			return err
		})
		if err == nil && last == nil {
			return n, nil
		}
		if err == nil {
			err = visit(string(last), text, body)
		}
		if err != nil {
			return n, err
		}
	}
}
