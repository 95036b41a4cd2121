package strict

func checkMessages(c *checker) *refusal { return bad("not served") }
