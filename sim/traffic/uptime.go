package traffic

// Interval is a time from start until end, without the end.
type Interval struct{ Start, End int64 }

// Uptime is when a circuit is up: from on until off, and later again.
type Uptime struct {
	On, Off int64
	Later   []Interval
}

// Around returns the interval that is up at time t, or next after it, or the last one.
func (c *Uptime) Around(t int64) (on, off int64) {
	if t < c.Off || len(c.Later) == 0 {
		return c.On, c.Off
	}
	return c.beyond(t)
}

func (c *Uptime) beyond(t int64) (on, off int64) {
	for _, up := range c.Later {
		if on, off = up.Start, up.End; t < off {
			break
		}
	}
	return on, off
}

// Advance goes on to the interval that is up at time t, or next after it.
func (c *Uptime) Advance(t int64) {
	for t >= c.Off && len(c.Later) > 0 {
		c.On, c.Off, c.Later = c.Later[0].Start, c.Later[0].End, c.Later[1:]
	}
}
