// Package controlling implements the commands control apply, control watch and control run,
// which set and read the cross-connects of real switches. The service does not offer them,
// because a client who may ask for plans must not thereby be able to reconfigure a fabric.
package controlling

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/inventory"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/units"
)

// Reach says which switches there are, which port is plugged in where, and how to reach the
// switches.
type Reach struct {
	// PortMap may be missing if a timetable has one.
	PortMap timetable.PortMap `json:"port_map,omitempty" help:"where ports are plugged in, ${FILE}.csv: gpu,port,switch,ingress,egress" default:"the timetable's own"`
	// SwitchesFile lists the switches; package control/inventory has its form.
	SwitchesFile string `json:"switches_file,omitempty" help:"reach the switches that ${FILE}.yaml lists: name, driver, address, secret_file, .."`
	// JournalFile records which changes have begun and which have ended.
	JournalFile string `json:"journal,omitempty" help:"remember changes in ${FILE}, from which the next run goes on" default:"the switches file with .journal at its end"`
	// Timeout limits one query or command.
	Timeout units.Duration `json:"timeout_ns,omitzero" help:"a switch that does not answer for ${TIME} counts as silent" default:"10s"`
}

// complete fills in the defaults and reports the first invalid field.
func (s *Reach) complete() error {
	switch {
	case s.SwitchesFile == "":
		return field.Errorf("switches_file", "missing; want a list of the switches")
	case s.Timeout < 0:
		return field.Errorf("timeout_ns", "must be above 0")
	}
	if s.PortMap != nil {
		if err := s.PortMap.Check(); err != nil {
			return field.In("port_map", err)
		}
	}
	s.JournalFile = cmp.Or(s.JournalFile, s.SwitchesFile+".journal")
	s.Timeout = cmp.Or(s.Timeout, units.Duration(control.DefaultPatience.Timeout)*units.Nanosecond)
	return nil
}

// Setup is the switches and the timetable that they are to follow.
type Setup struct {
	// Timetable says which circuits are to be up, stage by stage.
	Timetable *timetable.Table `json:"timetable,omitempty"`
	Reach
}

// Complete fills in the defaults and reports the first invalid field.
func (s *Setup) Complete() error {
	switch {
	case s.Timetable == nil:
		return field.Errorf("timetable", "missing")
	case s.SwitchesFile != "" && s.PortMap == nil && s.Timetable.PortMap == nil:
		return field.Errorf("port_map", "missing, and the timetable has none; want gpu,port,switch,ingress,egress")
	}
	return s.Reach.complete()
}

// program converts the timetable to a program of the controller.
func (s *Setup) program() (*control.Program, error) {
	table := s.Timetable
	if s.PortMap != nil {
		mapped, err := table.WithPortMap(s.PortMap)
		if err != nil {
			return nil, field.In("port_map", err)
		}
		table = mapped
	}
	p, err := control.NewProgram(table)
	return p, field.In("timetable", err)
}

// controller connects to the switches.
func (s *Reach) controller(own map[string]control.Ports, j *control.Journal) (*control.Controller, error) {
	list, err := inventory.ReadFile(s.SwitchesFile)
	if err != nil {
		return nil, field.In("switches_file", err)
	}
	names := slices.Collect(maps.Keys(own))
	switches, err := list.Open(names)
	if err != nil {
		return nil, field.In("switches_file", fmt.Errorf("%s: %w", s.SwitchesFile, err))
	}
	patience := control.DefaultPatience
	patience.Timeout = s.Timeout.Std()
	return &control.Controller{Switches: switches, Own: own, Journal: j, Patience: patience}, nil
}

// recall reads the journal if it exists.
func (s *Reach) recall() (control.Memory, error) {
	known, err := control.Recall(s.JournalFile)
	if errors.Is(err, fs.ErrNotExist) {
		return control.Memory{}, nil
	}
	return known, field.In("journal", err)
}

// ApplyRequest asks for switches to be set.
type ApplyRequest struct {
	Setup
	// Stage is the only stage to set; 0: all stages, in order.
	Stage  int  `json:"stage,omitempty" help:"set the circuits of stage ${K} only" default:"all stages, in order"`
	DryRun bool `json:"dry_run,omitempty" help:"say what would change, and send no command"`
	Undo   bool `json:"undo,omitempty" help:"go back to what was up before an interrupted change"`
}

// Complete fills in the defaults and reports the first invalid field.
func (r *ApplyRequest) Complete() error {
	if err := r.Setup.Complete(); err != nil {
		return err
	}
	if r.Stage < 0 || r.Stage > len(r.Timetable.Stages) {
		return field.Errorf("stage", "%d is not a stage in 1..%d", r.Stage, len(r.Timetable.Stages))
	}
	if r.Undo && (r.DryRun || r.Stage > 0) {
		return field.Errorf("undo", "not with `stage` or `dry_run`")
	}
	return nil
}

// WatchRequest asks which circuits are up.
type WatchRequest struct {
	Setup
	// Stage is the stage to compare with; 0: the journal's, or the nearest one.
	Stage int `json:"stage,omitempty" help:"compare with stage ${K}" default:"the one that was set last, or the nearest"`
}

// Complete fills in the defaults and reports the first invalid field.
func (r *WatchRequest) Complete() error {
	if err := r.Setup.Complete(); err != nil {
		return err
	}
	if r.Stage < 0 || r.Stage > len(r.Timetable.Stages) {
		return field.Errorf("stage", "%d is not a stage in 1..%d", r.Stage, len(r.Timetable.Stages))
	}
	return nil
}
