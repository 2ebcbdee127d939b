package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/server"
	"github.com/lightpath-net/lightpath/server/film"
	"github.com/lightpath-net/lightpath/units"
)

// Plans lists the plans of the store whose ID or names contain a word, the newest first.
func (c *Client) Plans(ctx context.Context, word string) ([]server.StoredPlan, error) {
	list, err := get[server.PlanList](ctx, c, "/v1/plans?q="+url.QueryEscape(word))
	if err != nil {
		return nil, err
	}
	return list.Plans, nil
}

// AddPlan stores a plan that was made elsewhere, after the service has verified it, and returns
// its ID.
func (c *Client) AddPlan(ctx context.Context, p *plan.Plan) (id string, err error) {
	made, err := post[server.PlanID](ctx, c, "plans", p)
	if err != nil {
		return "", err
	}
	return made.ID, nil
}

// DeletePlan deletes a plan of the store and the answers that are its summary.
func (c *Client) DeletePlan(ctx context.Context, id string) error {
	return c.remove(ctx, "/v1/plans/"+url.PathEscape(id))
}

// Wiring lists the circuits of a topology.
func (c *Client) Wiring(ctx context.Context, expr string) (*server.Wiring, error) {
	return get[server.Wiring](ctx, c, "/v1/wiring?topology="+url.QueryEscape(expr))
}

// Figure draws a plan of the store over time, as SVG.
func (c *Client) Figure(ctx context.Context, id string) ([]byte, error) {
	answer, err := c.do(ctx, http.MethodGet, "/v1/plans/"+url.PathEscape(id)+"/figure", nil)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(answer.Body)
}

// PlanFile returns a whole plan of the store.
func (c *Client) PlanFile(ctx context.Context, id string) (*plan.Plan, error) {
	return get[plan.Plan](ctx, c, "/v1/plans/"+url.PathEscape(id))
}

// Film simulates a plan of the store packet by packet, and returns the simulation as a film. A
// packet of 0 bytes stands for the default size.
func (c *Client) Film(ctx context.Context, id string, packet units.Bytes) (*film.Film, error) {
	query := ""
	if packet != 0 {
		query = "?packet=" + url.QueryEscape(packet.String())
	}
	return get[film.Film](ctx, c, "/v1/plans/"+url.PathEscape(id)+"/film"+query)
}

// Switches returns when the switches of a plan of the store are dark.
func (c *Client) Switches(ctx context.Context, id string) (*server.Switches, error) {
	return get[server.Switches](ctx, c, "/v1/plans/"+url.PathEscape(id)+"/switches")
}

// Export calls a function with every plan and answer of the store, until the function returns an
// error. An export without its last line is an error.
func (c *Client) Export(ctx context.Context, each func(server.ExportLine) error) (server.ExportEnd, error) {
	answer, err := c.do(ctx, http.MethodGet, "/v1/export", nil)
	if err != nil {
		return server.ExportEnd{}, err
	}
	defer answer.Body.Close()
	for lines := json.NewDecoder(answer.Body); ; {
		var line server.ExportLine
		switch err := lines.Decode(&line); {
		case errors.Is(err, io.EOF):
			return server.ExportEnd{}, errors.New("export: the service ended before it")
		case err != nil:
			return server.ExportEnd{}, fmt.Errorf("export: %w", err)
		case line.End != nil:
			return *line.End, nil
		case line.Schema != "" && line.Schema != server.ExportSchema:
			return server.ExportEnd{}, fmt.Errorf("export: %.80q; want %s", line.Schema, server.ExportSchema)
		case line.Schema == "":
			if err := each(line); err != nil {
				return server.ExportEnd{}, err
			}
		}
	}
}
