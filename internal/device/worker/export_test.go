package worker

// Abandon kills the worker under a call.
func (c *Client) Abandon() { c.process.Kill() }
