//! What the Agent itself may use: its own identity's grants on the Secrets that it refers to.

use leptos::prelude::*;
use occ_model::operation::{Action, Kind as ResourceKind};
use occ_model::secret::{Secret, SecretConsumer};

use super::frame::{Here, here};
use crate::act::{Act, Outcome};
use crate::allowed::allowed;
use crate::api;
use crate::live::use_live;
use crate::load::{read, shown};
use crate::parts::{Button, Card, CopyId, Empty, Fact, Facts, Icon, Note, Pill, Tone};
use crate::paths;

/// The tab.
#[component]
pub fn AgentAccess() -> impl IntoView {
    here().map(|here| {
        view! {
            <div class="cols">
                <ModelKey here />
                <aside class="stack">
                    <Card title="Identity">
                        <Facts>
                            <Fact name="Agent">
                                <CopyId id=Signal::derive(move || here.agent.with(|agent| agent.id.to_string())) />
                            </Fact>
                        </Facts>
                        <p class="muted">
                            "An Agent acts as itself. No reference in its definition grants anything; each needs its own allow."
                        </p>
                    </Card>
                </aside>
            </div>
        }
    })
}

#[component]
fn ModelKey(here: Here) -> impl IntoView {
    let secret =
        Memo::new(move |_| here.agent.with(|agent| Some(agent.harness_auth.as_ref()?.api_key.as_ref()?.to_string())));
    view! {
        <Card title="Model key" note="the Secret that pays for its thinking">
            {move || match secret.get() {
                None => {
                    view! {
                        <Empty
                            icon=Icon::Key
                            title="No model key"
                            text="The draft names none. Choose one on the Configuration tab, where the provider needs a key."
                        />
                    }
                        .into_any()
                }
                Some(secret) => view! { <Grant here secret /> }.into_any(),
            }}
        </Card>
    }
}

#[component]
fn Grant(here: Here, secret: String) -> impl IntoView {
    let changes = use_live().watch_kinds(&[ResourceKind::Secret, ResourceKind::Binding]);
    let resource = secret.clone();
    let may = allowed(move || format!("namespaces/{}/secrets/{resource}", here.namespace.get()));
    let reading = read(
        move || (here.namespace.get(), secret.clone(), changes.get()),
        |(namespace, secret, _)| api::secret::get(namespace, secret),
    );
    shown(reading, move |secret| {
        let mine = Signal::derive(move || secret.with(|secret| consumer(here, secret)));
        let granted = Signal::derive(move || mine.with(|mine| mine.as_ref().is_some_and(|mine| mine.granted)));
        let act = Act::default();
        let allow = move |()| {
            let (namespace, agent) = (here.namespace.get_untracked(), here.name.get_untracked());
            let name = secret.with_untracked(|secret| secret.meta.name.to_string());
            act.send(
                move |key| api::secret::grant(namespace.clone(), name.clone(), agent.clone(), key),
                move |_: SecretConsumer| reading.refetch(),
            );
        };
        let missing = may.missing(Action::Administer, ResourceKind::Secret);
        let blocked = Signal::derive(move || act.blocked().get().or_else(|| missing.get()));
        let href =
            Signal::derive(move || paths::secret(&here.namespace.get(), &secret.with(|s| s.meta.name.to_string())));
        view! {
            <Outcome act />
            <Facts>
                <Fact name="Secret">
                    <a class="link" href=move || href.get()>
                        {move || secret.with(|secret| secret.meta.name.to_string())}
                    </a>
                </Fact>
                <Fact name="Current version">{move || secret.with(|secret| secret.current_version)}</Fact>
                <Fact name="Held now">
                    {move || mine.get().map_or_else(|| "nothing".to_owned(), |mine| held(&mine))}
                </Fact>
                <Fact name="This Agent">
                    <Show
                        when=move || granted.get()
                        fallback=|| view! { <Pill tone=Tone::Warn text="May not use it" /> }
                    >
                        <Pill tone=Tone::Ok text="May use it" />
                    </Show>
                </Fact>
            </Facts>
            <Show when=move || !granted.get()>
                <Note tone=Tone::Warn what="A deployment would be refused." next="Let this Agent use the Secret.">
                    <Button small=true busy=act.busy() blocked on_press=allow>
                        "Allow"
                    </Button>
                </Note>
            </Show>
        }
    })
}

fn consumer(here: Here, secret: &Secret) -> Option<SecretConsumer> {
    let id = here.agent.with(|agent| agent.id);
    secret.consumers.iter().find(|consumer| consumer.agent_id == id).cloned()
}

fn held(consumer: &SecretConsumer) -> String {
    match (consumer.serving_version, consumer.stale) {
        (Some(version), true) => format!("version {version}, an older value; deploy to renew it"),
        (Some(version), false) => format!("version {version}"),
        (None, _) => "nothing".to_owned(),
    }
}
