package strict

func checkResponses(c *checker) *refusal { return bad("not served") }

// Responses renders the turn as a Responses stream.
func (t Turn) Responses() string { return "" }
