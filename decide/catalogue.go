package decide

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// tool is what the catalogue knows of a tool.
type tool struct {
	risk      Risk      // Unclassified: reads, unless the runtime says that it needs approval
	targetArg string    // the argument that a standing rule binds
	pathArgs  []pathArg // hold the paths that it writes; each must be there
	content   patchKind
	many      bool // lists in its arguments may name further files
	tree      bool // what happens to a directory happens to all below it
	agent     bool // a tool of the agent itself; its reads are not those of a foreign server
	connector bool // acts in another system, by arguments that a grant for the tool would not see
	implied   bool // a guess, so its paths may stand in any argument
	needs     int  // paths that an implied tool is given at least

	runner     bool // a shell by the name that some runtime gives it
	powershell bool // whose commands are PowerShell's
}

// reads reports whether one of the tool's own path arguments is the one of this
// folded name, and no list or object.
func (t *tool) reads(folded string) bool {
	for _, arg := range t.pathArgs {
		if !strings.ContainsAny(string(arg), "|.[") && foldName(string(arg)) == folded {
			return true
		}
	}
	return false
}

// patchKind says that a write tool's paths stand inside a text argument.
type patchKind uint8

const (
	noPatch patchKind = iota
	codexPatch
	unifiedDiff
)

// agentTools are the tools of the runtimes themselves.
var agentTools = map[string]tool{
	"write_file":         {risk: WriteLocal, pathArgs: []pathArg{"path"}},
	"replace_in_file":    {risk: WriteLocal, pathArgs: []pathArg{"path"}},
	"apply_patch":        {risk: WriteLocal, pathArgs: []pathArg{"patch"}, content: codexPatch},
	"apply_unified_diff": {risk: WriteLocal, pathArgs: []pathArg{"diff"}, content: unifiedDiff},
	"run_shell":          {risk: Exec},
	"web_fetch":          {risk: Egress},
	"web_search":         {risk: Egress},
	"browser_open_url":   {risk: Egress},
}

// The tools that write files, by the names that runtimes and file servers give
// them. Runtimes differ about the names of arguments, so each may have several.
const (
	oneFileTools = `edit_file edit write write_to_file write_text_file create_file create_new_file new_file create_text_file update_file
	edit_text_file insert_edit_into_file replace_string_in_file replace_file_content replace_content replace_in_file_content
	replace search_replace search_and_replace find_and_replace str_replace str_replace_editor str_replace_based_edit_tool text_editor edit_block
	insert_text insert_content insert_line insert_lines delete_lines replace_lines append_file append_to_file append_text overwrite_file save_file
	save_to_file apply_diff apply_edit fs_write fs_append fs_replace create_directory create_dir create_folder make_directory make_dir mkdir
	notebook_edit notebookedit edit_notebook edit_notebook_file edit_notebook_cell insert_notebook_cell write_notebook delete_notebook_cell
	chmod set_file_permissions touch_file truncate_file`
	manyFileTools = `multi_edit multiedit multi_edit_file multi_replace multi_replace_file_content multi_replace_string_in_file edit_files
	edit_multiple_files write_files write_multiple_files create_files create_multiple_files update_files save_files save_multiple_files
	batch_edit batch_write apply_edits apply_changes apply_workspace_edit apply_file_edits`
	deleteTools = `delete_file remove_file delete_files remove_files delete_path remove_path delete_directory remove_directory delete_dir remove_dir
	delete_folder remove_folder rmdir unlink_file trash_file delete_file_or_directory`
	moveTools = `move_file rename_file copy_file move_path rename_path copy_path move_directory rename_directory copy_directory
	move_dir rename_dir copy_dir move_folder rename_folder copy_folder move_file_or_directory copy_file_or_directory rename_file_or_directory
	move_files copy_files rename_files create_symlink create_link symlink link_file`
)

const (
	fileArg pathArg = `path|filepath|file|filename|targetfile|targetpath|targetfilepath|absolutepath|absolutefilepath|relativepath|relativeworkspacepath|notebookpath|notebook|targetnotebook|paths|filepaths|directory|directorypath|dirpath|folder|folderpath|outputpath`
	fromArg pathArg = `source|src|from|sourcepath|sourcefile|sourcefilepath|srcpath|oldpath|oldfilepath|oldfile|oldname|old|frompath|fromfile|path|filepath|file|filename|target|targetpath`
	toArg   pathArg = `destination|dest|dst|to|destinationpath|destinationfile|destpath|dstpath|newpath|newfilepath|newfile|newname|new|topath|tofile|name|linkpath|linkname|link`
)

