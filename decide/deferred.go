package decide

import "github.com/agent-pdp/pdp/internal/pattern"

// deferredFiles run, or instruct an agent, on a later and innocent-looking
// action. They stay writable, but a person sees each write.
var deferredFiles = func() []pattern.Rule {
	var rules []pattern.Rule
	for _, group := range []struct {
		reason   string
		patterns []string
	}{
		{"git reads hooks and configuration from here and runs what they name", []string{
			".git/", "*.git/hooks/", ".hg/", ".svn/", ".jj/", ".gitattributes", ".gitmodules", ".gitconfig", ".config/git/",
			".githooks/", ".git-hooks/", ".husky/", "lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml", ".lefthook/", "lefthook-local.yml",
			".pre-commit-config.yaml", ".pre-commit-config.yml", ".pre-commit-hooks.yaml", ".overcommit.yml", ".huskyrc", ".huskyrc.*", ".lintstagedrc", ".lintstagedrc.*",
		}},
		{"a CI system runs it with its own credentials", []string{
			".github/workflows/", ".github/actions/", ".gitlab-ci.yml", ".gitlab-ci.yaml", ".gitlab/ci/", "Jenkinsfile", "Jenkinsfile.*",
			".circleci/", ".travis.yml", "azure-pipelines.yml", "azure-pipelines.yaml", ".azure-pipelines/", "bitbucket-pipelines.yml", ".drone.yml", ".drone.star",
			".woodpecker.yml", ".woodpecker/", ".buildkite/", "appveyor.yml", ".appveyor.yml", ".teamcity/", "cloudbuild.yaml", "cloudbuild.yml",
			".cirrus.yml", ".cirrus.star", ".semaphore/", "wercker.yml", ".gitea/workflows/", ".forgejo/workflows/", "buildspec.yml", ".tekton/",
		}},
		{"an editor or a development container runs it when the project is opened", []string{
			".vscode/tasks.json", ".vscode/launch.json", ".vscode/settings.json", ".vscode/mcp.json", ".vscode/extensions.json", "*.code-workspace",
			".idea/runConfigurations/", ".idea/workspace.xml", ".run/", ".zed/", ".fleet/run.json", "*.sublime-project",
			".devcontainer/", ".devcontainer.json", ".nvim.lua", ".nvimrc", ".exrc", ".vimrc", ".lvimrc", ".dir-locals.el", ".gdbinit", ".lldbinit",
		}},
		{"a shell runs it on entering the directory or at login", []string{
			".envrc", ".mise.toml", "mise.toml", ".config/mise.toml", ".autoenv", ".autoenv.zsh",
			".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".inputrc", ".tmux.conf",
			".config/fish/", ".config/autostart/", ".config/systemd/user/", "Library/LaunchAgents/", ".ssh/authorized_keys", ".ssh/config", ".ssh/rc", ".ssh/environment",
		}},
		{"an agent takes it for instructions, settings or tools", []string{
			".coworker/", ".claude/", "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "AGENT.md", ".codex/", ".gemini/", "GEMINI.md",
			".cursor/", ".cursorrules", ".mcp.json", "mcp.json", ".windsurf/", ".windsurfrules", ".clinerules", ".cline/", ".roo/", ".roorules", ".roomodes", ".roorules-*", ".clinerules-*",
			".continue/", ".continuerules", ".aider.conf.yml", ".github/copilot-instructions.md", ".github/instructions/", ".github/prompts/", ".github/chatmodes/", ".github/agents/",
			".kiro/", ".opencode/", "opencode.json", "opencode.jsonc", ".goosehints", ".goose/", ".amazonq/", ".junie/", ".agents/", ".agent/", ".qwen/", "QWEN.md", ".trae/", ".augment/", ".crush.json", "crush.json", "WARP.md",
		}},
		{"a package manager, interpreter or build tool runs it on its next start", []string{
			".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".pnpmfile.mjs", ".yarn/plugins/", ".yarn/releases/", "binding.gyp", ".bundle/config",
			".cargo/config.toml", ".cargo/config", "conftest.py", "setup.py", "sitecustomize.py", "usercustomize.py", "*.pth", ".pythonrc", ".pythonrc.py",
			".mvn/", "gradle/wrapper/", "init.gradle", ".gradle/init.d/", "Directory.Build.props", "Directory.Build.targets", "pip.conf", "pip.ini", ".Rprofile", ".irbrc", ".pryrc",
		}},
	} {
		for _, p := range group.patterns {
			rules = append(rules, pattern.Rule{Pattern: p, Reason: group.reason})
		}
	}
	return rules
}()
