package emulating

import (
	"cmp"
	"context"
	"math"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/emulate/calibrate"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/units"
)

// CalibrateRequest asks for the latency and bandwidth that measured times show or, without any,
// those of this host.
type CalibrateRequest struct {
	Samples []CalibrateSample `json:"samples,omitempty"`
	Nodes   int               `json:"nodes,omitempty" help:"measure this host with ${N} ranks" default:"8"`
	Repeats int               `json:"repeats,omitempty" help:"take the median of ${K} measurements" default:"7"`
	// Fit is the method for measured times: relative (the default: least squares of relative
	// errors) or plateau:SIZE (alpha is the mean up to SIZE; larger samples determine the
	// bandwidth by absolute errors).
	Fit string `json:"fit,omitempty" help:"fit measured times by ${METHOD}: relative | plateau:SIZE" default:"relative"`
}

// CalibrateSample is a measured time.
type CalibrateSample struct {
	Bytes  float64    `json:"bytes"`
	TimeNs units.Time `json:"time_ns"`
	Steps  float64    `json:"steps,omitempty"`            // of communication; 0: not given
	Factor float64    `json:"bandwidth_factor,omitempty"` // of the bytes, such as 2(N-1)/N; 0: 1
}

// UnmarshalJSON reads the JSON form.
func (r *CalibrateRequest) UnmarshalJSON(data []byte) error {
	type plain CalibrateRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first invalid field.
func (r *CalibrateRequest) Complete() error {
	if _, err := calibrate.ParseMethod(r.Fit); err != nil {
		return field.In("fit", err)
	}
	if r.Samples != nil {
		switch {
		case r.Nodes != 0:
			return field.Errorf("nodes", "not with measured times: no host is measured")
		case r.Repeats != 0:
			return field.Errorf("repeats", "not with measured times: no host is measured")
		}
		for i, s := range r.Samples {
			if !(s.Bytes >= 0) || !(s.TimeNs > 0) || !(s.Steps >= 0) || !(s.Factor >= 0) || math.IsInf(s.Bytes*s.Factor+float64(s.TimeNs)+s.Steps, 0) {
				return field.Errorf(field.Index("samples", i), "want bytes from 0, time_ns above 0")
			}
		}
		return nil
	}
	if r.Fit != "" {
		return field.Errorf("fit", "only with measured times: a host is always fitted by relative errors")
	}
	const most = 1024
	r.Nodes = cmp.Or(r.Nodes, calibrate.DefaultNodes)
	r.Repeats = cmp.Or(r.Repeats, calibrate.DefaultRepeats)
	switch {
	case r.Nodes < fabric.MinNodes || r.Nodes > most:
		return field.In("nodes", field.Range(r.Nodes, fabric.MinNodes, most))
	case r.Repeats < 1 || r.Repeats > most:
		return field.Errorf("repeats", "%d is not in 1..%d", r.Repeats, most)
	}
	return nil
}

// CalibrateSchema names the JSON form of a calibration and its version.
const CalibrateSchema = "lightpath.calibrate/v1"

// Calibration is time = epsilon + alpha*steps + delta*hops + bytes/bandwidth, fitted to
// measured times.
type Calibration struct {
	Schema  string     `json:"schema"`
	Fit     string     `json:"fit"` // the method that found the line
	AlphaNs units.Time `json:"alpha_ns"`
	// EpsilonNs is a constant, if the numbers of steps distinguish it from alpha.
	EpsilonNs    units.Time      `json:"epsilon_ns,omitempty"`
	DeltaNs      units.Time      `json:"delta_ns"`
	BandwidthBps units.Bandwidth `json:"bandwidth_bps"`
	BarrierNs    units.Time      `json:"barrier_ns"`  // of the host; 0: not measured
	ReconfigNs   units.Time      `json:"reconfig_ns"` // of the host's software switch; 0: not measured
	Residual     float64         `json:"residual"`    // mean of |fitted - measured| / measured
	ResidualMax  float64         `json:"residual_max"`
	Samples      int             `json:"samples"`
	Nodes        int             `json:"nodes,omitempty"` // ranks used to measure the host
	// Measured are the samples and their fitted times.
	Measured []CalibratedSample `json:"measured"`
	// OtherFits are the results of other methods, if the samples allow these.
	OtherFits []OtherFit `json:"other_fits,omitempty"`

	fabric   fabric.Fabric
	settings []string
}

// OtherFit is the line that another method fits to the same samples.
type OtherFit struct {
	Fit          string          `json:"fit"`
	AlphaNs      units.Time      `json:"alpha_ns"`
	BandwidthBps units.Bandwidth `json:"bandwidth_bps"`
	Residual     float64         `json:"residual"` // mean of |fitted - measured| / measured
}

// CalibratedSample compares a sample with the fit.
type CalibratedSample struct {
	Bytes    float64    `json:"bytes"`
	Hops     float64    `json:"hops,omitempty"`
	Steps    float64    `json:"steps,omitempty"`
	TimeNs   units.Time `json:"time_ns"`
	FittedNs units.Time `json:"fitted_ns"`
}

// Fabric returns the fitted fabric and the names of the settings that are measured.
func (c *Calibration) Fabric() (fabric.Fabric, []string) { return c.fabric, c.settings }

// Calibrate fits the model of latency and bandwidth to measured times; without any, it measures
// this host first.
func Calibrate(ctx context.Context, r CalibrateRequest, options ...command.Option) (*Calibration, error) {
	e := command.NewRun(options)
	if err := r.Complete(); err != nil {
		return nil, err
	}
	c := &Calibration{Schema: CalibrateSchema, Measured: []CalibratedSample{}}
	if r.Samples != nil {
		var samples []calibrate.Sample
		for _, s := range r.Samples {
			samples = append(samples, calibrate.Sample{Bytes: s.Bytes, Time: s.TimeNs, Steps: s.Steps, Factor: s.Factor})
		}
		method, err := calibrate.ParseMethod(r.Fit)
		if err != nil {
			return nil, field.In("fit", err)
		}
		line, err := method.Fit(samples)
		if err != nil {
			return nil, field.In("samples", err)
		}
		c.Fit = method.String()
		for _, other := range []calibrate.Method{calibrate.Relative, calibrate.Plateau(0)} {
			if l, err := other.Fit(samples); err == nil && other != method {
				c.OtherFits = append(c.OtherFits, OtherFit{Fit: other.String(), AlphaNs: l.Alpha, BandwidthBps: l.Bandwidth(), Residual: l.Residual})
			}
		}
		c.fabric, c.settings = line.Fabric(), []string{"bandwidth", "alpha", "delta"}
		c.fill(line, samples)
		return c, nil
	}
	host, samples, err := calibrate.Measure(ctx, calibrate.Options{
		Nodes: r.Nodes, Repeats: r.Repeats, Launcher: e.Launcher, Progress: e.Progress,
	})
	if err != nil {
		return nil, err
	}
	c.fabric, c.settings = host.Fabric(), []string{"nodes", "ports", "bandwidth", "alpha", "delta", "reconfig"}
	c.Fit = calibrate.Relative.String()
	c.BarrierNs, c.ReconfigNs, c.Nodes = host.Barrier, host.Reconfig, host.Nodes
	c.fill(&host.Line, samples)
	return c, nil
}

func (c *Calibration) fill(l *calibrate.Line, samples []calibrate.Sample) {
	c.AlphaNs, c.EpsilonNs, c.DeltaNs, c.BandwidthBps = l.Alpha, l.Epsilon, l.Delta, l.Bandwidth()
	c.Residual, c.ResidualMax, c.Samples = l.Residual, l.Worst, l.Samples
	for _, s := range samples {
		c.Measured = append(c.Measured, CalibratedSample{Bytes: s.Bytes, Hops: s.Hops, Steps: s.Steps, TimeNs: s.Time, FittedNs: l.At(s)})
	}
}
