package providers

import (
	"fmt"
	"sort"
)

// column is one cell of a model row that a table or a person's configuration may set, by its name in TOML.
// The names of limits, price and quirks carry their table: "limits.max_images".
type column struct {
	name string
	cell
}

// cell puts a value into a row and gets it out again.
type cell struct {
	set func(m *Model, value any) error
	get func(m *Model) any
}

// Cell is one value of a merged row and where it came from.
type Cell struct {
	Column string
	Value  any
	Source string
}

// Shown lists the cells that a source has set, in the order of the table.
func (m Model) Shown() (cells []Cell) {
	for _, c := range columns() {
		if source := m.Sources[c.name]; source != "" {
			cells = append(cells, Cell{c.name, c.get(&m), source})
		}
	}
	return cells
}

// columns is the whole table. A column that no code reads is a defect; a test looks for them.
func columns() []column {
	return []column{
		{"name", text(func(m *Model) *string { return &m.Name })},
		{"image_input", capability(func(m *Model) *Capability { return &m.ImageInput })},
		{"tools", capability(func(m *Model) *Capability { return &m.Tools })},
		{"thinking", capability(func(m *Model) *Capability { return &m.Thinking })},
		{"context_window", number(func(m *Model) *int { return &m.ContextWindow })},
		{"max_output", number(func(m *Model) *int { return &m.MaxOutput })},
		{"image_cost", text(func(m *Model) *string { return &m.ImageCost })},
		{"efforts", words(func(m *Model) *[]string { return &m.Efforts })},

		{"limits.max_images", number(func(m *Model) *int { return &m.Limits.MaxImages })},
		{"limits.max_side", number(func(m *Model) *int { return &m.Limits.MaxSide })},
		{"limits.many_images", number(func(m *Model) *int { return &m.Limits.ManyImages })},
		{"limits.many_side", number(func(m *Model) *int { return &m.Limits.ManySide })},
		{"limits.min_side", number(func(m *Model) *int { return &m.Limits.MinSide })},
		{"limits.max_image_base64", number(func(m *Model) *int64 { return &m.Limits.MaxImageBase64 })},
		{"limits.max_images_bytes", number(func(m *Model) *int64 { return &m.Limits.MaxImagesBytes })},
		{"limits.max_body", number(func(m *Model) *int64 { return &m.Limits.MaxBody })},

		{"price.input", dollars(func(p *Price) *float64 { return &p.Input })},
		{"price.output", dollars(func(p *Price) *float64 { return &p.Output })},
		{"price.cache_read", dollars(func(p *Price) *float64 { return &p.CacheRead })},
		{"price.cache_write", dollars(func(p *Price) *float64 { return &p.CacheWrite })},

		{"quirks.max_tokens_field", text(func(m *Model) *string { return &m.Quirks.MaxTokensField })},
		{"quirks.developer_role", flag(func(m *Model) *bool { return &m.Quirks.DeveloperRole })},
		{"quirks.no_stream_usage", flag(func(m *Model) *bool { return &m.Quirks.NoStreamUsage })},
		{"quirks.reasoning_echo", flag(func(m *Model) *bool { return &m.Quirks.ReasoningEcho })},
		{"quirks.reasoning_style", text(func(m *Model) *string { return &m.Quirks.ReasoningStyle })},
		{"quirks.non_null_content", flag(func(m *Model) *bool { return &m.Quirks.NonNullContent })},
		{"quirks.assistant_after_tool", flag(func(m *Model) *bool { return &m.Quirks.AssistantAfterTool })},
		{"quirks.tool_result_name", flag(func(m *Model) *bool { return &m.Quirks.ToolResultName })},
		{"quirks.id_style", text(func(m *Model) *string { return &m.Quirks.IDStyle })},
		{"quirks.image_detail", text(func(m *Model) *string { return &m.Quirks.ImageDetail })},
		{"quirks.tool_images_as_user", flag(func(m *Model) *bool { return &m.Quirks.ToolImagesAsUser })},
		{"quirks.no_tool_images", flag(func(m *Model) *bool { return &m.Quirks.NoToolImages })},
		{"quirks.schema_dialect", text(func(m *Model) *string { return &m.Quirks.SchemaDialect })},
		{"quirks.echo_extra", flag(func(m *Model) *bool { return &m.Quirks.EchoExtra })},
		{"quirks.bearer_auth", flag(func(m *Model) *bool { return &m.Quirks.BearerAuth })},
		{"quirks.no_cache_control", flag(func(m *Model) *bool { return &m.Quirks.NoCacheControl })},
	}
}

