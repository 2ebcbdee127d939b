package server

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
)

// ExportSchema names the form of an export and its version.
const ExportSchema = "lightpath.export/v1"

// ExportLine is a line of an export: the first has Schema, the last Plans and Answers, each
// between them a plan or an answer. An export without its last line is not whole.
type ExportLine struct {
	Schema  string `json:"schema,omitempty"`
	Version string `json:"version,omitempty"` // of the program

	PlanID string          `json:"plan_id,omitempty"` // of Plan, or of the plan that Answer is the summary of
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

// export writes everything that the store keeps, one JSON document a line, so that it can
// be read while it comes. Plans come before answers.
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
		end.Plans, err = s.store.each(r.Context(), "SELECT id, '', id, '', body, created FROM plans WHERE id > ? ORDER BY id LIMIT 1", func(row *storedRow) error {
			return out.Encode(ExportLine{PlanID: row.plan, Plan: row.body, Created: row.created})
		})
	}
	if err == nil {
		end.Answers, err = s.store.each(r.Context(), "SELECT key, command, plan, request, body, created FROM answers WHERE key > ? ORDER BY key LIMIT 1", func(row *storedRow) error {
			return out.Encode(ExportLine{Command: row.command, PlanID: row.plan, Request: json.RawMessage(row.request), Answer: row.body, Created: row.created})
		})
	}
	if err == nil {
		err = out.Encode(ExportLine{End: &end})
	}
	if err != nil { // too late for a status: the missing last line says it
		s.log.WarnContext(r.Context(), "an export was not finished", "error", err)
	}
	return nil
}

// storedRow is a plan or an answer.
type storedRow struct {
	key, command, plan, request string
	body                        []byte
	created                     int64
}

// each goes through rows by their key, one at a time: a slow client keeps no transaction
// open, and what is written meanwhile comes in or not.
func (s *store) each(ctx context.Context, query string, f func(*storedRow) error) (n int, err error) {
	for row := (storedRow{}); ; n++ {
		var packed []byte
		err := s.db.QueryRowContext(ctx, query, row.key).Scan(&row.key, &row.command, &row.plan, &row.request, &packed, &row.created)
		if errors.Is(err, sql.ErrNoRows) {
			return n, nil
		}
		if err == nil {
			row.body, err = unpack(packed)
		}
		if err == nil {
			err = f(&row)
		}
		if err != nil {
			return n, err
		}
	}
}
