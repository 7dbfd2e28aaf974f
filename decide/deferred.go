package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/pattern"
)

// DeferredGroup is a group of files that run, or instruct an agent, on a later
// and innocent-looking action. They stay writable, but a person sees each write.
type DeferredGroup struct {
	Name     string   // as the policy's deferred_execution names it
	Reason   string   // why a person is asked
	Patterns []string // gitignore-like
	Optional bool     // counts only if the policy names it
}

// DeferredGroups returns the built-in groups in the order of the policy page.
func DeferredGroups() []DeferredGroup { return slices.Clone(deferredGroups) }

var deferredGroups = []DeferredGroup{
	{
		Name:   "git",
		Reason: "git reads hooks and configuration from here and runs what they name",
		Patterns: []string{
			".git/", "*.git/hooks/", "*.git/config", "*.git/config.worktree", ".hg/", ".svn/", ".jj/", ".gitattributes", ".gitmodules", ".gitconfig", ".config/git/",
			".githooks/", ".git-hooks/", ".husky/", ".huskyrc", ".huskyrc.*", "lefthook.*", ".lefthook.*", ".lefthook/", "lefthook-local.*", ".lefthook-local.*",
			".config/lefthook.*", ".pre-commit-config.yaml", ".pre-commit-config.yml", ".pre-commit-hooks.yaml", "prek.toml", ".overcommit.yml", ".overcommit/",
			".lintstagedrc", ".lintstagedrc.*", "lint-staged.config.*", ".simple-git-hooks.*", "simple-git-hooks.*", "captainhook.json", "grumphp.yml",
		},
	},
	{
		Name:   "ci",
		Reason: "a CI system runs it with its own credentials",
		Patterns: []string{
			".github/workflows/", ".github/actions/", ".gitlab-ci.yml", ".gitlab-ci.yaml", ".gitlab-ci/", ".gitlab/ci/", "Jenkinsfile", "Jenkinsfile.*", ".jenkins/",
			".circleci/", ".travis.yml", "azure-pipelines.yml", "azure-pipelines.yaml", ".azure-pipelines/", ".azuredevops/", "bitbucket-pipelines.yml", ".drone.yml", ".drone.star",
			".woodpecker.yml", ".woodpecker.yaml", ".woodpecker/", ".buildkite/", "appveyor.yml", ".appveyor.yml", ".teamcity/", "cloudbuild.yaml", "cloudbuild.yml",
			".cirrus.yml", ".cirrus.star", ".semaphore/", "wercker.yml", ".gitea/workflows/", ".forgejo/workflows/", "buildspec.yml", "buildspec.yaml", ".tekton/",
			".build.yml", ".builds/", "zuul.yaml", ".zuul.yaml", "zuul.d/", ".zuul.d/", "codefresh.yml", "bitrise.yml", "codemagic.yaml", ".harness/", "screwdriver.yaml",
		},
	},
	{
		Name:   "editor",
		Reason: "an editor or a development container runs it when the project is opened",
		Patterns: []string{
			".vscode/tasks.json", ".vscode/launch.json", ".vscode/settings.json", ".vscode/mcp.json", ".vscode/extensions.json", "*.code-workspace",
			".idea/runConfigurations/", ".idea/workspace.xml", ".idea/watcherTasks.xml", ".idea/externalDependencies.xml", ".idea/tools/", ".run/", ".zed/", ".fleet/run.json",
			".fleet/settings.json", "*.sublime-project", ".devcontainer/", ".devcontainer.json", "devfile.yaml", ".devfile.yaml", ".gitpod.yml", ".gitpod.Dockerfile", ".codesandbox/",
			".replit", ".nvim.lua", ".nvimrc", ".exrc", ".vimrc", ".lvimrc", ".vim/", ".config/nvim/", ".helix/", ".config/helix/", ".dir-locals.el", ".dir-locals-2.el", ".emacs",
			".emacs.d/", ".gdbinit", ".lldbinit",
		},
	},
	{
		Name:   "shell",
		Reason: "a shell or the system runs it on entering the directory, at login or by the clock",
		Patterns: []string{
			".envrc", ".mise.toml", "mise.toml", ".mise/", ".config/mise.toml", ".config/mise/", ".config/direnv/", ".autoenv", ".autoenv.zsh",
			".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".oh-my-zsh/",
			".kshrc", ".cshrc", ".tcshrc", ".inputrc", ".tmux.conf", ".config/tmux/", ".screenrc", ".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".pam_environment",
			".config/environment.d/", ".config/fish/", ".config/nushell/", ".config/zsh/", ".config/powershell/", "*profile.ps1", ".config/autostart/", ".config/systemd/user/",
			"Library/LaunchAgents/", "Library/LaunchDaemons/", "Start Menu/Programs/Startup/", ".ssh/authorized_keys", ".ssh/authorized_keys2", ".ssh/config", ".ssh/rc",
			".ssh/environment", "/etc/cron*", "/var/spool/cron/", "/etc/profile.d/", "/etc/systemd/", "/etc/init.d/", "/etc/ld.so.preload", ".curlrc", ".wgetrc",
		},
	},
	{
		Name:   "agent",
		Reason: "an agent takes it for instructions, settings or tools",
		Patterns: []string{
			".coworker/", ".claude/", ".claude.json", "claude_desktop_config.json", "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "AGENT.md", ".codex/", ".gemini/",
			"GEMINI.md", ".cursor/", ".cursorrules", ".mcp.json", "mcp.json", ".mcp/", ".windsurf/", ".windsurfrules", ".codeium/", ".clinerules", ".clinerules-*", ".cline/", ".roo/",
			".roorules", ".roorules-*", ".roomodes", ".kilocode/", ".kilocodemodes", ".continue/", ".continuerules", ".aider.conf.yml", ".github/copilot-instructions.md",
			".github/instructions/", ".github/prompts/", ".github/chatmodes/", ".github/agents/", ".github/hooks/", ".github/skills/", ".copilot/", ".kiro/", ".opencode/", "opencode.json",
			"opencode.jsonc", ".goosehints", ".goose/", ".config/goose/", ".amazonq/", ".junie/", ".agents/", ".agent/", ".qwen/", "QWEN.md", ".trae/", ".augment/", ".augment-guidelines",
			".crush.json", "crush.json", ".crush/", "WARP.md", ".warp/", ".rules", ".factory/", ".openhands/", ".openhands_instructions", ".devin/", ".tabnine/", ".amp/", ".rovodev/",
			".zencoder/", ".codebuddy/", "CODEBUDDY.md", ".serena/", ".pearai/", "SKILL.md", ".claude-plugin/", ".codex-plugin/", ".cursor-plugin/", "hooks/hooks.json",
			"gemini-extension.json", "replit.md",
		},
	},
	{
		Name:   "packages",
		Reason: "a package manager, interpreter or build tool runs it, or what it names, on its next start",
		Patterns: []string{
			".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.*", "pnpm-workspace.yaml", ".pnp.cjs", ".pnp.loader.mjs", ".yarn/plugins/", ".yarn/releases/", "bunfig.toml", "binding.gyp",
			".bundle/", ".gemrc", ".cargo/config.toml", ".cargo/config", "rust-toolchain", "rust-toolchain.toml", "conftest.py", "setup.py", "sitecustomize.py", "usercustomize.py",
			"*.pth", ".pythonrc", ".pythonrc.py", ".ipython/", ".jupyter/", ".mvn/", ".m2/settings.xml", "gradle/wrapper/", "gradle.properties", "init.gradle", ".gradle/init.d/",
			"Directory.Build.props", "Directory.Build.targets", "Directory.Packages.props", "NuGet.config", "pip.conf", "pip.ini", ".condarc", ".user.ini", ".htaccess", ".Rprofile",
			".Renviron", ".irbrc", ".pryrc", ".ghci", ".iex.exs", ".ocamlinit", "ansible.cfg", ".ansible.cfg", ".terraformrc", ".docker/config.json", ".kube/config", ".aws/config",
			".psqlrc", ".sqliterc",
		},
	},
	{
		Name:     "project_build_files",
		Reason:   "the next build or test of the project runs what stands in it",
		Optional: true,
		Patterns: []string{
			"package.json", "Makefile", "GNUmakefile", "*.mk", "CMakeLists.txt", "*.cmake", "meson.build", "configure", "configure.ac", "autogen.sh", "build.gradle", "build.gradle.kts",
			"settings.gradle", "settings.gradle.kts", "gradlew", "gradlew.bat", "mvnw", "mvnw.cmd", "pom.xml", "build.xml", "build.sbt", "Rakefile", "Gemfile", "*.gemspec", "justfile",
			".justfile", "Taskfile.yml", "Taskfile.yaml", "Cargo.toml", "build.rs", "pyproject.toml", "setup.cfg", "tox.ini", "noxfile.py", "pytest.ini", "tasks.py", "Dockerfile",
			"Dockerfile.*", "*.dockerfile", "Containerfile", "docker-compose.yml", "docker-compose.yaml", "docker-compose.*.yml", "compose.yml", "compose.yaml", "docker-bake.hcl",
			"BUILD", "BUILD.bazel", "WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel", ".bazelrc", "*.bzl", "BUCK", ".buckconfig", "SConstruct", "wscript", "composer.json", "mix.exs",
			"deno.json", "deno.jsonc", "turbo.json", "nx.json", "lerna.json", "gulpfile.*", "Gruntfile.*", "webpack.config.*", "vite.config.*", "rollup.config.*", "jest.config.*",
			"vitest.config.*", "playwright.config.*", "cypress.config.*", "eslint.config.*", ".eslintrc.*", ".prettierrc.*", "prettier.config.*", "babel.config.*", ".babelrc.*",
			"postcss.config.*", "tailwind.config.*", "next.config.*", "nuxt.config.*", "svelte.config.*", "astro.config.*", "*.csproj", "*.vbproj", "*.fsproj", "*.vcxproj",
			"*.targets", "Vagrantfile", "Procfile", "Tiltfile", "Earthfile", "Justfile", "flake.nix", "shell.nix", "default.nix", "devenv.nix", "*.cabal", "Setup.hs", "stack.yaml",
			"Package.swift", "Podfile", "Fastfile", "Snakefile", "dune", "go.work",
		},
	},
}

