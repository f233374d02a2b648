//! The one table of managed pointers: what the platform decides, whatever the document says.
//!
//! Two users: [`check`](super::check) refuses a document that sets one of them; the renderer removes them before it writes its own
//! (a document may have been admitted before a row was added). `docs/managed-keys.md` is made from this table.

use serde_json::Value;

use crate::pointer;

/// A place of the document that the platform manages, with everything below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Managed {
    /// JSON Pointer; `*` is any one key or index.
    pub pointer: &'static str,
    /// Why, and where the author sets what is meant, for people.
    pub why: &'static str,
}

const fn managed(pointer: &'static str, why: &'static str) -> Managed {
    Managed { pointer, why }
}

const REACH: &str = "How the gateway is reached follows the deployment.";
const OPERATOR: &str = "Operators reach the Agent through the console.";
const SECRETS: &str = "Secrets are delivered by bindings.";
const MODEL_KEYS: &str = "Model credentials come from the Agent's harnessAuth.";
const ENVIRONMENT: &str = "The environment of the processes is the platform's.";
const OUTSIDE: &str = "The runtime sends and looks up nothing by itself.";
const PATHS: &str = "Files live where the deployment puts them.";
const CODE: &str = "The gateway runs only code of the pinned runtime.";
const MCP: &str = "The gateway starts no program of yours beside its keys; reach an MCP server by its url.";
const COMMANDS: &str = "Chat commands could change what was admitted.";
const SANDBOX: &str = "The sandbox is the platform's.";
const NETWORK: &str = "The network is the platform's.";
const LOGGING: &str = "Logs are read by the platform, which keeps and shows them.";
const HARNESS: &str = "The way to the Harness follows the deployment; only appServer.transport is the author's.";

