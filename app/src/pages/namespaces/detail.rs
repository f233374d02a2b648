//! One Namespace: its state with the reason, its quotas and their use, its deletion with what remains.

use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use occ_model::namespace::{Namespace, NamespaceStatus};
use occ_model::operation::{Action, Kind as ResourceKind};

use super::settings::Settings;
use crate::act::{Act, Outcome};
use crate::allowed::allowed;
use crate::api;
use crate::live::use_live;
use crate::load::{read, shown};
use crate::pages::params::namespace_param;
use crate::parts::{
    Ago, Button, Card, ConfirmByName, CopyId, Description, Fact, Facts, Kind, LinkButton, Meter, Note, PageHead, Pill,
    Tone,
};
use crate::paths;
use crate::show::namespace_status;

/// The page.
#[component]
pub fn NamespaceDetail() -> impl IntoView {
    let name = namespace_param();
    let changes = use_live().watch_kinds(&[
        ResourceKind::Namespace,
        ResourceKind::Agent,
        ResourceKind::Secret,
        ResourceKind::Configuration,
    ]);
    let namespace = read(move || (name.get(), changes.get()), |(name, _)| api::namespace::get(name));
    shown(namespace, |namespace| view! { <Detail namespace /> })
}

#[component]
fn Detail(namespace: Signal<Namespace>) -> impl IntoView {
    let name = Memo::new(move |_| namespace.with(|n| n.meta.name.to_string()));
    let may = allowed(move || format!("namespaces/{}", name.get()));
    let (delete, retry) = (Act::default(), Act::default());
    let asking = RwSignal::new(false);
    let navigate = use_navigate();
    let on_delete = move |()| {
        let navigate = navigate.clone();
        let name = name.get_untracked();
        delete.send(
            move |key| api::namespace::delete(name.clone(), key),
            move |_| navigate(paths::NAMESPACES, leptos_router::NavigateOptions::default()),
        );
        asking.set(false);
    };
    let on_retry = move |()| {
        let name = name.get_untracked();
        retry.send(move |key| api::namespace::retry(name.clone(), key), |_| {});
    };
    let failed = move || namespace.with(|n| n.status == NamespaceStatus::Failed);
    let reason = Signal::derive(move || namespace.with(|n| n.status_reason.clone()));
    let status = move || namespace_status(namespace.with(|n| n.status));
    view! {
        <PageHead
            title=Signal::derive(move || namespace.with(|n| n.meta.title().to_owned()))
            status=move || {
                view! {
                    <Pill
                        tone=Signal::derive(move || status().0)
                        text=Signal::derive(move || status().1.to_owned())
                        dot=true
                    />
                }
            }
            sub=move || {
                view! {
                    <span class="mono">{move || name.get()}</span>
                    <Description text=Signal::derive(move || {
                        namespace.with(|n| n.meta.description.as_ref().map(ToString::to_string))
                    }) />
                }
            }
            actions=move || {
                view! { <LinkButton href=Signal::derive(move || paths::agents(&name.get()))>"Agents"</LinkButton> }
            }
        />
        <div class="stack">
            <Outcome act=delete means="The Namespace and everything in it are unchanged." />
            <Outcome act=retry />
            <Show when=failed>
                <Note
                    tone=Tone::Bad
                    what="Its place on the target could not be made."
                    means=reason
                    next="Correct the cause, then try again."
                >
                    <Button
                        small=true
                        busy=retry.busy()
                        blocked=may.missing(Action::Operate, ResourceKind::Namespace)
                        on_press=on_retry
                    >
                        "Try again"
                    </Button>
                </Note>
            </Show>
            <div class="cols">
                <div class="stack">
                    <Usage namespace />
                    <Settings namespace may />
                </div>
                <aside class="stack">
                    <Card title="Facts">
                        <Facts>
                            <Fact name="Id">
                                <CopyId id=Signal::derive(move || namespace.with(|n| n.id.to_string())) />
                            </Fact>
                            <Fact name="Created">
                                <Ago at=Signal::derive(move || namespace.with(|n| n.meta.created_at.to_offset())) />
                            </Fact>
                        </Facts>
                    </Card>
                    <Card title="Delete">
                        <p class="muted">"Only an empty Namespace can be deleted."</p>
                        <div>
                            <Button
                                kind=Kind::Danger
                                busy=delete.busy()
                                blocked=Signal::derive(move || {
                                    delete
                                        .blocked()
                                        .get()
                                        .or_else(|| may.missing(Action::Delete, ResourceKind::Namespace).get())
                                })
                                on_press=move |()| asking.set(true)
                            >
                                "Delete the Namespace"
                            </Button>
                        </div>
                    </Card>
                </aside>
            </div>
        </div>
        <ConfirmByName
            id="delete-namespace"
            field="delete-namespace-name"
            open=asking
            title="Delete the Namespace"
            name=name
            goes=vec!["The Namespace and its place on the target".to_owned(), "Who may do what in it".to_owned()]
            stays=vec!["Its audit events".to_owned()]
            busy=delete.busy()
            on_confirm=on_delete
        />
    }
}

#[component]
fn Usage(namespace: Signal<Namespace>) -> impl IntoView {
    let rows = move || {
        let namespace = namespace.get();
        let name = namespace.meta.name.as_str();
        let (quotas, usage) = (&namespace.quotas, &namespace.usage);
        [
            ("Agents", usage.agents, quotas.agents, paths::agents(name)),
            ("Running Agents", usage.running_agents, quotas.running_agents, paths::agents(name)),
            ("Configurations", usage.configurations, quotas.configurations, paths::configurations(name)),
            ("Secrets", usage.secrets, quotas.secrets, paths::secrets(name)),
        ]
        .map(|(label, used, limit, href)| {
            let text = limit.map_or_else(|| used.to_string(), |limit| format!("{used} of {limit}"));
            view! {
                <dt>
                    <a class="link" href=href>
                        {label}
                    </a>
                </dt>
                <dd>{text} {limit.map(|limit| view! { <Meter used=used limit=limit label=label /> })}</dd>
            }
        })
        .collect_view()
    };
    view! {
        <Card title="Use">
            <dl class="facts">{rows}</dl>
        </Card>
    }
}
