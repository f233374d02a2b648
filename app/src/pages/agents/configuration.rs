//! The Agent's draft: which Configuration, which mode, which key. Saving changes the draft; deploying brings it into service.

use leptos::prelude::*;
use occ_model::agent::{Agent, AgentDraft, ExecutionMode, HarnessAuth};
use occ_model::operation::{Action, Kind as ResourceKind};
use occ_model::page::ListQuery;

use super::frame::{Here, here};
use crate::act::{Act, Outcome};
use crate::api;
use crate::pages::params::filled;
use crate::pages::texts::{Newer, Said, TextFields, Texts, Wrong, field_errors, label_patch};
use crate::parts::{Card, ChoiceGroup, Form, Select, Submit, TextInput, TextKind, Tone, use_toasts};

use super::new::modes;

/// The tab.
#[component]
pub fn AgentConfiguration() -> impl IntoView {
    here().map(|here| view! { <Edit here /> })
}

/// The fields, as text.
#[derive(Clone, Copy)]
struct Fields {
    texts: Texts,
    configuration: RwSignal<String>,
    mode: RwSignal<String>,
    provider: RwSignal<String>,
    key: RwSignal<String>,
}

impl Fields {
    fn of(agent: &Agent) -> Self {
        let fields = Self {
            texts: Texts::new(),
            configuration: RwSignal::default(),
            mode: RwSignal::default(),
            provider: RwSignal::default(),
            key: RwSignal::default(),
        };
        fields.take(agent);
        fields
    }

    fn take(self, agent: &Agent) {
        let auth = agent.harness_auth.as_ref();
        self.texts.take(&agent.meta);
        self.configuration.set(agent.configuration.to_string());
        self.mode.set(agent.execution_mode.to_string());
        self.provider.set(auth.map(|auth| auth.provider.clone()).unwrap_or_default());
        self.key.set(auth.and_then(|auth| auth.api_key.as_ref()).map(ToString::to_string).unwrap_or_default());
    }

    /// The draft that the fields say, on top of `agent`; or which field is wrong.
    fn draft(self, agent: &Agent) -> Result<AgentDraft, Wrong> {
        let Said { display_name, description, labels } = self.texts.read()?;
        let configuration = self
            .configuration
            .get_untracked()
            .parse()
            .map_err(|_| ("/configuration", "Choose a Configuration.".to_owned()))?;
        let execution_mode: ExecutionMode =
            self.mode.get_untracked().parse().map_err(|_| ("/executionMode", "Choose a mode.".to_owned()))?;
        let api_key = match filled(&self.key.get_untracked()) {
            None => None,
            Some(name) => Some(name.parse().map_err(|_| ("/harnessAuth/apiKey", "Choose a Secret.".to_owned()))?),
        };
        let harness_auth = filled(&self.provider.get_untracked()).map(|provider| HarnessAuth { provider, api_key });
        Ok(AgentDraft {
            display_name,
            description,
            labels,
            configuration,
            execution_mode,
            harness_auth,
            backend_id: agent.backend_id.clone(),
        })
    }
}

#[component]
fn Edit(here: Here) -> impl IntoView {
    let base = RwSignal::new(here.agent.get_untracked());
    let fields = Fields::of(&base.get_untracked());
    let wrong = RwSignal::new(None::<Wrong>);
    let act = Act::default();
    let toasts = use_toasts();
    let newer = Memo::new(move |_| here.agent.with(|a| a.meta.generation) > base.with(|a| a.meta.generation));
    let take = move |()| {
        let latest = here.agent.get_untracked();
        fields.take(&latest);
        base.set(latest);
        act.forget();
    };
    let save = move |()| {
        let agent = base.get_untracked();
        let draft = match fields.draft(&agent) {
            Ok(draft) => draft,
            Err(problem) => return wrong.set(Some(problem)),
        };
        wrong.set(None);
        // Every field is sent, absent ones as null: a merge patch removes those.
        let Ok(mut patch) = serde_json::to_value(&draft) else { return };
        patch["labels"] = label_patch(&agent.meta.labels, &draft.labels);
        let generation = agent.meta.generation;
        let (namespace, name) = (here.namespace.get_untracked(), here.name.get_untracked());
        act.send(
            move |key| api::agent::update(namespace.clone(), name.clone(), patch.clone(), generation, key),
            move |saved: Agent| {
                base.set(saved);
                here.again.run(());
                toasts.say(Tone::Ok, "Saved the draft. Deploy it to bring it into service.");
            },
        );
    };
    let error = field_errors(act, wrong);
    let missing = here.may.missing(Action::Update, ResourceKind::Agent);
    let blocked = Signal::derive(move || act.blocked().get().or_else(|| missing.get()));
    let configurations = names(here, |namespace| async move {
        let query = ListQuery { limit: Some(200), ..ListQuery::default() };
        let page = api::configuration::list(namespace, query).await?;
        Ok(page.items.into_iter().map(|item| item.meta.name.to_string()).collect())
    });
    let secrets = names(here, |namespace| async move {
        let query = ListQuery { limit: Some(200), ..ListQuery::default() };
        let page = api::secret::list(namespace, query).await?;
        Ok(page.items.into_iter().map(|item| item.meta.name.to_string()).collect())
    });
    view! {
        <div class="stack">
            <Newer newer what="Agent" take />
            <Outcome act />
            <Card title="Draft" note="what the next deployment admits">
                <Form on_submit=save>
                    <TextFields texts=fields.texts error />
                    <Transition>
                        <Select
                            id="configuration"
                            label="Configuration"
                            value=fields.configuration
                            options=with_current(configurations, fields.configuration, None)
                            error=error("/configuration")
                        />
                    </Transition>
                    <ChoiceGroup name="mode" legend="Execution mode" value=fields.mode choices=modes() />
                    <TextInput
                        id="provider"
                        label="Provider"
                        kind=TextKind::Name
                        value=fields.provider
                        hint="As the document's model names it: the part before the slash."
                        error=error("/harnessAuth/provider")
                    />
                    <Transition>
                        <Select
                            id="apiKey"
                            label="Model key"
                            value=fields.key
                            options=with_current(secrets, fields.key, Some("None"))
                            hint="A Secret of this Namespace. This Agent also has to be allowed to use it (see Access)."
                            error=error("/harnessAuth/apiKey")
                        />
                    </Transition>
                    <div class="acts">
                        <Submit busy=act.busy() blocked>
                            "Save the draft"
                        </Submit>
                    </div>
                </Form>
            </Card>
        </div>
    }
}

fn names<F>(here: Here, list: fn(String) -> F) -> Resource<Vec<String>>
where
    F: Future<Output = Result<Vec<String>, crate::fault::Fault>> + Send + 'static,
{
    // One's own choice stays possible even where the list may not be read.
    Resource::new(
        move || here.namespace.get(),
        move |namespace| async move { list(namespace).await.unwrap_or_default() },
    )
}

/// The names as options; the current value is always one of them.
fn with_current(
    names: Resource<Vec<String>>,
    current: RwSignal<String>,
    nothing: Option<&'static str>,
) -> Signal<Vec<(String, String)>> {
    Signal::derive(move || {
        let mut all = names.get().unwrap_or_default();
        let current = current.get_untracked();
        if !current.is_empty() && !all.contains(&current) {
            all.insert(0, current);
        }
        let first = nothing.map(|words| (String::new(), words.to_owned()));
        first.into_iter().chain(all.into_iter().map(|name| (name.clone(), name))).collect()
    })
}