// alwaysDeferred cannot be taken back by a policy: the first permission engine
// asked about these, and no answer is laxer than its.
var alwaysDeferred = []string{".git/hooks/", ".github/workflows/", ".gitlab-ci.yml", ".vscode/tasks.json", ".coworker/"}

// compileDeferred compiles the built-in groups, then the policy's own entries:
// further patterns, patterns that take back ("!"), and optional groups.
func compileDeferred(f *findings, specs []PatternSpec, home string) pattern.Paths {
	var rules []pattern.Rule
	for _, g := range deferredGroups {
		if !g.Optional {
			rules = append(rules, g.rules()...)
		}
	}
	for i, spec := range specs {
		at := fmt.Sprintf("/deferred_execution/%d", i)
		switch {
		case spec.Group != "" && spec.Pattern != "":
			f.issue(at, "has a pattern and a group; make two entries of it")
		case spec.Group != "":
			rules = append(rules, optionalGroup(f, at, spec.Group)...)
		case spec.Pattern == "":
			f.issue(at, "has no pattern")
		default:
			rules = append(rules, ownPattern(f, at, spec, home)...)
		}
	}
	for _, p := range alwaysDeferred {
		rules = append(rules, pattern.Rule{Pattern: p, Reason: reasonOf(p)})
	}
	compiled, _ := pattern.CompilePaths(rules, home)
	return compiled
}

