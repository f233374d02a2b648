//! The command palette (`Ctrl K`, `⌘K`): everything one can go to or begin, found by typing.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use occ_model::meta::Meta;
use occ_model::page::ListQuery;

use super::Scene;
use crate::api;
use crate::parts::{Glyph, Icon};
use crate::paths;
use crate::unsaved::{Unsaved, may_go};

/// Something to go to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Command {
    label: String,
    hint: String,
    icon: Icon,
    href: String,
}

fn command(label: impl Into<String>, hint: impl Into<String>, icon: Icon, href: impl Into<String>) -> Command {
    Command { label: label.into(), hint: hint.into(), icon, href: href.into() }
}

/// What has a name in a Namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Thing {
    icon: Icon,
    kind: &'static str,
    namespace: String,
    name: String,
    title: String,
    href: String,
}

/// What was found by its name, and whether all Namespaces were looked into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Found {
    things: Vec<Thing>,
    looked_into: usize,
}

/// So many Namespaces are looked into.
const LOOKS_INTO: usize = 30;

/// Agents, Configurations and Secrets of these Namespaces, as far as they may be read. What may not be is not there.
async fn everything(namespaces: Vec<String>) -> Found {
    let all = ListQuery { limit: Some(200), ..ListQuery::default() };
    let mut found = Found::default();
    for space in namespaces.into_iter().take(LOOKS_INTO) {
        let thing = |icon, kind, meta: &Meta, href| Thing {
            icon,
            kind,
            namespace: space.clone(),
            name: meta.name.to_string(),
            title: meta.title().to_owned(),
            href,
        };
        let agents = api::agent::list(space.clone(), all.clone()).await;
        let configurations = api::configuration::list(space.clone(), all.clone()).await;
        let secrets = api::secret::list(space.clone(), all.clone()).await;
        for agent in agents.map(|page| page.items).unwrap_or_default() {
            let href = paths::agent(&space, agent.meta.name.as_str());
            found.things.push(thing(Icon::Agent, "Agent", &agent.meta, href));
        }
        for configuration in configurations.map(|page| page.items).unwrap_or_default() {
            let href = paths::configuration(&space, configuration.meta.name.as_str());
            found.things.push(thing(Icon::File, "Configuration", &configuration.meta, href));
        }
        for secret in secrets.map(|page| page.items).unwrap_or_default() {
            let href = paths::secret(&space, secret.meta.name.as_str());
            found.things.push(thing(Icon::Key, "Secret", &secret.meta, href));
        }
        found.looked_into += 1;
    }
    found
}

/// Everything there is, for somebody in `namespace` who may read `namespaces`.
fn commands(namespace: Option<&str>, namespaces: &[String]) -> Vec<Command> {
    let mut all = vec![command("Home", "Go to", Icon::Home, paths::HOME)];
    if let Some(here) = namespace {
        all.extend([
            command("Agents", format!("Go to, in {here}"), Icon::Agent, paths::agents(here)),
            command("Configurations", format!("Go to, in {here}"), Icon::File, paths::configurations(here)),
            command("Secrets", format!("Go to, in {here}"), Icon::Key, paths::secrets(here)),
            command("New Agent", format!("Create in {here}"), Icon::Plus, paths::agent_new(here)),
            command("New Configuration", format!("Create in {here}"), Icon::Plus, paths::configuration_new(here)),
            command("New Secret", format!("Create in {here}"), Icon::Plus, paths::secret_new(here)),
        ]);
    }
    all.extend([
        command("Namespaces", "Go to", Icon::Stack, paths::NAMESPACES),
        command("New Namespace", "Create", Icon::Plus, paths::NAMESPACE_NEW),
        command("Operations", "Go to", Icon::Pulse, paths::OPERATIONS),
        command("Account and appearance", "Go to", Icon::People, paths::ACCOUNT),
    ]);
    all.extend(namespaces.iter().map(|name| command(name, "Namespace", Icon::Stack, paths::agents(name))));
    all
}

/// Those whose words hold every typed word, in order of how early it stands there.
fn matching(all: Vec<Command>, typed: &str) -> Vec<Command> {
    let words: Vec<String> = typed.to_lowercase().split_whitespace().map(ToOwned::to_owned).collect();
    let mut found: Vec<(usize, Command)> = all
        .into_iter()
        .filter_map(|command| {
            let text = format!("{} {}", command.label, command.hint).to_lowercase();
            let places: Option<usize> = words.iter().map(|word| text.find(word.as_str())).sum();
            places.map(|rank| (rank, command))
        })
        .collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, command)| command).collect()
}

