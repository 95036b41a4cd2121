package agent

import (
	"encoding/json"

	"espy/providers"
)

// toolList is the tool list as the prelude keeps it: a text, so that what is sent stays byte-identical.
func toolList(specs []providers.ToolSpec) string {
	encoded, err := json.Marshal(specs)
	if err != nil {
		panic(err) // three strings each: cannot fail
	}
	return string(encoded)
}

// toolSpecs reads a prelude's tool list. A list nobody can read is no list: the model then has no tools.
func toolSpecs(list string) []providers.ToolSpec {
	var specs []providers.ToolSpec
	if json.Unmarshal([]byte(list), &specs) != nil {
		return nil
	}
	return specs
}
