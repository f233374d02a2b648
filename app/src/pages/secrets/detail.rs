//! One Secret: a new value, its versions, the Agents that may use it and whether they hold its current value.

use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use occ_model::operation::{Action, Kind as ResourceKind};
use occ_model::secret::{Secret, SecretConsumer, SecretValue, SecretVersion};

use super::settings::Settings;
use crate::act::{Act, Outcome};
use crate::allowed::{Allowed, allowed};
use crate::api;
use crate::live::use_live;
use crate::load::{read, shown};
use crate::pages::params::{namespace_param, param};
use crate::parts::{
    Ago, Button, Card, Column, ConfirmByName, CopyId, Description, Fact, Facts, Form, Kind, PageHead, Pill, Submit,
    Table, TextInput, TextKind, Tone, use_toasts,
};
use crate::paths;
use crate::words::count;

/// The page.
#[component]
pub fn SecretDetail() -> impl IntoView {
    let (namespace, name) = (namespace_param(), param("secret"));
    let changes = use_live().watch_kinds(&[ResourceKind::Secret, ResourceKind::Agent, ResourceKind::Binding]);
    let reading = read(
        move || (namespace.get(), name.get(), changes.get()),
        |(namespace, name, _)| api::secret::get(namespace, name),
    );
    shown(reading, move |secret| view! { <Detail namespace secret again=Callback::new(move |()| reading.refetch()) /> })
}

#[component]
fn Detail(namespace: Memo<String>, secret: Signal<Secret>, again: Callback<()>) -> impl IntoView {
    let name = Memo::new(move |_| secret.with(|s| s.meta.name.to_string()));
    let may = allowed(move || format!("namespaces/{}/secrets/{}", namespace.get(), name.get()));
    view! {
        <PageHead
            title=Signal::derive(move || secret.with(|s| s.meta.title().to_owned()))
            sub=move || {
                view! {
                    <span>{move || format!("Version {}", secret.with(|s| s.current_version))}</span>
                    <span>"set " <Ago at=Signal::derive(move || secret.with(|s| s.value_set_at.to_offset())) /></span>
                    <Description text=Signal::derive(move || {
                        secret.with(|s| s.meta.description.as_ref().map(ToString::to_string))
                    }) />
                }
            }
        />
        <div class="cols">
            <div class="stack">
                <Consumers namespace secret may again />
                <NewValue namespace name may again />
                <Settings namespace secret may again />
            </div>
            <aside class="stack">
                <Versions secret />
                <Delete namespace secret may />
            </aside>
        </div>
    }
}

#[component]
fn NewValue(namespace: Memo<String>, name: Memo<String>, may: Allowed, again: Callback<()>) -> impl IntoView {
    let value = RwSignal::new(String::new());
    let act = Act::default();
    let toasts = use_toasts();
    let submit = move |()| {
        let (namespace, name) = (namespace.get_untracked(), name.get_untracked());
        let new = SecretValue { value: Some(value.get_untracked()), value_base64: None };
        act.send(
            move |key| api::secret::set_value(namespace.clone(), name.clone(), new.clone(), key),
            move |saved: Secret| {
                value.set(String::new());
                toasts.say(Tone::Ok, format!("Saved version {}.", saved.current_version));
                again.run(());
            },
        );
    };
    let blocked = Signal::derive(move || {
        let empty = value.with(String::is_empty).then(|| "Type or paste the value.".to_owned());
        act.blocked().get().or_else(|| may.missing(Action::Update, ResourceKind::Secret).get()).or(empty)
    });
    view! {
        <Card title="Set a new value" note="Agents get it with their next revision">
            <Outcome act means="The value is as it was." />
            <Form on_submit=submit>
                <TextInput id="value" label="Value" kind=TextKind::Secret value=value error=act.error_at("/value") />
                <div class="acts">
                    <Transition>
                        <Submit busy=act.busy() blocked>
                            "Set the new value"
                        </Submit>
                    </Transition>
                </div>
            </Form>
        </Card>
    }
}

#[component]
fn Consumers(namespace: Memo<String>, secret: Signal<Secret>, may: Allowed, again: Callback<()>) -> impl IntoView {
    let act = Act::default();
    let change = Callback::new(move |(agent, grant): (String, bool)| {
        let (space, name) = (namespace.get_untracked(), secret.with_untracked(|s| s.meta.name.to_string()));
        act.send(
            move |key| {
                let (space, name, agent) = (space.clone(), name.clone(), agent.clone());
                async move {
                    if grant {
                        api::secret::grant(space, name, agent, key).await.map(|_| ())
                    } else {
                        api::secret::withdraw(space, name, agent, key).await
                    }
                }
            },
            move |()| again.run(()),
        );
    });
    let missing = may.missing(Action::Administer, ResourceKind::Secret);
    let rows = move || {
        let space = namespace.get();
        let consumers = secret.with(|s| s.consumers.clone());
        consumers.into_iter().map(|consumer| row(&space, consumer, act, missing, change)).collect_view()
    };
    view! {
        <Card title="Agents" note="whose own identity may use it" flush=true>
            <Outcome act />
            <Show
                when=move || secret.with(|s| !s.consumers.is_empty())
                fallback=|| {
                    view! {
                        <p class="muted p-4">
                            "No Agent uses it yet. Choose it as an Agent's model key, or bind it in a Configuration."
                        </p>
                    }
                }
            >
                <Table
                    label="Agents"
                    columns=vec![Column::new("Agent"), Column::new("Holds"), Column::right("May use it")]
                >
                    {rows}
                </Table>
            </Show>
        </Card>
    }
}

