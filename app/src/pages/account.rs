//! One's own account: sessions on this device and others, appearance, signing out.

use leptos::prelude::*;
use occ_model::access::Session;

use crate::act::{Act, Outcome};
use crate::api;
use crate::load::{read, shown};
use crate::parts::{
    Ago, Button, Card, Check, Choice, ChoiceGroup, Column, Fact, Facts, Glyph, Icon, PageHead, Pill, Table, Tone,
};
use crate::preferences::{Theme, use_preferences};

/// The page.
#[component]
pub fn Account() -> impl IntoView {
    let me = read(|| (), |()| api::me::get());
    let sessions = read(|| (), |()| api::me::sessions());
    let act = Act::default();
    let again = Callback::new(move |()| sessions.refetch());
    view! {
        <PageHead title="Account" />
        <div class="cols">
            <div class="stack">
                <Outcome act />
                <Card title="Sessions" note="where you are signed in" flush=true>
                    {shown(
                        sessions,
                        move |page| {
                            view! {
                                <Table
                                    label="Sessions"
                                    columns=vec![
                                        Column::new("Session"),
                                        Column::new("Last used"),
                                        Column::wide("Ends"),
                                        Column::right("Do"),
                                    ]
                                >
                                    {move || {
                                        page.get().items.into_iter().map(|item| row(item, act, again)).collect_view()
                                    }}
                                </Table>
                            }
                        },
                    )}
                </Card>
                <Appearance />
            </div>
            <aside class="stack">
                <Card title="You">
                    {shown(
                        me,
                        |me| {
                            view! {
                                <Facts>
                                    <Fact name="Name">{move || me.with(|me| me.name.clone())}</Fact>
                                    <Fact name="Id">
                                        <span class="mono">{move || me.with(|me| me.id.clone())}</span>
                                    </Fact>
                                </Facts>
                            }
                        },
                    )} // A plain form: signing out works without WASM, too.
                    <form method="post" action="/console/sign-out">
                        <button type="submit" class="btn">
                            <Glyph icon=Icon::SignOut />
                            "Sign out"
                        </button>
                    </form>
                </Card>
            </aside>
        </div>
    }
}

fn row(session: Session, act: Act, again: Callback<()>) -> impl IntoView {
    let id = session.id.to_string();
    let end = move |()| {
        let id = id.clone();
        act.send(move |key| api::me::end_session(id.clone(), key), move |()| again.run(()));
    };
    view! {
        <tr>
            <td>
                <span class="row">
                    "Since " <Ago at=session.created_at.to_offset() />
                    {session.current.then(|| view! { <Pill tone=Tone::Ok text="This one" /> })}
                </span>
            </td>
            <td class="muted">
                <Ago at=session.last_used_at.to_offset() />
            </td>
            <td class="wide muted">
                <Ago at=session.expires_at.to_offset() />
            </td>
            <td class="right">
                {(!session.current)
                    .then(|| {
                        view! {
                            <Button small=true busy=act.busy() blocked=act.blocked() on_press=end>
                                "End it"
                            </Button>
                        }
                    })}
            </td>
        </tr>
    }
}

/// Theme and keys: kept in this browser only.
#[component]
fn Appearance() -> impl IntoView {
    let preferences = use_preferences();
    let chosen = RwSignal::new(value(preferences.theme.get_untracked()).to_owned());
    // Each follows the other, and only a difference is set: else they would wake each other for ever.
    Effect::new(move |_| {
        let text = chosen.get();
        let theme = Theme::ALL.into_iter().find(|theme| value(*theme) == text);
        if let Some(theme) = theme.filter(|_| value(preferences.theme.get_untracked()) != text) {
            preferences.theme.set(theme);
        }
    });
    // The toggle in the top bar changes it, too.
    Effect::new(move |_| {
        let text = value(preferences.theme.get());
        if chosen.with_untracked(|chosen| chosen != text) {
            chosen.set(text.to_owned());
        }
    });
    let choices =
        Theme::ALL.map(|theme| Choice { value: value(theme), label: theme.label(), text: String::new() }).to_vec();
    view! {
        <Card title="Appearance" note="of this browser">
            <ChoiceGroup name="theme" legend="Theme" value=chosen choices />
            <Check id="single-keys" label="Single keys act (press ? for the list)" value=preferences.shortcuts />
        </Card>
    }
}

fn value(theme: Theme) -> &'static str {
    theme.value().unwrap_or("system")
}
