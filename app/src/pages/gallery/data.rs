//! Steps, tables, diffs, the editor, logs, chat.

use leptos::prelude::*;
use time::{Duration, OffsetDateTime};

use crate::clock::use_now;
use crate::parts::{
    Ago, Card, ChatLine, ChatThread, CodeEditor, Column, DiffLine, DiffView, Happening, Level, LogLine, LogPane, Mark,
    Pill, Sort, Speaker, Step, StepState, StepsChart, Table, Timeline, Tone,
};
use crate::paths;

fn step(name: &str, state: StepState, from: Option<OffsetDateTime>, to: Option<OffsetDateTime>) -> Step {
    Step { name: name.to_owned(), state, started: from, ended: to, remark: None }
}

#[component]
pub(super) fn StepsShown() -> impl IntoView {
    let end = use_now().get_untracked();
    let at = move |millis: i64| Some(end - Duration::seconds(41) + Duration::milliseconds(millis));
    let mut live = vec![
        step("Admitted, 7 checks", StepState::Done, at(0), at(21)),
        step("Reauthorized, 6 references", StepState::Done, at(21), at(30)),
        step("Configuration proven", StepState::Done, at(30), at(6_400)),
        step("Harness up", StepState::Done, at(6_400), at(19_100)),
        step("Proving the model credential", StepState::Running, at(19_100), None),
        step("Route switched and verified", StepState::Waiting, None, None),
        step("Serving", StepState::Waiting, None, None),
    ];
    live[5].remark = Some("usually 0.4 s".to_owned());
    let failed = vec![
        step("Admitted, 7 checks", StepState::Done, at(0), at(18)),
        step("Configuration proven", StepState::Done, at(18), at(6_600)),
        step("Proving the model credential", StepState::Failed, at(6_600), at(31_200)),
        step("Route switched and verified", StepState::Skipped, None, None),
    ];
    view! {
        <Card title="Revision 3" note="drawn to time, live">
            <StepsChart steps=live />
        </Card>
        <Card title="Revision 7" note="31.2 s, one attempt">
            <StepsChart steps=failed />
        </Card>
    }
}

#[component]
pub(super) fn Lists() -> impl IntoView {
    let now = use_now().get_untracked();
    let columns = vec![
        Column::new("Name").sorts(paths::GALLERY.to_owned(), Some(Sort::Up)),
        Column::new("State"),
        Column::wide("Mode"),
        Column::right("Changed").sorts(paths::GALLERY.to_owned(), None),
    ];
    let rows = [
        ("market-scout", "Daily brief for the sales team", Tone::Bad, "Deploy failed", "dedicated", 240),
        ("support-triage", "Slack #support", Tone::Ok, "Serving", "embedded", 7_200),
        ("<script>", "Names are text", Tone::Idle, "Stopped", "embedded", 1_600_000),
    ];
    let rows = rows.map(|(name, text, tone, state, mode, ago)| {
        view! {
            <tr>
                <td>
                    <a class="name" href=paths::GALLERY>
                        {name}
                    </a>
                    <small>{text}</small>
                </td>
                <td>
                    <Pill tone text=state dot=true />
                </td>
                <td class="wide">{mode}</td>
                <td class="right muted">
                    <Ago at=now - Duration::seconds(ago) />
                </td>
            </tr>
        }
    });
    let events = vec![
        Happening { text: "ada@example.org deployed revision 3".to_owned(), at: now - Duration::seconds(41) },
        Happening { text: "lin@example.org set a new value for codex-key".to_owned(), at: now - Duration::hours(1) },
    ];
    view! {
        <Card title="A list" flush=true>
            <Table label="Example Agents" columns>
                {rows.collect_view()}
            </Table>
        </Card>
        <Card title="Activity">
            <Timeline items=events />
        </Card>
    }
}

#[component]
pub(super) fn Documents() -> impl IntoView {
    let lines = vec![
        DiffLine::At("/agents/defaults/model".to_owned()),
        DiffLine::Removed("\"codex/gpt-5.3-mini\"".to_owned()),
        DiffLine::Added("\"codex/gpt-5.3\"".to_owned()),
        DiffLine::At("secret codex-key".to_owned()),
        DiffLine::Removed("version 4".to_owned()),
        DiffLine::Added("version 5".to_owned()),
    ];
    let document = "{\n  \"agents\": {\n    \"defaults\": {\n      \"model\": \"codex/gpt-5.3\",\n      \"workspce\": \"papers\"\n    }\n  }\n}\n";
    let text = RwSignal::new(document.to_owned());
    let marks = vec![Mark {
        pointer: "/agents/defaults/workspce".to_owned(),
        message: "unknown key; did you mean \"workspace\"?".to_owned(),
    }];
    view! {
        <Card title="What changes" note="against revision 2, which keeps serving" flush=true>
            <DiffView lines label="Revision 2 and revision 3" />
        </Card>
        <Card title="Document" note="JSON" flush=true>
            <CodeEditor id="g-editor" label="Document" text marks />
        </Card>
    }
}

#[component]
pub(super) fn Panes() -> impl IntoView {
    let now = use_now().get_untracked();
    let line = |seq, level, text: &str| LogLine { seq, at: now, level, text: text.to_owned() };
    let log = vec![
        line(1, Level::Info, "app-server listening on 127.0.0.1:41877"),
        line(2, Level::Warn, "<b>markup is text</b>"),
        line(3, Level::Error, "model probe: 401 from the provider, not retried"),
    ];
    let said = |seq, by, text: &str, open| ChatLine { seq, by, text: text.to_owned(), open };
    let chat = vec![
        said(1, Speaker::Me, "What is new on arXiv today?", false),
        said(2, Speaker::Tool, "Used its tool exec", false),
        said(3, Speaker::Agent, "Three papers match your list. The first one is", true),
    ];
    view! {
        <Card title="Logs" note="written by the Agent's own processes" flush=true>
            <LogPane lines=log label="Gateway of paper-reader" />
        </Card>
        <Card title="Chat">
            <ChatThread lines=chat agent="paper-reader" />
        </Card>
    }
}
