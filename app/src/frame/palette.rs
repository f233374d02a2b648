//! The command palette (`Ctrl K`, `⌘K`): everything one can go to or begin, found by typing.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;

use super::Scene;
use crate::parts::{Glyph, Icon};
use crate::paths;

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
    let found = Memo::new(move |_| {
        let namespaces = scene.viewer.get().map(|viewer| viewer.namespaces).unwrap_or_default();
        matching(commands(scene.namespace.get().as_deref(), &namespaces), &typed.get())
    });
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        if scene.palette.get() && !dialog.open() {
            typed.set(String::new());
            chosen.set(0);
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
                {move || found.with(Vec::is_empty).then_some("Nothing is called that.")}
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
