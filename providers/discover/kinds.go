package discover

import (
	"encoding/json"
	"regexp"
	"strconv"
	"sync"

	"espy/providers"
)

// anthropic asks the Messages service for its models, with their sight and sizes.
func (q *inquiry) anthropic() ([]providers.ModelCells, error) {
	raw, err := q.get(q.root() + "/v1/models?limit=1000")
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data []struct {
			ID           string                     `json:"id"`
			Name         string                     `json:"display_name"`
			MaxInput     providers.LooseInt         `json:"max_input_tokens"`
			MaxOutput    providers.LooseInt         `json:"max_tokens"`
			Capabilities map[string]json.RawMessage `json:"capabilities"`
		} `json:"data"`
	}
	if json.Unmarshal(raw, &answer) != nil || answer.Data == nil {
		return nil, notUnderstood(q.server)
	}
	var models []providers.ModelCells
	for _, m := range answer.Data {
		cells := providers.Cells{}
		if m.Name != "" {
			cells["name"] = m.Name
		}
		setTokens(cells, "context_window", m.MaxInput)
		setTokens(cells, "max_output", m.MaxOutput)
		for said, column := range map[string]string{"image_input": "image_input", "thinking": "thinking"} {
			if has, known := truth(m.Capabilities[said]); known {
				setCapability(cells, column, has)
			}
		}
		models = append(models, providers.ModelCells{Name: m.ID, Cells: cells})
	}
	return models, nil
}

// truth reads a capability that is given as true or as {"supported": true}.
func truth(raw json.RawMessage) (value, known bool) {
	if json.Unmarshal(raw, &value) == nil {
		return value, string(raw) != "null"
	}
	var object struct {
		Supported *bool `json:"supported"`
	}
	if json.Unmarshal(raw, &object) != nil || object.Supported == nil {
		return false, false
	}
	return *object.Supported, true
}

// ollama asks after each model: what it can do, and how much context it is run with. The model's own maximum says
// nothing, because Ollama cuts what is longer than the context it was started with, silently.
func (q *inquiry) ollama(models []providers.ModelCells) {
	running := q.ollamaRunning()
	var wait sync.WaitGroup
	places := make(chan struct{}, detailsAtOnce)
	for _, m := range models[:min(len(models), mostDetails)] {
		if n := running[m.Name]; n.Set {
			setTokens(m.Cells, "context_window", n)
		}
		wait.Add(1)
		places <- struct{}{}
		go func() {
			defer wait.Done()
			defer func() { <-places }()
			q.ollamaModel(m)
		}()
	}
	wait.Wait()
}

// numCtx is the line of a model's parameters that sets its context.
var numCtx = regexp.MustCompile(`(?m)^num_ctx\s+(\d{1,9})\s*$`)

func (q *inquiry) ollamaModel(m providers.ModelCells) {
	body, err := providers.EncodeJSON(map[string]string{"model": m.Name})
	if err != nil {
		return
	}
	raw, err := q.fetch(q.root()+"/api/show", body)
	if err != nil {
		return
	}
	var show struct {
		Capabilities []string            `json:"capabilities"`
		Parameters   providers.LooseText `json:"parameters"`
	}
	if json.Unmarshal(raw, &show) != nil {
		return
	}
	if len(show.Capabilities) > 0 {
		setCapability(m.Cells, "image_input", contains(show.Capabilities, "vision"))
		setCapability(m.Cells, "tools", contains(show.Capabilities, "tools"))
		setCapability(m.Cells, "thinking", contains(show.Capabilities, "thinking"))
	}
	if found := numCtx.FindStringSubmatch(string(show.Parameters)); found != nil && m.Cells["context_window"] == nil {
		n, _ := strconv.Atoi(found[1])
		setTokens(m.Cells, "context_window", providers.LooseInt{N: n, Set: true})
	}
}