fn row(
    namespace: &str,
    consumer: SecretConsumer,
    act: Act,
    missing: Signal<Option<String>>,
    change: Callback<(String, bool)>,
) -> impl IntoView + use<> {
    let (agent, granted) = (consumer.agent.to_string(), consumer.granted);
    let href = paths::agent(namespace, &agent);
    let label = agent.clone();
    let holds = match consumer.serving_version {
        Some(version) => format!("version {version}"),
        None => "nothing now".to_owned(),
    };
    view! {
        <tr>
            <td>
                <a class="name" href=href>
                    {label}
                </a>
                {(!consumer.referenced).then(|| view! { <small>"does not refer to it"</small> })}
            </td>
            <td>
                {holds} " "
                {consumer.stale.then(|| view! { <Pill tone=Tone::Warn text="Older value; deploy to renew" /> })}
            </td>
            <td class="right">
                <Button
                    small=true
                    kind=if granted { Kind::Quiet } else { Kind::Plain }
                    busy=act.busy()
                    blocked=Signal::derive(move || act.blocked().get().or_else(|| missing.get()))
                    on_press=move |()| change.run((agent.clone(), !granted))
                >
                    {if granted { "Withdraw" } else { "Allow" }}
                </Button>
            </td>
        </tr>
    }
}

#[component]
fn Versions(secret: Signal<Secret>) -> impl IntoView {
    let line = |version: SecretVersion, current: i64| {
        let state = match (version.destroyed_at, version.version == current, version.pinned) {
            (Some(_), _, _) => "destroyed",
            (None, true, _) => "current",
            (None, false, true) => "held by a revision",
            (None, false, false) => "held by nobody",
        };
        view! {
            <Fact name=format!(
                "Version {}",
                version.version,
            )>
                {state} " " <span class="faint">
                    <Ago at=version.created_at.to_offset() />
                </span>
            </Fact>
        }
    };
    view! {
        <Card title="Versions">
            <Facts>
                {move || {
                    let secret = secret.get();
                    secret.versions.into_iter().map(|version| line(version, secret.current_version)).collect_view()
                }} <Fact name="Id">
                    <CopyId id=Signal::derive(move || secret.with(|s| s.id.to_string())) />
                </Fact>
            </Facts>
        </Card>
    }
}

#[component]
fn Delete(namespace: Memo<String>, secret: Signal<Secret>, may: Allowed) -> impl IntoView {
    let name = Memo::new(move |_| secret.with(|s| s.meta.name.to_string()));
    let act = Act::default();
    let asking = RwSignal::new(false);
    let navigate = use_navigate();
    let on_confirm = move |()| {
        let (space, name) = (namespace.get_untracked(), name.get_untracked());
        let (back, navigate) = (paths::secrets(&space), navigate.clone());
        act.send(
            move |key| api::secret::delete(space.clone(), name.clone(), key),
            move |()| navigate(&back, leptos_router::NavigateOptions::default()),
        );
        asking.set(false);
    };
    let missing = may.missing(Action::Delete, ResourceKind::Secret);
    let blocked = Signal::derive(move || {
        let users = secret.with(|s| s.consumers.iter().filter(|c| c.referenced || c.serving_version.is_some()).count());
        let used = (users > 0).then(|| format!("{} still use it.", count(users, "Agent", "Agents")));
        act.blocked().get().or_else(|| missing.get()).or(used)
    });
    view! {
        <Card title="Delete">
            <Outcome act means="The Secret is unchanged." />
            <div>
                <Button kind=Kind::Danger busy=act.busy() blocked on_press=move |()| asking.set(true)>
                    "Delete the Secret"
                </Button>
            </div>
        </Card>
        <ConfirmByName
            id="delete-secret"
            field="delete-secret-name"
            open=asking
            title="Delete the Secret"
            name=name
            goes=vec!["The value, in all its versions, for good".to_owned(), "Who may use it".to_owned()]
            stays=vec!["Its audit events".to_owned()]
            busy=act.busy()
            on_confirm
        />
    }
}
