package traffic

// Interval is the time from Start to End, without End.
type Interval struct{ Start, End int64 }

// Uptime says when a circuit is up: from on until off, and in later intervals.
type Uptime struct {
	On, Off int64
	Later   []Interval
}

// Around returns the interval that contains time t, else the next one, else the last one.
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

// Advance moves on to the interval that contains time t, else the next one, else the last one.
func (c *Uptime) Advance(t int64) {
	for t >= c.Off && len(c.Later) > 0 {
		c.On, c.Off, c.Later = c.Later[0].Start, c.Later[0].End, c.Later[1:]
	}
}
