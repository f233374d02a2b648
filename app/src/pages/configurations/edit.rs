//! One Configuration: its document in the editor, what is wrong with it, who uses it, saving the next generation.

use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use occ_model::configuration::{Configuration, ConfigurationDraft};
use occ_model::operation::{Action, Kind as ResourceKind};
use occ_model::problem::FieldError;

use super::bindings::Bindings;
use super::document::{Document, completer, pretty};
use crate::act::{Act, Outcome};
use crate::allowed::allowed;
use crate::api;
use crate::live::use_live;
use crate::load::{read, shown};
use crate::pages::params::{namespace_param, param};
use crate::pages::texts::{TextFields, Texts, Wrong, field_errors};
use crate::parts::{
    Button, Card, CodeEditor, ConfirmByName, Fact, Facts, Kind, LinkButton, Note, PageHead, Tone, use_toasts,
};
use crate::paths;
use crate::words::count;

/// The page.
#[component]
pub fn ConfigurationEdit() -> impl IntoView {
    let (namespace, name) = (namespace_param(), param("configuration"));
    let changes = use_live().watch_kinds(&[ResourceKind::Configuration, ResourceKind::Agent]);
    let reading = read(
        move || (namespace.get(), name.get(), changes.get()),
        |(namespace, name, _)| api::configuration::get(namespace, name),
    );
    shown(reading, move |configuration| view! { <Edit namespace configuration /> })
}

#[component]
fn Edit(namespace: Memo<String>, configuration: Signal<Configuration>) -> impl IntoView {
    let name = Memo::new(move |_| configuration.with(|c| c.meta.name.to_string()));
    let may = allowed(move || format!("namespaces/{}/configurations/{}", namespace.get(), name.get()));
    // What is edited began as this generation; a newer one is offered, never taken silently (law 7).
    let base = RwSignal::new(configuration.get_untracked());
    let document = Document::new(base.with_untracked(|base| pretty(&base.values)));
    let bindings = RwSignal::new(base.with_untracked(|base| base.secret_bindings.clone()));
    let texts = base.with_untracked(|base| Texts::of(&base.meta));
    let wrong = RwSignal::new(None::<Wrong>);
    document.check_while_typing(namespace, bindings.into());
    let changed = Memo::new(move |_| {
        base.with(|base| {
            let same = document.text.get() == pretty(&base.values) && bindings.get() == base.secret_bindings;
            !same || texts.differ(&base.meta)
        })
    });
    let newer = Memo::new(move |_| {
        let (saved, mine) = (configuration.with(|c| c.meta.generation), base.with(|b| b.meta.generation));
        (saved > mine).then_some((mine, saved))
    });
    let take = move || {
        let latest = configuration.get_untracked();
        document.text.set(pretty(&latest.values));
        bindings.set(latest.secret_bindings.clone());
        texts.take(&latest.meta);
        base.set(latest);
    };
    // An editor that nobody touched follows what is saved.
    Effect::new(move |_| {
        if newer.get().is_some() && !changed.get_untracked() {
            take();
        }
    });

    let save = Act::default();
    let toasts = use_toasts();
    let on_save = move |()| {
        let Ok(values) = document.parse() else { return };
        let said = match texts.read() {
            Ok(said) => said,
            Err(broken) => return wrong.set(Some(broken)),
        };
        wrong.set(None);
        let (sent, named) = (document.text.get_untracked(), said.clone());
        let (draft, generation) = base.with_untracked(|base| {
            let draft = ConfigurationDraft {
                display_name: said.display_name,
                description: said.description,
                labels: said.labels,
                values,
                secret_bindings: bindings.get_untracked(),
            };
            (draft, base.meta.generation)
        });
        let (namespace, name) = (namespace.get_untracked(), name.get_untracked());
        save.send(
            move |key| api::configuration::put(namespace.clone(), name.clone(), draft.clone(), generation, key),
            move |saved: Configuration| {
                toasts.say(Tone::Ok, format!("Saved generation {}.", saved.meta.generation));
                // It is kept as a document, not as it was written; what was typed since then stays.
                if document.text.with_untracked(|now| *now == sent) {
                    document.text.set(pretty(&saved.values));
                }
                if texts.read().is_ok_and(|now| now == named) {
                    texts.take(&saved.meta);
                }
                base.set(saved);
            },
        );
    };
    // A refusal names places: they are shown where they are.
    Effect::new(move |_| {
        if let Some(problem) = save.refusal().get() {
            document.found(problem.errors);
        }
    });
    let problems = document.problems();
    let blocked = Signal::derive(move || {
        let nothing = (!changed.get()).then(|| "Nothing has changed.".to_owned());
        let unreadable = problems.with(|all| all.iter().any(|p| p.code == "NOT_JSON"));
        save.blocked()
            .get()
            .or_else(|| may.missing(Action::Update, ResourceKind::Configuration).get())
            .or(nothing)
            .or_else(|| unreadable.then(|| "The document cannot be read yet.".to_owned()))
    });
    let next = move || base.with(|base| format!("Save generation {}", base.meta.generation + 1));
    view! {
        <PageHead
            title=Signal::derive(move || configuration.with(|c| c.meta.title().to_owned()))
            sub=move || {
                view! {
                    <span>{move || format!("Generation {}", configuration.with(|c| c.meta.generation))}</span>
                    <span>
                        {move || {
                            format!("used by {}", configuration.with(|c| count(c.consumers.len(), "Agent", "Agents")))
                        }}
                    </span>
                }
            }
            actions=move || {
                view! {
                    <LinkButton href=Signal::derive(move || {
                        format!("{}/generations", paths::configuration(&namespace.get(), &name.get()))
                    })>"History"</LinkButton>
                    <Button kind=Kind::Primary busy=save.busy() blocked on_press=on_save>
                        {next}
                    </Button>
                }
            }
        />
        <div class="stack">
            <Show when=move || newer.get().is_some() && changed.get()>
                <Note
                    tone=Tone::Warn
                    what=Signal::derive(move || {
                        newer
                            .get()
                            .map(|(_, saved)| format!("Generation {saved} was saved meanwhile."))
                            .unwrap_or_default()
                    })
                    means=Signal::derive(move || {
                        newer.get().map(|(mine, _)| format!("You edit generation {mine}; saving it would be refused."))
                    })
                    next="Compare, then take the saved one and make your change again."
                >
                    <LinkButton
                        small=true
                        href=Signal::derive(move || {
                            let (from, to) = newer.get().unwrap_or_default();
                            format!(
                                "{}/generations?from={from}&to={to}",
                                paths::configuration(&namespace.get(), &name.get()),
                            )
                        })
                    >
                        "Compare"
                    </LinkButton>
                    <Button small=true on_press=move |()| take()>
                        "Take the saved one"
                    </Button>
                </Note>
            </Show>
            <Outcome act=save />
            <Problems problems advice=document.advice() />
            <div class="cols">
                <Card
                    title="Document"
                    note=Signal::derive(move || Some(
                        if changed.get() { "JSON, unsaved changes" } else { "JSON" }.to_owned(),
                    ))
                    flush=true
                >
                    <CodeEditor
                        id="document"
                        label="Document"
                        text=document.text
                        marks=document.marks()
                        complete=completer(namespace)
                    />
                </Card>
                <aside class="stack">
                    <Bindings namespace bindings />
                    <UsedBy namespace configuration />
                    <Card title="Settings">
                        <div class="form">
                            <TextFields texts error=field_errors(save, wrong) />
                        </div>
                    </Card>
                    <Delete namespace configuration />
                </aside>
            </div>
        </div>
    }
}