// Columns lists the names a row may set, for checking a configuration.
func Columns() []string {
	var names []string
	for _, c := range columns() {
		names = append(names, c.name)
	}
	sort.Strings(names)
	return names
}

// CheckQuirk says whether a value is of the type a quirk takes.
func CheckQuirk(name string, value any) error {
	return new(Model).apply(Cells{"quirks." + name: value}, "quirk")
}

// Cells are values for columns, by name.
type Cells map[string]any

// flatten turns the nested tables of TOML into column names.
func flatten(nested map[string]any) Cells {
	cells := make(Cells)
	for k, v := range nested {
		if table, ok := v.(map[string]any); ok {
			for inner, value := range table {
				cells[k+"."+inner] = value
			}
			continue
		}
		cells[k] = v
	}
	return cells
}

// apply sets the cells that no earlier, more specific source has set, and notes where each came from.
func (m *Model) apply(cells Cells, source string) error {
	if m.Sources == nil {
		m.Sources = make(map[string]string)
	}
	left := len(cells)
	for _, c := range columns() {
		value, ok := cells[c.name]
		if !ok {
			continue
		}
		left--
		if m.Sources[c.name] != "" {
			continue
		}
		if err := c.set(m, value); err != nil {
			return fmt.Errorf("%s: %s: %w", source, c.name, err)
		}
		m.Sources[c.name] = source
	}
	if left > 0 {
		return fmt.Errorf("%s: a column that does not exist is set; known are %v", source, Columns())
	}
	return nil
}

func text(field func(*Model) *string) cell {
	return cell{func(m *Model, value any) error {
		s, ok := value.(string)
		if !ok {
			return fmt.Errorf("expected a text, found %v", value)
		}
		*field(m) = s
		return nil
	}, func(m *Model) any { return *field(m) }}
}

func capability(field func(*Model) *Capability) cell {
	return cell{func(m *Model, value any) error {
		switch s, _ := value.(string); Capability(s) {
		case Supported, Unsupported, Unknown:
			*field(m) = Capability(s)
			return nil
		}
		return fmt.Errorf("expected supported, unsupported or unknown, found %v", value)
	}, func(m *Model) any { return string(*field(m)) }}
}

func number[N int | int64](field func(*Model) *N) cell {
	return cell{func(m *Model, value any) error {
		switch n := value.(type) {
		case int64:
			*field(m) = N(n)
		case int:
			*field(m) = N(n)
		default:
			return fmt.Errorf("expected a whole number, found %v", value)
		}
		return nil
	}, func(m *Model) any { return *field(m) }}
}

func dollars(field func(*Price) *float64) cell {
	return cell{func(m *Model, value any) error {
		if m.Price == nil {
			m.Price = &Price{}
		}
		switch n := value.(type) {
		case float64:
			*field(m.Price) = n
		case int64:
			*field(m.Price) = float64(n)
		default:
			return fmt.Errorf("expected US dollars for a million tokens, found %v", value)
		}
		return nil
	}, func(m *Model) any { return *field(m.Price) }}
}

func flag(field func(*Model) *bool) cell {
	return cell{func(m *Model, value any) error {
		b, ok := value.(bool)
		if !ok {
			return fmt.Errorf("expected true or false, found %v", value)
		}
		*field(m) = b
		return nil
	}, func(m *Model) any { return *field(m) }}
}

func words(field func(*Model) *[]string) cell {
	return cell{func(m *Model, value any) error {
		switch list := value.(type) {
		case []string:
			*field(m) = list
			return nil
		case []any:
			var out []string
			for _, v := range list {
				s, ok := v.(string)
				if !ok {
					return fmt.Errorf("expected a list of texts, found %v in it", v)
				}
				out = append(out, s)
			}
			*field(m) = out
			return nil
		}
		return fmt.Errorf("expected a list of texts, found %v", value)
	}, func(m *Model) any { return *field(m) }}
}
