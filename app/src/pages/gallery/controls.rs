//! Buttons, fields, menus, dialogs, messages.

use leptos::prelude::*;

use crate::parts::{
    Button, Card, Check, Choice, ChoiceGroup, ConfirmByName, Dialog, Form, Icon, Kind, LinkButton, Menu, Select,
    Submit, Tab, Tabs, TextArea, TextInput, TextKind, Tone, use_toasts,
};
use crate::paths;

#[component]
pub(super) fn Buttons() -> impl IntoView {
    let toasts = use_toasts();
    view! {
        <Card title="Buttons">
            <div class="row">
                <Button kind=Kind::Primary on_press=|()| {}>
                    "Deploy"
                </Button>
                <Button icon=Icon::Chat on_press=|()| {}>
                    "Chat"
                </Button>
                <Button kind=Kind::Quiet on_press=|()| {}>
                    "Cancel"
                </Button>
                <Button kind=Kind::Danger on_press=|()| {}>
                    "Delete"
                </Button>
                <Button kind=Kind::DangerSolid on_press=|()| {}>
                    "Delete the Agent"
                </Button>
                <Button busy=true on_press=|()| {}>
                    "Saving"
                </Button>
                <Button blocked="Needs deploy on this Agent" on_press=|()| {}>
                    "Deploy"
                </Button>
                <Button small=true on_press=|()| {}>
                    "Full diff"
                </Button>
                <Button kind=Kind::Quiet icon=Icon::Refresh label="Read again" on_press=|()| {} />
                <LinkButton href=paths::GALLERY icon=Icon::External>
                    "Open its own UI"
                </LinkButton>
                <Menu label="More">
                    <button type="button" class="item">
                        "Restart"
                    </button>
                    <button type="button" class="item danger">
                        "Stop"
                    </button>
                </Menu>
                <Button on_press=move |()| toasts.say(Tone::Ok, "Copied the id.")>"Show a message"</Button>
            </div>
            <Tabs
                label="Example"
                tabs=vec![
                    Tab {
                        label: "Overview",
                        href: paths::GALLERY.to_owned(),
                    },
                    Tab {
                        label: "Deployments",
                        href: format!("{}?tab=deployments", paths::GALLERY),
                    },
                    Tab {
                        label: "Versions",
                        href: format!("{}?tab=versions", paths::GALLERY),
                    },
                ]
            />
            <div class="row">
                <button type="button" class="chip" aria-pressed="true">
                    "Needs attention 1"
                </button>
                <button type="button" class="chip" aria-pressed="false">
                    "Serving"
                </button>
            </div>
        </Card>
    }
}

#[component]
pub(super) fn Fields() -> impl IntoView {
    let name = RwSignal::new("paper-reader".to_owned());
    let wrong = RwSignal::new("Paper Reader".to_owned());
    let key = RwSignal::new(String::new());
    let text = RwSignal::new("Reads and files new preprints".to_owned());
    let provider = RwSignal::new("openai".to_owned());
    let mode = RwSignal::new("embedded".to_owned());
    let grant = RwSignal::new(true);
    let options = vec![("openai".to_owned(), "OpenAI".to_owned()), ("anthropic".to_owned(), "Anthropic".to_owned())];
    let modes = vec![
        Choice {
            value: "embedded",
            label: "Embedded",
            text: "Gateway and Harness in one process. A change interrupts it for some seconds.".to_owned(),
        },
        Choice {
            value: "dedicated",
            label: "Dedicated",
            text: "Codex in a process of its own. A new revision interrupts it for some seconds, too.".to_owned(),
        },
    ];
    view! {
        <Card title="Fields">
            <Form label="Example" on_submit=|()| {}>
                <TextInput
                    id="g-name"
                    label="Name"
                    kind=TextKind::Name
                    value=name
                    hint="Lower case letters, digits and dashes. It cannot be changed later."
                />
                <TextInput
                    id="g-wrong"
                    label="Name"
                    kind=TextKind::Name
                    value=wrong
                    error="Use lower case letters, digits and dashes."
                />
                <TextInput id="g-key" label="Model key" kind=TextKind::Secret value=key hint="Never shown again." />
                <TextArea id="g-text" label="Description" value=text rows=2 />
                <Select id="g-provider" label="Provider" value=provider options />
                <ChoiceGroup name="g-mode" legend="Execution mode" value=mode choices=modes />
                <Check id="g-grant" label="Let this Agent use the Secret" value=grant />
                <div class="acts">
                    <Submit>"Create the Agent"</Submit>
                    <Submit blocked="Check the key first">"Create"</Submit>
                </div>
            </Form>
        </Card>
    }
}

#[component]
pub(super) fn Dialogs() -> impl IntoView {
    let plain = RwSignal::new(false);
    let delete = RwSignal::new(false);
    view! {
        <Card title="Dialogs">
            <div class="row">
                <Button on_press=move |()| plain.set(true)>"Admission report"</Button>
                <Button kind=Kind::Danger on_press=move |()| delete.set(true)>
                    "Delete"
                </Button>
            </div>
        </Card>
        <Dialog id="g-dialog" open=plain title="Admission report">
            <p>"Seven checks, all passed."</p>
            <div class="acts">
                <Button on_press=move |()| plain.set(false)>"Close"</Button>
            </div>
        </Dialog>
        <ConfirmByName
            id="g-delete"
            field="g-delete-name"
            open=delete
            title="Delete the Agent"
            name="paper-reader"
            goes=vec!["Its gateway, its revisions and its deployments".to_owned(), "Its conversations".to_owned()]
            stays=vec!["Configuration reader".to_owned(), "Secret codex-key".to_owned()]
            on_confirm=move |()| delete.set(false)
        />
    }
}