/// Every managed pointer, in the order of the document's sections.
pub const MANAGED: &[Managed] = &[
    managed("/gateway/mode", "The gateway is always a local one; it need not be written."),
    managed("/gateway/port", REACH),
    managed("/gateway/bind", REACH),
    managed("/gateway/customBindHost", REACH),
    managed("/gateway/publicOrigin", REACH),
    managed("/gateway/portals", REACH),
    managed("/gateway/auth", "OCC authenticates every caller; the gateway's token is made at each deployment."),
    managed("/gateway/roles", "Who may do what is decided by OCC."),
    managed("/gateway/tls", REACH),
    managed("/gateway/trustedProxies", REACH),
    managed("/gateway/allowRealIpFallback", REACH),
    managed("/gateway/tailscale", REACH),
    managed("/gateway/remote", REACH),
    managed("/gateway/reload", "Only a revision changes a running gateway."),
    managed("/gateway/http", REACH),
    managed("/gateway/controlUi", OPERATOR),
    managed("/gateway/terminal", OPERATOR),
    managed("/gateway/cliAgents", OPERATOR),
    managed("/gateway/push", OUTSIDE),
    managed("/gateway/nodes", "Nodes of other machines are not part of an Agent."),
    managed("/secrets", SECRETS),
    managed("/auth", MODEL_KEYS),
    managed("/env", ENVIRONMENT),
    managed("/update", "The runtime's version is pinned by the revision."),
    managed("/telemetry", OUTSIDE),
    managed("/diagnostics", OUTSIDE),
    managed("/discovery", OUTSIDE),
    managed("/models/catalogRefresh", OUTSIDE),
    managed("/models/providers/*/localService", CODE),
    managed("/models/providers/*/request/proxy", NETWORK),
    managed("/logging/file", LOGGING),
    managed("/logging/consoleStyle", LOGGING),
    managed("/logging/maxFileBytes", LOGGING),
    managed("/logging/audit", LOGGING),
    managed("/agents/defaults/workspace", PATHS),
    managed("/agents/defaults/cwd", PATHS),
    managed("/agents/defaults/repoRoot", PATHS),
    managed("/agents/defaults/sandbox", SANDBOX),
    managed("/agents/defaults/authInheritance", MODEL_KEYS),
    managed("/agents/entries/*/workspace", PATHS),
    managed("/agents/entries/*/cwd", PATHS),
    managed("/agents/entries/*/agentDir", PATHS),
    managed("/agents/entries/*/sandbox", SANDBOX),
    managed("/agents/entries/*/runtime", "The Harness is selected by the model's provider."),
    managed("/agents/entries/*/tools/fs/workspaceOnly", SANDBOX),
    managed("/agents/entries/*/tools/elevated", SANDBOX),
    managed("/agents/entries/*/tools/sandbox", SANDBOX),
    managed("/agents/entries/*/tools/exec/host", SANDBOX),
    managed("/agents/entries/*/tools/exec/node", SANDBOX),
    managed("/agents/entries/*/tools/exec/pathPrepend", ENVIRONMENT),
    managed("/agents/entries/*/tools/exec/applyPatch/workspaceOnly", SANDBOX),
    managed("/tools/fs/workspaceOnly", SANDBOX),
    managed("/tools/elevated", SANDBOX),
    managed("/tools/sandbox", SANDBOX),
    managed("/tools/exec/host", SANDBOX),
    managed("/tools/exec/node", SANDBOX),
    managed("/tools/exec/pathPrepend", ENVIRONMENT),
    managed("/tools/exec/applyPatch/workspaceOnly", SANDBOX),
    managed("/tools/web/fetch/ssrfPolicy", NETWORK),
    managed("/tools/links/models", CODE),
    managed("/tools/media/models/*/command", CODE),
    managed("/tools/sessions/visibility", "A conversation sees itself only: conversations belong to people."),
    managed("/commands/allowFrom", COMMANDS),
    managed("/commands/ownerAllowFrom", COMMANDS),
    managed("/commands/restart", COMMANDS),
    managed("/commands/bash", COMMANDS),
    managed("/commands/config", COMMANDS),
    managed("/commands/debug", COMMANDS),
    managed("/commands/mcp", COMMANDS),
    managed("/commands/plugins", COMMANDS),
    managed("/session/store", PATHS),
    managed("/hooks/transformsDir", CODE),
    managed("/hooks/internal", CODE),
    managed("/hooks/mappings/*/transform", CODE),
    managed("/security/installPolicy", CODE),
    managed("/skills/install", CODE),
    managed("/skills/load", CODE),
    managed("/plugins/load", CODE),
    managed("/memory/search/store/vector/extensionPath", CODE),
    managed("/agents/entries/*/memory/search/store/vector/extensionPath", CODE),
    managed("/bindings/*/acp", CODE),
    managed("/plugins/entries/admin-http-rpc", OPERATOR),
    managed("/plugins/entries/codex/config/codexDynamicToolsExclude", SANDBOX),
    managed("/plugins/entries/codex/config/discovery", OUTSIDE),
    managed("/plugins/entries/codex/config/sessionCatalog", PATHS),
    managed("/plugins/entries/codex/config/computerUse", CODE),
    managed("/plugins/entries/codex/config/codexPlugins", CODE),
    managed("/plugins/entries/codex/config/supervision", HARNESS),
    managed("/plugins/entries/codex/config/appServer/url", HARNESS),
    managed("/plugins/entries/codex/config/appServer/authToken", HARNESS),
    managed("/plugins/entries/codex/config/appServer/headers", HARNESS),
    managed("/plugins/entries/codex/config/appServer/command", HARNESS),
    managed("/plugins/entries/codex/config/appServer/args", HARNESS),
    managed("/plugins/entries/codex/config/appServer/clearEnv", HARNESS),
    managed("/plugins/entries/codex/config/appServer/homeScope", HARNESS),
    managed("/plugins/entries/codex/config/appServer/remoteWorkspaceRoot", PATHS),
    managed("/plugins/entries/codex/config/appServer/defaultWorkspaceDir", PATHS),
    managed("/plugins/entries/codex/config/appServer/mode", SANDBOX),
    managed("/plugins/entries/codex/config/appServer/sandbox", SANDBOX),
    managed("/plugins/entries/codex/config/appServer/approvalPolicy", SANDBOX),
    managed("/plugins/entries/codex/config/appServer/networkProxy", NETWORK),
    managed("/plugins/entries/codex/config/appServer/experimental", SANDBOX),
    managed("/acp", CODE),
    managed("/nodeHost", "Nodes of other machines are not part of an Agent."),
    managed("/cloudWorkers", "Workers of other machines are not part of an Agent."),
    managed("/desktop", SANDBOX),
    managed("/worktreeRoot", PATHS),
    managed("/mcp/servers/*/command", MCP),
    managed("/mcp/servers/*/args", MCP),
    managed("/mcp/servers/*/cwd", MCP),
    managed("/mcp/servers/*/env", MCP),
    managed("/channels/imessage/cliPath", CODE),
    managed("/channels/imessage/dbPath", PATHS),
    managed("/channels/imessage/accounts/*/cliPath", CODE),
    managed("/channels/imessage/accounts/*/dbPath", PATHS),
    managed("/channels/signal/transport/cliPath", CODE),
    managed("/channels/signal/transport/configPath", PATHS),
    managed("/channels/signal/transport/socketPath", PATHS),
    managed("/channels/signal/accounts/*/transport/cliPath", CODE),
    managed("/channels/signal/accounts/*/transport/configPath", PATHS),
    managed("/channels/signal/accounts/*/transport/socketPath", PATHS),
    managed("/channels/reef/stateDir", PATHS),
    managed("/channels/*/tokenFile", SECRETS),
    managed("/channels/*/accounts/*/tokenFile", SECRETS),
    managed("/channels/*/secretFile", SECRETS),
    managed("/channels/*/accounts/*/secretFile", SECRETS),
    managed("/channels/*/passwordFile", SECRETS),
    managed("/channels/*/accounts/*/passwordFile", SECRETS),
    managed("/channels/*/nickserv/passwordFile", SECRETS),
    managed("/channels/*/accounts/*/nickserv/passwordFile", SECRETS),
    managed("/channels/*/apiPasswordFile", SECRETS),
    managed("/channels/*/accounts/*/apiPasswordFile", SECRETS),
    managed("/channels/*/botSecretFile", SECRETS),
    managed("/channels/*/accounts/*/botSecretFile", SECRETS),
    managed("/channels/*/serviceAccountFile", SECRETS),
    managed("/channels/*/accounts/*/serviceAccountFile", SECRETS),
    managed("/skills/entries/*/env", ENVIRONMENT),
    managed("/memory/search/extraPaths", PATHS),
    managed("/agents/entries/*/memory/search/extraPaths", PATHS),
    managed("/plugins/entries/crabbox/config/sandbox/binary", CODE),
    managed("/plugins/entries/cua-computer/config/driverPath", CODE),
    managed("/browser/executablePath", CODE),
    managed("/browser/profiles/*/mcpCommand", CODE),
    managed("/browser/profiles/*/mcpArgs", CODE),
    managed("/browser/profiles/*/executablePath", CODE),
    managed("/browser/profiles/*/userDataDir", PATHS),
    managed("/browser/noSandbox", SANDBOX),
    managed("/browser/extraArgs", SANDBOX),
    managed("/browser/ssrfPolicy", NETWORK),
    managed("/cron/webhookSsrfPolicy", NETWORK),
    managed("/proxy", NETWORK),
];