/// What is wrong with the document, as a list; the editor shows the same at the places.
#[component]
pub(super) fn Problems(problems: Signal<Vec<FieldError>>, advice: Signal<Vec<FieldError>>) -> impl IntoView {
    let what = Signal::derive(move || format!("{}.", count(problems.with(Vec::len), "problem", "problems")));
    view! {
        <Show when=move || !problems.with(Vec::is_empty)>
            <Note
                tone=Tone::Bad
                what=what
                means="Nothing is saved until they are gone; what you typed stays here."
                places=(move || places(problems.get())).into_any()
            />
        </Show>
        <Show when=move || !advice.with(Vec::is_empty)>
            <Note
                tone=Tone::Warn
                what="Allowed, but perhaps not meant."
                places=(move || places(advice.get())).into_any()
            />
        </Show>
    }
}

fn places(problems: Vec<FieldError>) -> impl IntoView {
    let rows = problems.into_iter().map(|problem| {
        let place = problem.pointer.strip_prefix("/values").unwrap_or(&problem.pointer).to_owned();
        view! {
            <li>
                {(!place.is_empty())
                    .then(|| {
                        view! {
                            <code>{place}</code>
                            " "
                        }
                    })} {problem.message}
            </li>
        }
    });
    view! { <ul>{rows.collect_view()}</ul> }
}

#[component]
fn UsedBy(namespace: Memo<String>, configuration: Signal<Configuration>) -> impl IntoView {
    let rows = move || {
        let consumers = configuration.with(|c| c.consumers.clone());
        if consumers.is_empty() {
            return view! { <p class="muted">"No Agent uses it yet."</p> }.into_any();
        }
        let rows = consumers.into_iter().map(|agent| {
            let href = paths::agent(&namespace.get(), agent.name.as_str());
            view! {
                <li>
                    <a class="link" href=href>
                        {agent.name.to_string()}
                    </a>
                </li>
            }
        });
        view! { <ul class="stack">{rows.collect_view()}</ul> }.into_any()
    };
    view! { <Card title="Used by">{rows}</Card> }
}

#[component]
fn Delete(namespace: Memo<String>, configuration: Signal<Configuration>) -> impl IntoView {
    let name = Memo::new(move |_| configuration.with(|c| c.meta.name.to_string()));
    let act = Act::default();
    let asking = RwSignal::new(false);
    let navigate = use_navigate();
    let on_confirm = move |()| {
        let (space, name) = (namespace.get_untracked(), name.get_untracked());
        let (back, navigate) = (paths::configurations(&space), navigate.clone());
        act.send(
            move |key| api::configuration::delete(space.clone(), name.clone(), key),
            move |()| navigate(&back, leptos_router::NavigateOptions::default()),
        );
        asking.set(false);
    };
    let blocked = Signal::derive(move || {
        let used = configuration.with(|c| !c.consumers.is_empty());
        act.blocked().get().or_else(|| used.then(|| "Agents still use it.".to_owned()))
    });
    view! {
        <Card title="Delete">
            <Outcome act means="The Configuration is unchanged." />
            <Facts>
                <Fact name="History">"goes with it"</Fact>
                <Fact name="Revisions">"keep their own copy"</Fact>
            </Facts>
            <div>
                <Button kind=Kind::Danger busy=act.busy() blocked on_press=move |()| asking.set(true)>
                    "Delete the Configuration"
                </Button>
            </div>
        </Card>
        <ConfirmByName
            id="delete-configuration"
            field="delete-configuration-name"
            open=asking
            title="Delete the Configuration"
            name=name
            goes=vec!["The document with all its generations".to_owned()]
            stays=vec!["Revisions that were admitted with it: they hold their own copy".to_owned()]
            busy=act.busy()
            on_confirm
        />
    }
}