// ollamaRunning is the context of the models that are loaded now.
func (q *inquiry) ollamaRunning() map[string]providers.LooseInt {
	running := map[string]providers.LooseInt{}
	raw, err := q.get(q.root() + "/api/ps")
	if err != nil {
		return running
	}
	var answer struct {
		Models []struct {
			Name    string             `json:"name"`
			Context providers.LooseInt `json:"context_length"`
		} `json:"models"`
	}
	_ = json.Unmarshal(raw, &answer) // an older server says less
	for _, m := range answer.Models {
		running[m.Name] = m.Context
	}
	return running
}

// llamaCpp asks for the properties of the one model that is loaded.
func (q *inquiry) llamaCpp(models []providers.ModelCells) {
	raw, err := q.get(q.root() + "/props")
	if err != nil || len(models) != 1 {
		return
	}
	var props struct {
		Modalities *struct {
			Vision *bool `json:"vision"`
		} `json:"modalities"`
		Context  providers.LooseInt `json:"n_ctx"`
		Settings struct {
			Context providers.LooseInt `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if json.Unmarshal(raw, &props) != nil {
		return
	}
	cells := models[0].Cells
	if props.Modalities != nil && props.Modalities.Vision != nil {
		setCapability(cells, "image_input", *props.Modalities.Vision)
	}
	setTokens(cells, "context_window", props.Context)
	setTokens(cells, "context_window", props.Settings.Context)
}

// lmStudio asks LM Studio's own interface, in its newer form first.
func (q *inquiry) lmStudio(models []providers.ModelCells) {
	byName := map[string]providers.Cells{}
	for _, m := range models {
		byName[m.Name] = m.Cells
	}
	if raw, err := q.get(q.root() + "/api/v1/models"); err == nil && lmStudioNew(raw, byName) {
		return
	}
	if raw, err := q.get(q.root() + "/api/v0/models"); err == nil {
		lmStudioOld(raw, byName)
	}
}

func lmStudioNew(raw []byte, byName map[string]providers.Cells) bool {
	var answer struct {
		Models []struct {
			Key    string             `json:"key"`
			Name   string             `json:"display_name"`
			Most   providers.LooseInt `json:"max_context_length"`
			Loaded []struct {
				ID     string `json:"id"`
				Config struct {
					Context providers.LooseInt `json:"context_length"`
				} `json:"config"`
			} `json:"loaded_instances"`
			Capabilities *struct {
				Vision *bool `json:"vision"`
				Tools  *bool `json:"trained_for_tool_use"`
			} `json:"capabilities"`
		} `json:"models"`
	}
	if json.Unmarshal(raw, &answer) != nil || answer.Models == nil {
		return false
	}
	for _, m := range answer.Models {
		names, context := []string{m.Key}, m.Most
		for _, l := range m.Loaded {
			names = append(names, l.ID)
			if l.Config.Context.Set {
				context = l.Config.Context
			}
		}
		for _, name := range names {
			cells := byName[name]
			if cells == nil {
				continue
			}
			if m.Name != "" {
				cells["name"] = m.Name
			}
			setTokens(cells, "context_window", context)
			if m.Capabilities != nil && m.Capabilities.Vision != nil {
				setCapability(cells, "image_input", *m.Capabilities.Vision)
			}
			if m.Capabilities != nil && m.Capabilities.Tools != nil && *m.Capabilities.Tools {
				setCapability(cells, "tools", true) // "not trained for it" still works, less well
			}
		}
	}
	return true
}

func lmStudioOld(raw []byte, byName map[string]providers.Cells) {
	var answer struct {
		Data []struct {
			ID     string             `json:"id"`
			Type   string             `json:"type"` // llm, vlm, embeddings
			Most   providers.LooseInt `json:"max_context_length"`
			Loaded providers.LooseInt `json:"loaded_context_length"`
		} `json:"data"`
	}
	_ = json.Unmarshal(raw, &answer) // what is not understood stays unknown
	for _, m := range answer.Data {
		cells := byName[m.ID]
		if cells == nil {
			continue
		}
		setTokens(cells, "context_window", m.Most)
		setTokens(cells, "context_window", m.Loaded)
		if m.Type == "vlm" || m.Type == "llm" {
			setCapability(cells, "image_input", m.Type == "vlm")
		}
	}
}
