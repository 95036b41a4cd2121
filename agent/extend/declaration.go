package extend

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"espy/agent/guard"
	"espy/agent/tools"
)

// declaration is a tools/*.toml file.
type declaration struct {
	Kind        string               `toml:"kind"` // command or http
	Name        string               `toml:"name"`
	Description string               `toml:"description"`
	ReadOnly    bool                 `toml:"read_only"`
	Timeout     int                  `toml:"timeout_seconds"`
	Parameters  map[string]parameter `toml:"parameters"`

	Argv   []string `toml:"argv"`    // command
	Cwd    string   `toml:"cwd"`     // command
	Env    []string `toml:"env"`     // command: names of variables it gets beyond the usual
	Output string   `toml:"output"`  // text or envelope; http: also picture
	Box    string   `toml:"sandbox"` // command: "off" runs it outside the sandbox

	Method  string            `toml:"method"`  // http: GET or POST
	URL     string            `toml:"url"`     // http: scheme and host fixed, placeholders in path and query only
	Query   map[string]string `toml:"query"`   // http
	Headers map[string]string `toml:"headers"` // http: values may hold ${env:NAME}
	Body    string            `toml:"body"`    // http: a JSON template
	Fields  []string          `toml:"fields"`  // http: what of a JSON answer is kept, for example web.results[].title

	project bool
}

const (
	defaultTimeout = 60 * time.Second
	maxTimeout     = 10 * time.Minute
	maxDeclaration = 64 << 10 // bytes of one declaring file
	maxArgv        = 64
	maxParameters  = 32
)

// toolName is what services take as a function name.
var toolName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]{0,63}$`)

// parseTool reads a tool file.
func parseTool(f File) (tools.Tool, string, error) {
	if len(f.Data) > maxDeclaration {
		return tools.Tool{}, "", fmt.Errorf("the file has %d bytes; a tool is declared in at most %d", len(f.Data), maxDeclaration)
	}
	d := declaration{project: f.Project}
	decoder := toml.NewDecoder(bytes.NewReader(f.Data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return tools.Tool{}, "", tomlError(err)
	}
	if err := d.check(); err != nil {
		return tools.Tool{}, "", err
	}
	if d.Kind == "http" {
		t, err := httpTool(d)
		return t, d.Name, err
	}
	return commandTool(d), d.Name, nil
}

// tomlError puts the place and what is wrong into one line.
func tomlError(err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		e := strict.Errors[0]
		row, column := e.Position()
		return fmt.Errorf("line %d, column %d: there is no key %s", row, column, strings.Join(e.Key(), "."))
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		row, column := decode.Position()
		return fmt.Errorf("line %d, column %d: %s", row, column, strings.TrimPrefix(decode.Error(), "toml: "))
	}
	return err
}

func (d *declaration) check() error {
	switch {
	case !toolName.MatchString(d.Name):
		return fmt.Errorf("name %q: expected a letter and then letters, digits, - and _, 64 at most", d.Name)
	case taken(d.Name):
		return fmt.Errorf("name %q is that of a tool of espy's own or of a server; take another", d.Name)
	case strings.TrimSpace(d.Description) == "":
		return errors.New("description is missing: it tells the model what the tool is for")
	case d.Timeout < 0 || time.Duration(d.Timeout)*time.Second > maxTimeout:
		return fmt.Errorf("timeout_seconds = %d: expected 1 to %d", d.Timeout, int(maxTimeout/time.Second))
	case len(d.Parameters) > maxParameters:
		return fmt.Errorf("%d parameters: at most %d", len(d.Parameters), maxParameters)
	}
	for name, p := range d.Parameters {
		if err := p.check(name); err != nil {
			return err
		}
	}
	switch d.Kind {
	case "command":
		return d.checkCommand()
	case "http":
		return nil // httpTool checks it
	}
	return fmt.Errorf("kind %q: expected command or http", d.Kind)
}

// taken reports whether a name is no file's to give: a tool of that name would never run, or under rules that were
// written for another.
func taken(name string) bool {
	own := append(tools.Builtin(), tools.Task())
	return slices.Contains([]string{tools.LoadTools, FetchTool, SkillTool, guard.OutsideTool}, name) || strings.HasPrefix(name, tools.ServerTools) ||
		slices.ContainsFunc(own, func(t tools.Tool) bool { return t.Spec.Name == name })
}

func (d *declaration) checkCommand() error {
	switch {
	case len(d.Argv) == 0:
		return errors.New("argv is missing: a list of the program and its arguments")
	case len(d.Argv) > maxArgv:
		return fmt.Errorf("argv has %d elements: at most %d", len(d.Argv), maxArgv)
	case strings.Contains(d.Argv[0], "{"):
		return errors.New("argv[0] names the program and takes no argument of the model")
	case d.Output != "" && d.Output != "text" && d.Output != "envelope":
		return fmt.Errorf("output %q: expected text or envelope", d.Output)
	case d.Box != "" && d.Box != "off":
		return fmt.Errorf("sandbox %q: expected off, or nothing for a program that runs in it", d.Box)
	}
	for _, element := range d.Argv[1:] {
		if err := d.checkTemplate(element); err != nil {
			return fmt.Errorf("argv: %w", err)
		}
	}
	return nil
}

// placeholder is {name} in a template.
var placeholder = regexp.MustCompile(`\{([a-zA-Z_][a-zA-Z0-9_]*)\}`)

// checkTemplate says whether every placeholder names a parameter.
func (d *declaration) checkTemplate(template string) error {
	for _, m := range placeholder.FindAllStringSubmatch(template, -1) {
		if _, ok := d.Parameters[m[1]]; !ok {
			return fmt.Errorf("%q names {%s}, which is no parameter; there are %s", template, m[1], strings.Join(sortedNames(d.Parameters), ", "))
		}
	}
	return nil
}

func (d *declaration) timeout() time.Duration {
	if d.Timeout == 0 {
		return defaultTimeout
	}
	return time.Duration(d.Timeout) * time.Second
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