// reasonOf is the reason of the group that lists a pattern or a directory of it.
func reasonOf(p string) string {
	for _, g := range deferredGroups {
		for _, listed := range g.Patterns {
			if strings.HasPrefix(p, listed) {
				return g.Reason
			}
		}
	}
	return "it runs on a later action"
}

func (g *DeferredGroup) rules() []pattern.Rule {
	rules := make([]pattern.Rule, len(g.Patterns))
	for i, p := range g.Patterns {
		rules[i] = pattern.Rule{Pattern: p, Reason: g.Reason}
	}
	return rules
}

func optionalGroup(f *findings, at, name string) []pattern.Rule {
	var names []string
	for i := range deferredGroups {
		if deferredGroups[i].Name == name {
			return deferredGroups[i].rules()
		}
		names = append(names, deferredGroups[i].Name)
	}
	f.issue(at+"/group", "%q is unknown; use one of %s", clip(name), strings.Join(names, ", "))
	return nil
}

func ownPattern(f *findings, at string, spec PatternSpec, home string) []pattern.Rule {
	rule := pattern.Rule{Pattern: spec.Pattern, Reason: spec.Reason}
	if rule.Reason == "" {
		rule.Reason = "the policy lists " + spec.Pattern
	}
	if _, bad := pattern.CompilePaths([]pattern.Rule{rule}, home); bad[0] != nil {
		f.issue(at+"/pattern", "%q %v", clip(spec.Pattern), bad[0])
		return nil
	}
	return []pattern.Rule{rule}
}
