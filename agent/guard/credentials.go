package guard

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The tables of credential names, in lower case. They name where programs document that they keep secrets;
// a name that is a credential anywhere is refused inside the workspace too.
var (
	// credentialFolders are refused with all they hold, wherever they lie.
	credentialFolders = []string{".ssh", ".aws", ".azure", ".gnupg", ".kube", ".oci", ".password-store", ".bitwarden", ".gcloud"}

	// credentialPairs are a folder and a name inside it.
	credentialPairs = []string{
		".config/gh", ".config/gcloud", ".config/hub", ".config/op", ".config/rclone", ".config/doctl", ".config/heroku",
		".docker/config.json", ".cargo/credentials", ".cargo/credentials.toml",
		".gem/credentials", ".composer/auth.json", ".m2/settings.xml", ".gradle/gradle.properties", ".fly/config.yml",
		".terraform.d/credentials.tfrc.json",
	}

	// credentialNames are file names, as patterns.
	credentialNames = []string{
		".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".my.cnf", ".mylogin.cnf", ".s3cfg", ".boto",
		".vault-token", ".terraformrc", ".dockercfg", ".htpasswd",
		"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "*_rsa", "*_ed25519",
		"*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.asc.key", "*.p8",
		"*private*.pem", "*key*.pem", "credentials.json", "client_secret*.json", "service-account*.json", "service_account*.json",
		"login.keychain", "login.keychain-db",
	}

	// harmlessEnv are ends of .env names that hold no values.
	harmlessEnv = []string{".example", ".sample", ".template", ".dist"}

	// homeFolders are private in a home folder: browsers, and other agents with their keys and sessions.
	homeFolders = []string{
		".local/share/keyrings", ".config/git/credentials", ".config/containers",
		".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/bravesoftware", ".config/microsoft-edge", ".config/vivaldi",
		"snap/firefox", "snap/chromium", "library/keychains", "library/cookies", "library/application support/google/chrome",
		"library/application support/firefox", "library/application support/bravesoftware", "library/application support/microsoft edge",
		"appdata/local/google/chrome", "appdata/local/microsoft/edge", "appdata/local/bravesoftware", "appdata/roaming/mozilla",
		"appdata/roaming/microsoft/credentials", "appdata/roaming/microsoft/protect", "appdata/local/microsoft/credentials",
		".claude", ".claude.json", ".codex", ".gemini", ".cursor", ".qwen", ".continue", ".copilot", ".kimi", ".aider.conf.yml",
		".config/opencode", ".local/share/opencode", ".config/crush", ".local/share/crush", ".config/goose", ".config/github-copilot", ".config/amp",
		".local/share/amp", ".config/zed", "library/application support/claude", ".bash_history", ".zsh_history", ".python_history", ".psql_history", ".mysql_history",
	}

	// homeFiles are compared by identity: a hard link to one of them, or to a file in one of these folders,
	// is the credential under another name.
	homeFiles = []string{
		".ssh", ".aws", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".config/gh", ".config/gcloud", ".docker/config.json",
		".kube", ".gnupg", ".azure", ".pgpass", ".my.cnf", ".vault-token", ".cargo/credentials.toml", ".config/git/credentials",
		".env", ".claude.json", ".claude", ".codex", ".gemini",
	}

	// credentialVariables name files in which programs were told to keep credentials.
	credentialVariables = []string{
		"GOOGLE_APPLICATION_CREDENTIALS", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "KUBECONFIG", "NETRC",
		"NPM_CONFIG_USERCONFIG", "PIP_CONFIG_FILE", "PGPASSFILE", "DOCKER_CONFIG", "VAULT_TOKEN_FILE",
	}
)

// pointedAt lists the files that ssh's configuration and the environment name.
func (s *Secrets) pointedAt(getenv func(string) string) []string {
	files := s.identityFiles()
	if getenv == nil {
		return files
	}
	for _, name := range credentialVariables {
		for _, file := range filepath.SplitList(getenv(name)) {
			if filepath.IsAbs(file) {
				files = append(files, file)
			}
		}
	}
	return files
}

// identityFiles reads which keys ~/.ssh/config uses: they may lie anywhere.
func (s *Secrets) identityFiles() []string {
	if s.home == "" {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(s.home, ".ssh", "config"), openFlags, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	var files []string
	lines := bufio.NewScanner(io.LimitReader(f, maxSSHConfigBytes))
	for lines.Scan() {
		key, value, ok := strings.Cut(strings.ReplaceAll(strings.TrimSpace(lines.Text()), "=", " "), " ")
		if !ok || !slices.Contains([]string{"identityfile", "certificatefile"}, strings.ToLower(key)) {
			continue
		}
		value = strings.Trim(strings.TrimSpace(value), `"`)
		value = strings.ReplaceAll(value, "%d", s.home)
		if value = s.expandHome(value); filepath.IsAbs(value) {
			files = append(files, value)
		}
	}
	return files
}