// The shells, by the names that runtimes give them.
const (
	shellTools = `bash shell sh zsh terminal local_shell local_shell_call shell_command bash_command run_shell_command run_bash_command run_bash
	run_command exec_command execute_command execute_shell execute_shell_command execute_bash run_terminal_cmd run_terminal_command
	runTerminalCommand run_in_terminal runInTerminal container.exec unified_exec launch_process launch-process`
	powershellTools = `powershell pwsh run_powershell execute_powershell`
)

const readTools = `read_file read_many_files read_text_file read_media_file read_multiple_files view_file view open_file
	list_dir list_directory list_files ls dir_tree directory_tree glob grep grep_search ripgrep file_search search_files
	search_file_content find_files find_by_name codebase_search search_code search_codebase code_search
	get_file_info file_info stat_file list_allowed_directories read_lints get_diagnostics get_errors
	git_status git_diff git_log git_show list_code_usages read_notebook get_terminal_output read_terminal`

// Enrichment services are asked with data of the caller's choice.
const enrichmentTools = `apollo_enrich_company apollo_enrich_person apollo_search_people
	hunter_domain_search hunter_find_email hunter_verify_email`

// connectorReads and connectorWrites are the connectors' tools by what they do
// in the other system.
const connectorReads = `browser_read_page browser_wait github_search github_get_issue github_list_commits
	email_list_folders email_search email_read gmail_search_messages gmail_get_message gcal_list_events gcal_free_busy
	outlook_search_messages outlook_list_events jira_search_issues jira_get_issue
	mcp__jira__getVisibleJiraProjects mcp__jira__searchJiraIssuesUsingJql mcp__jira__getJiraIssue mcp__jira__getTransitionsForJiraIssue
	mcp__monday__get_user_context mcp__monday__search mcp__monday__get_board_info mcp__monday__get_board_items_page
	mcp__monday__board_insights mcp__monday__get_updates
	mcp__asana__get_me mcp__asana__search_tasks mcp__asana__get_task mcp__asana__get_my_tasks mcp__asana__get_project mcp__asana__get_status_overview
	confluence_search confluence_get_page zendesk_search zendesk_get_ticket linear_search_issues linear_get_issue linear_list_teams
	gitlab_search gitlab_get_issue gitlab_get_merge_request discord_list_channels discord_read_messages
	stripe_search_customers stripe_list_charges stripe_list_invoices asana_list_workspaces asana_search_tasks asana_get_task
	hubspot_search hubspot_get_object dropbox_search dropbox_list_folder dropbox_read_file box_search box_list_folder box_read_file
	quickbooks_query quickbooks_list_customers quickbooks_list_invoices quickbooks_get_report
	notion_search notion_read_page notion_query_database attio_list_objects attio_query_records attio_get_record
	posthog_query posthog_list_insights mixpanel_segmentation mixpanel_top_events amplitude_active_users amplitude_event_totals
	clickup_list_teams clickup_list_spaces clickup_list_lists clickup_list_tasks clickup_get_task
	close_search_leads close_get_lead close_list_opportunities figma_get_file figma_get_comments figma_export_images
	drive_search_files drive_list_folder drive_read_file docusign_list_envelopes docusign_get_envelope docusign_list_templates
	canva_list_designs canva_get_design canva_export_design canva_get_export`

const connectorWrites = `browser_click browser_type browser_select browser_upload_file browser_screenshot browser_close
	github_create_issue github_reply github_review github_clone github_pull email_download_attachment email_send
	gmail_send_email gcal_create_event gcal_update_event gcal_delete_event
	outlook_send_mail outlook_create_event outlook_update_event outlook_delete_event outlook_respond_event
	jira_create_issue mcp__jira__createJiraIssue mcp__jira__editJiraIssue mcp__jira__addCommentToJiraIssue mcp__jira__transitionJiraIssue
	mcp__monday__create_item mcp__monday__change_item_column_values mcp__monday__create_update
	mcp__asana__create_tasks mcp__asana__update_tasks mcp__asana__add_comment
	confluence_create_page zendesk_create_ticket linear_create_issue gitlab_create_issue discord_send_message
	asana_create_task hubspot_create_contact hubspot_update_object hubspot_log_note hubspot_create_task
	whatsapp_send_message whatsapp_send_template notion_create_page attio_create_note
	clickup_create_task clickup_update_task clickup_add_comment close_create_lead close_update_opportunity close_log_note
	figma_post_comment docusign_send_from_template`

