package providers

// Quirks are the ways a server or model deviates from its protocol. Each field is a column of the quirk
// table (models.toml) and is read by the adapter of that protocol.
type Quirks struct {
	MaxTokensField     string // "max_tokens" or "max_completion_tokens"
	DeveloperRole      bool   // the system text goes as role "developer"
	NoStreamUsage      bool   // refuses stream_options
	ReasoningEcho      bool   // wants reasoning_content back on every assistant message
	ReasoningStyle     string // how effort is sent: "", "reasoning_effort", "reasoning.effort", "thinking", "enable_thinking", "adaptive", "budget"
	NonNullContent     bool   // wants "" rather than null beside tool calls
	AssistantAfterTool bool   // refuses a user message straight after tool messages
	ToolResultName     bool   // wants the tool's name on tool messages
	IDStyle            string // "", "alnum9": what call ids must look like
	ImageDetail        string // "high" or "original" to send; "" sends nothing
	ToolImagesAsUser   bool   // pictures in tool results must go in a user message of their own
	NoToolImages       bool   // takes no pictures that came from tools, in no spelling
	SchemaDialect      string // "", "gemini": which keywords tool schemas must avoid
	EchoExtra          bool   // extra_content of tool calls must come back (Gemini thought signatures)
	BearerAuth         bool   // Anthropic protocol with Authorization: Bearer
	NoCacheControl     bool   // refuses cache_control
}
