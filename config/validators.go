package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Validator says which texts are right for a key. Names, where there are any, are all of them. Check judges what
// is not a choice of names, or more than the name; its error says what was expected. Value judges a column whose
// type only its owner knows, such as a quirk's. A zero Validator takes everything.
type Validator struct {
	Names []string
	Check func(text string) error
	Value func(name string, value any) error
}

// Names of the validators a schema row asks for; main maps each to its owner's Validator.
const (
	CheckMode       = "mode"             // Names from the narrowest to the widest
	CheckRule       = "rule"             // a permission rule
	CheckTool       = "tool"             // the name of a tool, or the beginning of some with a * behind it
	CheckTheme      = "theme"            //
	CheckPreviews   = "previews"         //
	CheckNotify     = "notify"           //
	CheckSandbox    = "sandbox"          //
	CheckNetwork    = "network"          //
	CheckAction     = "action"           // the name of something a key can do
	CheckKey        = "key"              // a key as written in [keys]
	CheckCostRule   = "cost rule"        // a picture cost rule
	CheckCapability = "capability"       // supported, unsupported, unknown
	CheckProtocol   = "protocol"         //
	CheckLimit      = "limit"            // a column of a route's limits
	CheckQuirk      = "quirk"            // a column of a server's quirks, with its Value
	CheckURL        = "URL"              //
	CheckProvider   = "provider"         // the name of a [providers.NAME] table
	CheckModel      = "model"            // provider/model
	CheckServer     = "MCP server"       // the name of an [mcp.NAME] table
	CheckVariable   = "variable"         // the name of a variable of the environment
	CheckHeader     = "header"           // the name of a header
	CheckPattern    = "tool of a server" // the name of a server's tool, or a pattern of names
)

// builtin are the validators of what this package itself defines; Options.Validators replaces them by name.
var builtin = sync.OnceValue(func() map[string]Validator {
	return map[string]Validator{
		CheckMode:       {Names: []string{"plan", "ask", "auto", "full"}},
		CheckTheme:      {Names: []string{"auto", "dark", "light", "high-contrast", "none"}},
		CheckPreviews:   {Names: []string{"auto", "kitty", "blocks", "off"}},
		CheckNotify:     {Names: []string{"auto", "bell", "off"}},
		CheckSandbox:    {Names: []string{"auto", "off"}},
		CheckNetwork:    {Names: []string{"ask", "allow"}},
		CheckCapability: {Names: []string{"supported", "unsupported", "unknown"}},
		CheckProtocol:   {Names: []string{"chat", "anthropic", "responses", "fake"}},
		CheckURL:        {Check: checkURL},
		CheckProvider:   {Check: checkProvider},
		CheckModel:      {Check: checkModel},
		CheckServer:     {Check: checkServer},
		CheckVariable:   {Check: checkVariable},
		CheckHeader:     {Check: checkHeader},
		CheckPattern:    {Check: checkPattern},
	}
})

// validators are those of a Load.
type validators map[string]Validator

func (v validators) get(name string) Validator {
	if own, ok := v[name]; ok {
		return own
	}
	return builtin()[name]
}

// check judges a text; the error is the part of a sentence after "is not a ...".
func (v validators) check(name, text string) error {
	validator := v.get(name)
	if len(validator.Names) > 0 && !slices.Contains(validator.Names, text) {
		return fmt.Errorf("%s is no %s; %s", quoted(text), name, oneOf(text, validator.Names))
	}
	if validator.Check == nil {
		return nil
	}
	if err := validator.Check(text); err != nil {
		return fmt.Errorf("%s is no %s: %s", quoted(text), name, oneLine(err))
	}
	return nil
}

// wider reports whether mode a lets more run unasked than b.
func (v validators) wider(a, b string) bool {
	names := v.get(CheckMode).Names
	return slices.Index(names, a) > slices.Index(names, b)
}

// cause is a file error without the path, which the sentence around it names.
func cause(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return oneLine(err)
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New(`it starts with http:// or https:// and names a host`)
	}
	return nil
}

var providerShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A[A-Za-z0-9._-]{1,64}\z`) })

func checkProvider(text string) error {
	if !providerShape().MatchString(text) {
		return errors.New("it has letters, digits, dots, dashes and underscores only")
	}
	return nil
}

func checkModel(text string) error {
	provider, model, ok := strings.Cut(text, "/")
	if !ok || provider == "" || model == "" || strings.TrimSpace(text) != text {
		return errors.New(`it is written provider/model, for example "anthropic/claude-opus-5"`)
	}
	return nil
}
