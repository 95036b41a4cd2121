package guard

func (c *judging) command() Decision { return Decision{Verdict: Ask, Reason: "commands ask"} }
