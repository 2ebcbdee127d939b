package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/lightpath-net/lightpath/command/training"
	"github.com/lightpath-net/lightpath/report/tabular"
	"github.com/lightpath-net/lightpath/units"
)

// maxCollectives is the number of collectives that are listed one by one.
const maxCollectives = 24

// Training writes how long a minibatch takes and what of its communication is hidden.
func Training(w io.Writer, t *training.Training) {
	fmt.Fprintf(w, "a minibatch of %s on %s takes %v\n\n", t.Trace, units.Count(t.Network.Nodes, "GPU"), t.MinibatchNs)
	names, texts := []string{"trace", "network"}, []string{
		fmt.Sprintf("%s, %s of gradients", units.Count(t.Layers, "layer"), units.FormatBytes(float64(t.AllReduceBytes))),
		trainingNetwork(&t.Network),
	}
	if p := t.Network.Planned; p != nil {
		names, texts = append(names, "fabric"), append(texts, describe(&p.Fabric))
	}
	tabular.List(w, "  ", append(names, "gradients"), append(texts, buffering(t)))
	fmt.Fprintln(w)
	writeOverlap(w, t)
	if len(t.Collectives) == 0 {
		return
	}
	fmt.Fprintln(w)
	rows := tabular.New("  ", "collective", "of layer", ">layers", ">bytes", ">starts", ">waited", ">takes")
	for _, c := range t.Collectives {
		rows.Add(string(c.Op), shorten(c.First, 20), strconv.Itoa(c.Layers), units.FormatBytes(float64(c.Bytes)),
			c.StartNs.String(), max(0, c.StartNs-c.ReadyNs).String(), (c.EndNs - c.StartNs).String())
	}
	rows.Write(w, maxCollectives, "collectives; `json` lists all")
}

// trainingNetwork says what carries the collectives and what they cost.
func trainingNetwork(n *training.TrainingNetwork) string {
	if p := n.Planned; p != nil {
		text := fmt.Sprintf("algorithm %s, planner %s, %s", p.Algorithm, p.Planner, units.Count(p.Plans, "plan"))
		if p.PortsUsed > 0 {
			text += fmt.Sprintf("; %s of a GPU in use", units.Count(p.PortsUsed, "port"))
		}
		if p.Stays != "" {
			text += fmt.Sprintf("; %s stays up for the whole minibatch", p.Stays)
		}
		if p.Changes > 0 {
			text += fmt.Sprintf("; %s between collectives, %v", units.Count(p.Changes, "reconfiguration"), p.ChangesNs)
		}
		if p.Within > 0 {
			text += fmt.Sprintf("; %s within collectives", units.Count(p.Within, "reconfiguration"))
		}
		return text
	}
	c := n.Circuits
	text := fmt.Sprintf("%s: allreduce %d x %v + %s M/B", c.Topology, c.Steps, c.AlphaNs, c.Bandwidth)
	for _, o := range c.Others {
		text += fmt.Sprintf(" or %d x %v + %s M/B", o.Steps, c.AlphaNs, o.Bandwidth)
	}
	if c.AllToAll != nil {
		text += fmt.Sprintf(", all-to-all %d x %v + %.4g M/B", c.AllToAll.Steps, c.AlphaNs, c.AllToAll.Bandwidth)
	}
	return text + fmt.Sprintf(", B = %v", units.Bandwidth(c.NodeBandwidthBps))
}

// buffering says which gradients are sent together.
func buffering(t *training.Training) string {
	text := "all that are ready when the network is free go together"
	if t.BucketBytes > 0 {
		text = fmt.Sprintf("in buckets of %v", units.Bytes(t.BucketBytes))
	}
	text += ": " + units.Count(t.AllReduces, "allreduce")
	if t.AllToAllFirst {
		text += "; all-to-alls overtake them"
	}
	return text
}

// writeOverlap writes the minibatch as computation and exposed communication.
func writeOverlap(w io.Writer, t *training.Training) {
	share := func(part, whole units.Time) string {
		if whole == 0 {
			return ""
		}
		return fmt.Sprintf("%.1f%%", 100*float64(part/whole))
	}
	tail := t.ExposedNs - t.StalledNs
	parts := tabular.New("  ", "", ">", ">", "")
	parts.Add("forward", t.ForwardNs.String(), share(t.ForwardNs, t.MinibatchNs), "computation")
	parts.Add("backward", t.BackwardNs.String(), share(t.BackwardNs, t.MinibatchNs), "computation")
	if t.AllToAlls > 0 {
		parts.Add("stalled", t.StalledNs.String(), share(t.StalledNs, t.MinibatchNs), "passes wait for "+units.Count(t.AllToAlls, "all-to-all"))
	}
	parts.Add("tail", tail.String(), share(tail, t.MinibatchNs), "allreduces after the backward pass")
	parts.Add("minibatch", t.MinibatchNs.String(), "", fmt.Sprintf("at least %v on this network; gap %.1f%%", t.BoundNs, 100*t.Gap))
	parts.Write(w, 0, "")
	fmt.Fprintln(w)
	sent := tabular.New("  ", "", ">", ">", "")
	sent.Add("communication", t.CommunicationNs.String(), "", fmt.Sprintf("network busy %s", share(t.CommunicationNs, t.MinibatchNs)))
	sent.Add("hidden", (t.CommunicationNs - t.ExposedNs).String(), share(t.CommunicationNs-t.ExposedNs, t.CommunicationNs), "behind computation")
	sent.Add("exposed", t.ExposedNs.String(), share(t.ExposedNs, t.CommunicationNs), "")
	sent.Write(w, 0, "")
}

// Traces writes the built-in traces.
func Traces(w io.Writer, l *training.TraceList) {
	t := tabular.New("", "trace", ">layers", ">gradients", ">all-to-all", ">forward", ">backward")
	for _, i := range l.Traces {
		exchange := "-"
		if i.AllToAllBytes > 0 {
			exchange = units.FormatBytes(float64(i.AllToAllBytes))
		}
		t.Add(i.Name, strconv.Itoa(i.Layers), units.FormatBytes(float64(i.GradientBytes)), exchange, i.ForwardNs.String(), i.BackwardNs.String())
	}
	t.Write(w, 0, "")
	fmt.Fprintln(w, "\nsources and assumptions: `json`")
}