// persistentTools grant authority that outlives the session: instructions for
// later conversations, and tasks that run by themselves.
const persistentTools = `save_skill create_scheduled_task update_scheduled_task delete_scheduled_task`

// targetArgs names the argument by which a standing rule binds a tool.
var targetArgs = map[string]string{
	"email_send": "to", "gmail_send_email": "to", "outlook_send_mail": "to",
	"whatsapp_send_message": "to", "whatsapp_send_template": "to",
	"discord_send_message": "channel_id",
	"clickup_create_task":  "list_id", "clickup_update_task": "task_id", "clickup_add_comment": "task_id",
	"close_update_opportunity": "opportunity_id", "close_log_note": "lead_id",
	"figma_post_comment":          "file_key",
	"docusign_send_from_template": "recipient_email",
	"send_message":                "target",
}

// catalogue finds tools by name; a name that differs only in letter case is
// the same tool, since a dispatcher may fold it.
type catalogue map[string]*tool

var builtin = func() catalogue {
	c := catalogue{}
	for name, t := range agentTools {
		t.agent = true
		c[foldName(name)] = &t
	}
	for _, list := range []struct {
		names string
		tool  tool
	}{
		{oneFileTools, tool{risk: WriteLocal, agent: true, pathArgs: []pathArg{fileArg}}},
		{manyFileTools, tool{risk: WriteLocal, agent: true, pathArgs: []pathArg{fileArg}, many: true}},
		{deleteTools, tool{risk: WriteLocal, agent: true, pathArgs: []pathArg{fileArg}, many: true, tree: true}},
		{moveTools, tool{risk: WriteLocal, agent: true, pathArgs: []pathArg{fromArg, toArg}, many: true, tree: true}},
		{shellTools, tool{risk: Exec, agent: true, runner: true}},
		{powershellTools, tool{risk: Exec, agent: true, runner: true, powershell: true}},
		{readTools, tool{agent: true}},
		{enrichmentTools, tool{risk: Egress, connector: true}},
		{connectorReads, tool{connector: true}},
		{connectorWrites, tool{risk: External, connector: true}},
		{persistentTools, tool{risk: External, agent: true}},
	} {
		for _, name := range strings.Fields(list.names) {
			t := list.tool
			t.targetArg = targetArgs[name]
			c[foldName(name)] = &t
		}
	}
	// writeFile and write-file are write_file. For tools of other classes the name
	// must fit, since knowing a tool can also mean asking less about it.
	for name, t := range maps.Clone(c) {
		if plain := plainName(name); t.risk == WriteLocal && c[plain] == nil {
			c[plain] = t
		}
	}
	return c
}()

// with returns a catalogue that holds the operator's tools as well. A tool
// that is known already can only become stricter.
func (c catalogue) with(more map[string]tool) catalogue {
	if len(more) == 0 {
		return c
	}
	merged := make(catalogue, len(c)+len(more))
	for name, t := range c {
		merged[name] = t
	}
	for name, t := range more {
		if known := merged[foldName(name)]; known != nil {
			known := *known
			known.risk = override(known.risk, t.risk)
			known.pathArgs = append(slices.Clone(known.pathArgs), t.pathArgs...)
			if t.targetArg != "" {
				known.targetArg = t.targetArg
			}
			t = known
		}
		merged[foldName(name)] = &t
	}
	return merged
}

func (c catalogue) lookup(name string) *tool {
	if t := c[name]; t != nil {
		return t
	}
	if t := c[foldName(name)]; t != nil {
		return t
	}
	if t := c[plainName(name)]; t != nil && t.risk == WriteLocal {
		return t
	}
	return nil
}

// foldName maps names that differ only in letter case to one text, by
// Unicode's simple folding, so that K (Kelvin) is k.
func foldName(name string) string {
	ascii := true
	for i := 0; i < len(name); i++ {
		if b := name[i]; b >= 0x80 || b >= 'A' && b <= 'Z' {
			ascii = false
			break
		}
	}
	if ascii {
		return name
	}
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return unicode.ToLower(least)
	}, name)
}
