package markdown

import (
	"strings"
	"sync"
)

// language is what the scanner knows of a language.
type language struct {
	names  string // as they stand after a fence; the file endings are among them
	shape  shape
	line   []string    // what begins a comment to the end of the line
	block  [][2]string // what begins and ends other comments
	quotes []quote     // longer marks first

	keywords, types, constants string // words, parted by spaces

	inWord    string // bytes that belong to words beside letters and digits
	fold      bool   // case of words does not matter; they are listed in lower case
	capitals  bool   // words in CamelCase are types
	dollar    bool   // $name is a variable
	at        bool   // @name is an annotation
	directive bool   // # at the start of a line begins one for the preprocessor
	sections  bool   // [ at the start of a line begins a section
	options   bool   // --name is an option: command lines

	words map[string]int // keywords, types and constants by class; filled once
}

// shape is how a text is built.
type shape int

const (
	codeShape   shape = iota
	dataShape         // words and strings before ":" or "=" are keys
	markupShape       // tags and text
	diffShape         // lines
)

// quote is a mark that begins and ends a string.
type quote struct {
	mark  string
	raw   bool // a backslash is a character like any other
	lines bool // may go over several lines
	char  bool // only for single characters
}

var (
	double   = quote{mark: `"`}
	single   = quote{mark: `'`}
	oneChar  = quote{mark: `'`, char: true}
	template = quote{mark: "`", lines: true}
	rawTick  = quote{mark: "`", raw: true, lines: true}
	triple   = quote{mark: `"""`, lines: true}
	triple1  = quote{mark: `'''`, lines: true}
	shell2   = quote{mark: `"`, lines: true}
	shell1   = quote{mark: `'`, raw: true, lines: true}

	slashes = []string{"//"}
	hash    = []string{"#"}
	dashes  = []string{"--"}
	cBlock  = [][2]string{{"/*", "*/"}}
	xBlock  = [][2]string{{"<!--", "-->"}}
)

// languageByName finds the row for a name, in any case, with what may follow it in a fence ("go,linenos", "{.python}").
func languageByName(name string) (*language, bool) {
	name = strings.ToLower(strings.Trim(name, "{}. "))
	if i := strings.IndexAny(name, ",:{ "); i > 0 {
		name = name[:i]
	}
	lang, ok := languages()[name]
	return lang, ok
}

// languages are the rows of the table by each of their names.
var languages = sync.OnceValue(func() map[string]*language {
	byName := map[string]*language{}
	for i := range languageRows {
		lang := languageRows[i]
		lang.words = map[string]int{}
		for class, words := range map[int]string{Keyword: lang.keywords, Type: lang.types, Constant: lang.constants} {
			for _, w := range strings.Fields(words) {
				lang.words[w] = class
			}
		}
		for _, name := range strings.Fields(lang.names) {
			byName[name] = &lang
		}
	}
	return byName
})

const (
	cTypes     = "void char short int long float double signed unsigned bool size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t"
	cWords     = "auto break case const continue default do else enum extern for goto if inline register restrict return sizeof static struct switch typedef union volatile while"
	jsWords    = "as async await break case catch class const continue debugger default delete do else export extends finally for from function get if import in instanceof let new of return set static super switch this throw try typeof var void while with yield"
	jsConsts   = "true false null undefined NaN Infinity"
	javaWords  = "abstract assert break case catch class const continue default do else enum extends final finally for goto if implements import instanceof interface native new package private protected public record return sealed static strictfp super switch synchronized this throw throws transient try var void volatile while yield"
	shellWords = "if then else elif fi for while until do done case esac in function return local export readonly declare set unset shift exit break continue trap source alias eval exec select time"
)

