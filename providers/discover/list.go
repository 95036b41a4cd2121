package discover

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"espy/providers"
)

// listed is one model of a /models list, with what the imitators add to it.
type listed struct {
	ID            string              `json:"id"`
	Name          string              `json:"name"`
	OwnedBy       providers.LooseText `json:"owned_by"`
	MaxModelLen   providers.LooseInt  `json:"max_model_len"`  // vLLM
	ContextLength providers.LooseInt  `json:"context_length"` // OpenRouter and many others
	Architecture  *struct {
		Input []string `json:"input_modalities"`
	} `json:"architecture"`
	Pricing map[string]providers.LooseText `json:"pricing"`
	Top     *struct {
		MaxOutput providers.LooseInt `json:"max_completion_tokens"`
	} `json:"top_provider"`
	Parameters []string `json:"supported_parameters"`
}

// list asks a compatible server for its models, and by how it answers, what kind it is; the kinds that know more
// are asked for it.
func (q *inquiry) list() (kind string, models []providers.ModelCells, err error) {
	raw, err := q.get(q.server.BaseURL + "/models")
	if err != nil {
		return "", nil, err
	}
	var answer struct {
		Data []json.RawMessage `json:"data"`
	}
	if json.Unmarshal(raw, &answer) != nil || answer.Data == nil {
		return "", nil, notUnderstood(q.server)
	}
	kind = "a models list"
	for _, item := range answer.Data {
		var m listed
		if json.Unmarshal(item, &m) != nil || m.ID == "" {
			continue
		}
		if k := kindOf(string(m.OwnedBy)); k != "" {
			kind = k
		}
		models = append(models, providers.ModelCells{Name: m.ID, Cells: m.cells()})
	}
	if k := kindByName(q.server.Name); k != "" && kind == "a models list" {
		kind = k
	}
	q.more(kind, models)
	return kind, models, nil
}

// kindOf knows a server by the owner it gives its models.
func kindOf(owner string) string {
	switch owner {
	case "library":
		return "Ollama"
	case "llamacpp":
		return "llama.cpp"
	case "vllm":
		return "vLLM"
	case "organization_owner":
		return "LM Studio"
	}
	return ""
}

// kindByName knows a server by what espy or the person calls it.
func kindByName(name string) string {
	switch name {
	case "ollama":
		return "Ollama"
	case "llamacpp":
		return "llama.cpp"
	case "lmstudio":
		return "LM Studio"
	case "vllm":
		return "vLLM"
	case "openrouter":
		return "OpenRouter"
	}
	return ""
}

// more fills in what a server of the kind says elsewhere. What it does not say stays unknown.
func (q *inquiry) more(kind string, models []providers.ModelCells) {
	switch kind {
	case "Ollama":
		q.ollama(models)
	case "llama.cpp":
		q.llamaCpp(models)
	case "LM Studio":
		q.lmStudio(models)
	}
}

func (m listed) cells() providers.Cells {
	cells := providers.Cells{}
	if m.Name != "" && m.Name != m.ID {
		cells["name"] = m.Name
	}
	setTokens(cells, "context_window", m.ContextLength)
	setTokens(cells, "context_window", m.MaxModelLen)
	if m.Architecture != nil && len(m.Architecture.Input) > 0 {
		setCapability(cells, "image_input", contains(m.Architecture.Input, "image"))
	}
	if m.Top != nil {
		setTokens(cells, "max_output", m.Top.MaxOutput)
	}
	if len(m.Parameters) > 0 {
		setCapability(cells, "tools", contains(m.Parameters, "tools"))
		setCapability(cells, "thinking", contains(m.Parameters, "reasoning"))
	}
	for from, to := range map[string]string{"prompt": "price.input", "completion": "price.output", "input_cache_read": "price.cache_read", "input_cache_write": "price.cache_write"} {
		setPrice(cells, to, string(m.Pricing[from]))
	}
	if cells["price.input"] == nil || cells["price.output"] == nil {
		for _, column := range []string{"price.input", "price.output", "price.cache_read", "price.cache_write"} {
			delete(cells, column) // half a price is none
		}
	}
	return cells
}

func setTokens(cells providers.Cells, column string, n providers.LooseInt) {
	if n.Set && n.N > 0 && n.N <= mostTokens {
		cells[column] = n.N
	}
}

func setCapability(cells providers.Cells, column string, has bool) {
	cells[column] = string(providers.Unsupported)
	if has {
		cells[column] = string(providers.Supported)
	}
}

// mostDollars bounds a believable price for a million tokens.
const mostDollars = 100_000

// setPrice takes a price for one token, in text; OpenRouter gives -1 where it varies.
func setPrice(cells providers.Cells, column, perToken string) {
	price, err := strconv.ParseFloat(strings.TrimSpace(perToken), 64)
	price = math.Round(price*1e12) / 1e6 // for a million, without the dust of the multiplication
	if err == nil && price >= 0 && price <= mostDollars {
		cells[column] = price
	}
}

func contains(list []string, word string) bool {
	for _, w := range list {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}