/// The row of the table that covers `pointer`, if any.
pub fn covering(pointer: &str) -> Option<&'static Managed> {
    MANAGED.iter().find(|row| pointer::within(row.pointer, pointer))
}

/// Every managed place that `document` sets, with its row.
pub fn set_in(document: &Value) -> Vec<(String, &'static Managed)> {
    MANAGED
        .iter()
        .flat_map(|row| pointer::places(document, row.pointer).into_iter().map(move |place| (place, row)))
        .collect()
}

/// Removes every managed place from `document`.
pub fn strip(document: &mut Value) {
    for (place, _) in set_in(document) {
        pointer::remove(document, &place);
    }
}

/// The table as a page of the documentation (Markdown).
pub fn page() -> String {
    let mut page = String::from(
        "# Keys that the platform manages\n\n\
         A Configuration is a native OpenClaw document. The keys below follow the deployment; a document that sets one is refused with\n\
         `MANAGED_KEY` at its place. `*` is any key or index; what lies below a managed key is managed too.\n\n\
         | Place | Why |\n| --- | --- |\n",
    );
    for row in MANAGED {
        page.push_str("| `");
        page.push_str(row.pointer);
        page.push_str("` | ");
        page.push_str(row.why);
        page.push_str(" |\n");
    }
    page.push_str(
        "\nRefused anywhere: `${…}` (`UNBOUND_VARIABLE`), `$include` (`INCLUDE`), the runtime's own secret references (`SECRET_REF`), model\n\
         credentials (`MODEL_KEY`; they come from the Agent's `harnessAuth`), secrets written out (`LITERAL_SECRET`; bind a Secret),\n\
         placeholders (`PLACEHOLDER`), control characters (`CONTROL_CHARACTER`).\n\n\
         Where the document is silent: the heartbeat is off (`agents.defaults.heartbeat.every` is `0m`), so are the browser and the\n\
         memory's nightly job, and only the plugins load that the document uses. The tools `automations`, `cron` and `sessions_spawn` are\n\
         off unless `tools.allow` or `tools.alsoAllow` names them; the `conversations_*` tools, `gateway`, `nodes`, `openclaw`, `plugins`, `portal`, `secrets` and `terminal` are always off.\n\
         A dedicated Harness is offered no tool that acts on the gateway's side.\n",
    );
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_is_stripped_of_what_is_managed_and_of_nothing_else() {
        let mut document = json!({
            "gateway": {"bind": "lan", "tools": {"deny": ["x"]}},
            "agents": {"entries": {"a": {"workspace": "/etc", "name": "A"}}},
            "models": {"providers": {"p": {"localService": {"command": "sh"}, "baseUrl": "http://h"}}},
        });
        strip(&mut document);
        assert_eq!(
            document,
            json!({
                "gateway": {"tools": {"deny": ["x"]}},
                "agents": {"entries": {"a": {"name": "A"}}},
                "models": {"providers": {"p": {"baseUrl": "http://h"}}},
            })
        );
    }

    #[test]
    fn a_place_below_a_managed_one_is_covered() {
        assert!(covering("/gateway/auth/token").is_some());
        assert!(covering("/agents/entries/main/workspace").is_some());
        assert!(covering("/channels/telegram/botToken").is_none());
    }
}
