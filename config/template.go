package config

// Template is a config.toml to start from: every line a comment, so that it changes nothing until one is taken in.
const Template = `# espy's settings. Remove the "# " before a line to use it. ` + "`espy config check`" + ` reads the file and
# names every fault; docs/configuration.md describes every key.

# model = "anthropic/claude-opus-5"
# mode = "ask"                             # plan, ask, auto, full

# A server of your own. Its name is the part before the slash of its models.
# [providers.local]
# protocol = "chat"                        # chat, anthropic, responses, fake
# base_url = "http://127.0.0.1:8080/v1"
# api_key = "${env:LOCAL_KEY}"
# headers = { X-Team = "tools" }

# What espy does not know of a model, or should believe otherwise.
# [[models]]
# id = "local/some-model"
# image_input = "supported"                # supported, unsupported, unknown
# context_window = 32768
# limits = { max_images = 20, max_side = 2048 }

# [tools]
# always_load = ["read_media"]             # in every request, instead of a line in load_tools
# defer = ["mcp__browser__*"]              # the other way round

# [history]
# max_images = 5                           # newest pictures that stay in the context

# [permissions]
# allow = ["shell(go test *)", "write(docs/**)"]
# ask = ["shell(git push *)"]
# deny = ["read(**/private/**)"]
# credentials = ["*.vault"]                # further files no tool opens
# sandbox = "auto"                         # commands run in a sandbox where the system has one; off
# network = "ask"                          # commands in the sandbox reach no network; allow
# not_credentials = ["testdata/**/*.key"]  # files that are only named like credentials

# [ui]
# theme = "auto"                           # auto, dark, light, high-contrast, none
# previews = "auto"                        # auto, kitty, blocks, off
# mouse = true
# vim = false
# title = true                             # the window's title says what espy is at
# notify = "auto"                          # auto, bell, off: when a long turn ends or a question waits

# [keys]
# send = "enter"
`