var languageRows = [...]language{
	{
		names: "go golang", line: slashes, block: cBlock, quotes: []quote{double, oneChar, rawTick},
		keywords:  "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var",
		types:     "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
		constants: "true false nil iota",
	},
	{
		names: "python py python3 py3 pyi pycon", line: hash, quotes: []quote{triple, triple1, double, single}, at: true, capitals: true,
		keywords:  "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield",
		types:     "int float str bytes bool list dict set tuple object complex frozenset bytearray type",
		constants: "True False None self cls NotImplemented Ellipsis __name__ __file__",
	},
	{
		names: "javascript js jsx mjs cjs node", line: slashes, block: cBlock, quotes: []quote{double, single, template}, inWord: "$", capitals: true, at: true,
		keywords: jsWords, constants: jsConsts,
	},
	{
		names: "typescript ts tsx mts cts", line: slashes, block: cBlock, quotes: []quote{double, single, template}, inWord: "$", capitals: true, at: true,
		keywords: jsWords + " abstract declare enum implements infer interface is keyof namespace override private protected public readonly satisfies type",
		types:    "any bigint boolean never number object string symbol unknown", constants: jsConsts,
	},
	{
		names: "bash sh shell zsh ksh fish console shell-session sh-session shellsession terminal", line: hash, quotes: []quote{shell2, shell1},
		keywords: shellWords, types: "echo printf cd test read mkdir rm cp mv cat grep sed awk find xargs sudo git go npm docker curl make", constants: "true false", dollar: true, inWord: "-", options: true,
	},
	{
		names: "rust rs", line: slashes, block: cBlock, quotes: []quote{shell2, oneChar}, capitals: true,
		keywords:  "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return static struct super trait type unsafe use where while",
		types:     "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize",
		constants: "true false self Self None Some Ok Err",
	},
	{
		names: "c h", line: slashes, block: cBlock, quotes: []quote{double, oneChar}, directive: true,
		keywords: cWords, types: cTypes, constants: "NULL true false",
	},
	{
		names: "c++ cpp cc cxx hpp hh hxx cuda cu objc objective-c m mm arduino ino", line: slashes, block: cBlock, quotes: []quote{double, oneChar}, directive: true, capitals: true,
		keywords: cWords + " alignas catch class co_await co_return co_yield concept constexpr decltype delete explicit export final friend mutable namespace new noexcept operator override private protected public requires static_assert template this throw try typename using virtual",
		types:    cTypes + " string vector map set wchar_t char16_t char32_t", constants: "NULL nullptr true false",
	},
	{
		names: "java groovy gradle", line: slashes, block: cBlock, quotes: []quote{triple, double, single}, at: true, capitals: true,
		keywords: javaWords + " def", types: "boolean byte char double float int long short", constants: "true false null",
	},
	{
		names: "kotlin kt kts scala", line: slashes, block: cBlock, quotes: []quote{triple, double, oneChar}, at: true, capitals: true,
		keywords: javaWords + " by companion constructor data def fun given implicit in init inline inner internal is lateinit lazy match object open operator out override sealed suspend trait type typealias val when where with", constants: "true false null",
	},
	{
		names: "csharp c# cs", line: slashes, block: cBlock, quotes: []quote{triple, double, oneChar}, directive: true, capitals: true,
		keywords: javaWords + " as async await base checked delegate event explicit extern fixed foreach get implicit in init internal is lock nameof namespace operator out override params partial readonly ref required sealed set sizeof stackalloc struct typeof unchecked unsafe using value virtual when where with",
		types:    "bool byte char decimal double dynamic float int long object sbyte short string uint ulong ushort", constants: "true false null",
	},
	{
		names: "swift", line: slashes, block: cBlock, quotes: []quote{triple, double}, at: true, capitals: true,
		keywords:  "actor as associatedtype async await break case catch class continue default defer deinit do else enum extension fallthrough fileprivate final for func get guard if import in init inout internal is lazy let mutating open operator override private protocol public repeat rethrows return set some static struct subscript super switch throw throws try typealias var weak where while",
		constants: "true false nil self Self",
	},
	{
		names: "dart", line: slashes, block: cBlock, quotes: []quote{triple, triple1, double, single}, at: true, capitals: true,
		keywords: javaWords + " as async await covariant deferred dynamic export extension external factory get hide in is late library mixin of on operator part required rethrow set show sync typedef with", types: "bool double int num", constants: "true false null",
	},
	{
		names: "php", line: []string{"//", "#"}, block: cBlock, quotes: []quote{shell2, shell1}, dollar: true, capitals: true,
		keywords: "abstract and array as break callable case catch class clone const continue declare default do echo else elseif empty enum extends final finally fn for foreach function global if implements include include_once instanceof insteadof interface isset list match namespace new or print private protected public readonly require require_once return static switch throw trait try unset use var while xor yield", constants: "true false null TRUE FALSE NULL",
	},
	{
		names: "ruby rb rake gemfile", line: hash, quotes: []quote{double, single}, inWord: "?!", at: true, capitals: true,
		keywords: "alias and begin break case class def defined? do else elsif end ensure extend for if in include module next not or private protected public raise redo require require_relative rescue retry return super then undef unless until when while yield attr_accessor attr_reader attr_writer", constants: "true false nil self __FILE__",
	},
	{
		names: "perl pl pm", line: hash, quotes: []quote{shell2, shell1}, dollar: true,
		keywords: "and do else elsif eq for foreach ge gt if last le local lt my ne next no not or our package print redo require return say sub unless until use while x xor",
	},
	{
		names: "lua luau", line: dashes, block: [][2]string{{"--[[", "]]"}, {"[[", "]]"}}, quotes: []quote{double, single},
		keywords: "and break do else elseif end for function goto if in local not or repeat return then until while", constants: "true false nil self",
	},
	{
		names: "elixir ex exs erlang erl", line: []string{"#", "%"}, quotes: []quote{triple, double, single}, at: true, capitals: true, inWord: "?!",
		keywords: "after alias and case catch cond def defmacro defmodule defp defstruct do else end fn for if import in not or quote raise receive require rescue try unless unquote use when with", constants: "true false nil",
	},
	{
		names: "haskell hs elm ocaml ml fsharp fs f#", line: []string{"--", "//"}, block: [][2]string{{"{-", "-}"}, {"(*", "*)"}}, quotes: []quote{double, oneChar}, inWord: "'", capitals: true,
		keywords: "as begin case class data deriving do else end exception fun function if import in infix instance let match module mutable newtype of open rec sig struct then try type val where with", constants: "true false",
	},
	{
		names: "clojure clj cljs lisp elisp scheme racket", line: []string{";"}, quotes: []quote{shell2}, inWord: "-?!*/+<>=",
		keywords: "def defn defmacro defun define fn if when cond let let* loop recur do lambda setq set! quote ns require import cons car cdr", constants: "nil true false t",
	},
	{
		names: "r", line: hash, quotes: []quote{double, single}, inWord: ".",
		keywords: "break else for function if in next repeat return while library require", constants: "TRUE FALSE NULL NA NaN Inf",
	},
	{
		names: "julia jl", line: hash, block: [][2]string{{"#=", "=#"}}, quotes: []quote{triple, double, oneChar}, at: true, capitals: true, inWord: "!",
		keywords: "abstract baremodule begin break catch const continue do else elseif end export finally for function global if import in let local macro module mutable primitive quote return struct try type using where while", constants: "true false nothing missing",
	},
	{
		names: "zig", line: slashes, quotes: []quote{double, oneChar}, at: true, capitals: true,
		keywords: "align allowzero and asm async await break catch comptime const continue defer else enum errdefer error export extern fn for if inline noalias orelse or packed pub resume return struct suspend switch test threadlocal try union unreachable usingnamespace var volatile while",
		types:    "bool f16 f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize void anyerror type anytype", constants: "true false null undefined",
	},
	{
		names: "sql mysql postgres postgresql psql sqlite plsql tsql", line: dashes, block: cBlock, quotes: []quote{single, double}, fold: true,
		keywords:  "add all alter and any as asc begin between by case check column commit constraint create cross database default delete desc distinct drop else end exists explain foreign from full group having if in index inner insert into is join key left like limit not offset on or order outer over partition primary references returning right rollback select set table then transaction trigger truncate union unique update using values view when where with",
		types:     "bigint bigserial blob bool boolean bytea char date datetime decimal double float int integer json jsonb numeric real serial smallint text time timestamp timestamptz uuid varchar",
		constants: "true false null",
	},
	{
		names: "css scss sass less", line: slashes, block: cBlock, quotes: []quote{double, single}, shape: dataShape, inWord: "-", dollar: true, at: true,
		constants: "inherit initial none auto important",
	},
	{names: "json jsonc json5 jsonl ndjson geojson ipynb", line: slashes, block: cBlock, quotes: []quote{double, single}, shape: dataShape, constants: "true false null"},
	{names: "yaml yml", line: hash, quotes: []quote{shell2, shell1}, shape: dataShape, inWord: "-./", constants: "true false null yes no on off"},
	{names: "toml ini cfg conf properties dotenv env editorconfig systemd service", line: []string{"#", ";"}, quotes: []quote{triple, triple1, double, single}, shape: dataShape, inWord: "-.", sections: true, constants: "true false"},
	{
		names: "hcl terraform tf nix bicep", line: []string{"#", "//"}, block: cBlock, quotes: []quote{double}, shape: dataShape, inWord: "-",
		keywords: "resource data variable output module provider locals terraform let in with inherit rec if then else", constants: "true false null",
	},
	{
		names: "protobuf proto graphql gql thrift prisma", line: []string{"//", "#"}, block: cBlock, quotes: []quote{triple, double, single}, at: true, capitals: true,
		keywords: "enum extend import input interface message model mutation oneof option optional package query repeated required reserved returns rpc scalar schema service subscription syntax type union fragment on",
		types:    "bool bytes double fixed32 fixed64 float int32 int64 string uint32 uint64", constants: "true false null",
	},
	{
		names: "dockerfile docker containerfile", line: hash, quotes: []quote{double, single}, dollar: true, options: true, inWord: "-",
		keywords: "FROM AS RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD STOPSIGNAL HEALTHCHECK SHELL",
	},
	{
		names: "makefile make mk cmake just justfile", line: hash, quotes: []quote{double, single}, dollar: true, at: false, inWord: "-",
		keywords: "ifeq ifneq ifdef ifndef else endif include define endef export override if elseif foreach function macro set project add_executable add_library target_link_libraries",
	},
	{
		names: "powershell ps1 pwsh batch bat cmd", line: []string{"#", "::"}, block: [][2]string{{"<#", "#>"}}, quotes: []quote{{mark: `"`, raw: true}, {mark: `'`, raw: true}}, dollar: true, fold: true, inWord: "-", options: true,
		keywords: "begin break catch class continue do else elseif end exit finally for foreach function if in param process return switch throw trap try until using while echo goto call set rem", constants: "true false null",
	},
	{names: "html htm xhtml xml svg vue svelte xaml plist rss xsl", shape: markupShape, block: xBlock},
	{names: "diff patch udiff", shape: diffShape},
	{
		names: "vim viml vimscript", line: []string{`"`}, quotes: []quote{single},
		keywords: "function endfunction if else elseif endif for endfor while endwhile let set call return autocmd augroup command map nnoremap inoremap vnoremap",
	},
	{
		names: "latex tex", line: []string{"%"}, dollar: false,
	},
	{
		names: "asm nasm s assembly wasm wat", line: []string{";", "//", "#"}, block: cBlock, quotes: []quote{double, single}, inWord: ".", fold: true,
		keywords: "mov add sub mul div push pop call ret jmp je jne jz jnz cmp test lea and or xor not shl shr int syscall nop func module param result local get global",
	},
	{
		names: "nginx caddyfile apache", line: hash, quotes: []quote{double, single}, dollar: true, inWord: "-",
		keywords: "server location upstream listen root index proxy_pass return rewrite include http events worker_processes server_name",
	},
}
