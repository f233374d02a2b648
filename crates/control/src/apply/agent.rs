//! Converging an Agent's draft, and the files that a new one's workspace begins with.

use std::collections::BTreeMap;

use occ_model::agent::{AgentDraft, CreateAgent};
use occ_model::apply::DocumentKind;
use occ_model::deployment::{DiffEntry, DiffOp};
use occ_model::reference::Selector;
use occ_model::strict::escape;
use occ_store::agent as store;

use super::converge::{Done, Pass, made, name_in, present};
use crate::draft::invalid_at;
use crate::error::Result;
use crate::{agent, agent_draft, workspace_files};

impl Pass<'_> {
    /// Converges it.
    pub(super) async fn agent(&self, wanted: &CreateAgent) -> Result<Done> {
        let draft = agent_draft::of_request(wanted);
        let files = &wanted.initial_workspace_files;
        if self.namespace_is_pending() {
            agent_draft::check(&self.cx, &draft)?;
            workspace_files::check(files)?;
            return Ok(with_files(made(&draft)?, files));
        }
        let of = Selector::Name(wanted.name.clone());
        let referred = |pointer: &str| match pointer {
            "/configuration" => {
                name_in(&draft.configuration).map(|name| (DocumentKind::Configuration, name.to_string()))
            }
            "/harnessAuth/apiKey" => {
                let key = draft.harness_auth.as_ref()?.api_key.as_ref()?;
                name_in(key).map(|name| (DocumentKind::Secret, name.to_string()))
            }
            _ => None,
        };
        let Some(current) = present(agent::get(&self.cx, self.namespace, &of).await)? else {
            let done = agent::create(&self.cx, self.namespace, wanted.clone(), &self.options(None)).await;
            self.unless_pending(done.map(drop), referred)?;
            return Ok(with_files(made(&draft)?, files));
        };
        if !files.is_empty() && *files != store::initial_workspace_files(&mut self.cx.read().await?, current.id).await?
        {
            return Err(invalid_at(
                "/initialWorkspaceFiles",
                "CREATE_ONLY",
                "They are put into the workspace of a new Agent, once. Change the files there, leave them as they were, or make another Agent.",
            ));
        }
        let before = AgentDraft {
            display_name: current.meta.display_name,
            description: current.meta.description,
            labels: current.meta.labels,
            configuration: current.configuration,
            execution_mode: current.execution_mode,
            harness_auth: current.harness_auth,
            backend_id: current.backend_id,
        };
        let generation = current.meta.generation;
        let edit = async || {
            let options = self.options(Some(generation));
            let edited = agent::edit(&self.cx, self.namespace, &of, |_| Ok(draft.clone()), &options).await?;
            Ok(edited.meta.generation)
        };
        self.changed((&before, &draft), generation, edit, referred).await
    }
}

/// The files that a new Agent's workspace begins with, by name; their texts are not repeated.
fn with_files((outcome, mut entries): Done, files: &BTreeMap<String, String>) -> Done {
    entries.extend(files.keys().map(|path| DiffEntry {
        op: DiffOp::Added,
        pointer: format!("/initialWorkspaceFiles/{}", escape(path)),
        old: None,
        new: None,
    }));
    (outcome, entries)
}