#[component]
pub(super) fn Palette(scene: Scene) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    let input = NodeRef::<html::Input>::new();
    let typed = RwSignal::new(String::new());
    let chosen = RwSignal::new(0usize);
    // Read at each opening: what has a name in any Namespace that may be read.
    let things = RwSignal::new(None::<Found>);
    let namespaces = move || scene.viewer.get().map(|viewer| viewer.namespaces).unwrap_or_default();
    let found = Memo::new(move |_| {
        let mut all = commands(scene.namespace.get().as_deref(), &namespaces());
        // Without a word only what one goes to: the rest is found, not listed.
        if !typed.with(|typed| typed.trim().is_empty()) {
            let known = things.get().unwrap_or_default().things;
            all.extend(known.into_iter().map(|thing| {
                let called = if thing.title == thing.name { String::new() } else { format!(" {}", thing.name) };
                command(thing.title, format!("{}{called} in {}", thing.kind, thing.namespace), thing.icon, thing.href)
            }));
        }
        matching(all, &typed.get())
    });
    let look = move || {
        let namespaces = untrack(namespaces);
        leptos::task::spawn_local(async move {
            let found = everything(namespaces).await;
            let _ = things.try_set(Some(found));
        });
    };
    let nothing = move || {
        if !found.with(Vec::is_empty) {
            return None;
        }
        let there = namespaces().len();
        Some(match things.with(|things| things.as_ref().map(|found| found.looked_into)) {
            None => "Looking into your Namespaces.".to_owned(),
            Some(all) if all >= there => "Nothing is called that, in no Namespace that you may read.".to_owned(),
            Some(some) => format!("Nothing is called that in the first {some} of your {there} Namespaces."),
        })
    };
    let unsaved = use_context::<Unsaved>();
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        if scene.palette.get() && !dialog.open() {
            typed.set(String::new());
            chosen.set(0);
            look();
            let _ = dialog.show_modal();
            if let Some(input) = input.get_untracked() {
                input.set_value("");
                let _ = input.focus();
            }
        } else if !scene.palette.get() && dialog.open() {
            dialog.close();
        }
    });
    let navigate = use_navigate();
    let go = Callback::new(move |href: String| {
        scene.palette.set(false);
        if !may_go(unsaved, &href) {
            return;
        }
        navigate(&href, leptos_router::NavigateOptions::default());
    });
    let on_key = move |event: KeyboardEvent| {
        let count = found.with_untracked(Vec::len);
        match event.key().as_str() {
            "ArrowDown" => chosen.update(|n| *n = if *n + 1 < count { *n + 1 } else { 0 }),
            "ArrowUp" => chosen.update(|n| *n = n.checked_sub(1).unwrap_or(count.saturating_sub(1))),
            "Enter" => {
                let href = found.with_untracked(|found| found.get(chosen.get_untracked()).map(|c| c.href.clone()));
                if let Some(href) = href {
                    go.run(href);
                }
            }
            _ => return,
        }
        event.prevent_default();
        scroll_to_chosen();
    };
    let options = move || {
        found
            .get()
            .into_iter()
            .enumerate()
            .map(|(n, command)| {
                let href = command.href.clone();
                view! {
                    <li
                        id=format!("palette-{n}")
                        role="option"
                        aria-selected=move || (chosen.get() == n).to_string()
                        on:mousemove=move |_| chosen.set(n)
                        on:click=move |_| go.run(href.clone())
                    >
                        <Glyph icon=command.icon />
                        <span>{command.label}</span>
                        <small>{command.hint}</small>
                    </li>
                }
            })
            .collect_view()
    };
    view! {
        <dialog
            class="modal palette"
            node_ref=dialog
            aria-label="Find or do anything"
            on:close=move |_| scene.palette.set(false)
        >
            <input
                node_ref=input
                class="input"
                type="text"
                role="combobox"
                aria-label="Find or do anything"
                aria-expanded="true"
                aria-controls="palette-list"
                aria-autocomplete="list"
                aria-activedescendant=move || format!("palette-{}", chosen.get())
                autocomplete="off"
                placeholder="Find or do anything"
                on:input=move |event| {
                    typed.set(event_target_value(&event));
                    chosen.set(0);
                }
                on:keydown=on_key
            />
            <ul id="palette-list" role="listbox" aria-label="What was found">
                {options}
            </ul>
            <p class="px-4 pb-3 muted" role="status">
                {nothing}
            </p>
        </dialog>
    }
}

fn scroll_to_chosen() {
    request_animation_frame(|| {
        if let Ok(Some(option)) = document().query_selector(".palette [aria-selected=true]") {
            let options = web_sys::ScrollIntoViewOptions::new();
            options.set_block(web_sys::ScrollLogicalPosition::Nearest);
            option.scroll_into_view_with_scroll_into_view_options(&options);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_narrows_to_what_holds_every_word() {
        let all = commands(Some("research"), &["research".to_owned(), "sales".to_owned()]);
        let found = matching(all.clone(), "new age");
        assert_eq!(found.iter().map(|c| c.label.as_str()).collect::<Vec<_>>(), ["New Agent"]);
        assert_eq!(matching(all.clone(), "sales")[0].href, "/console/namespaces/sales/agents");
        assert_eq!(matching(all.clone(), "").len(), all.len());
        assert!(matching(all, "nothing like it").is_empty());
    }

    #[test]
    fn without_a_namespace_nothing_is_offered_in_one() {
        assert!(commands(None, &[]).iter().all(|c| c.label != "New Agent"));
    }
}
