//! Pills, times, ids, facts, banners.

use leptos::prelude::*;
use time::Duration;

use crate::clock::use_now;
use crate::parts::{Ago, Button, Card, CopyId, Fact, Facts, Lasted, Meter, Note, Pill, Spark, Tone};

#[component]
pub(super) fn Statuses() -> impl IntoView {
    let now = use_now().get_untracked();
    view! {
        <Card title="Status" note="one vocabulary, one colour each, never colour alone">
            <div class="row">
                <Pill tone=Tone::Ok text="Serving" dot=true />
                <Pill tone=Tone::Info text="Preparing" dot=true />
                <Pill tone=Tone::Warn text="Secret is newer" />
                <Pill tone=Tone::Bad text="Deploy failed" dot=true />
                <Pill tone=Tone::Idle text="Stopped" dot=true />
                <Pill tone=Tone::Idle text="Draft" />
                <span class="tag">"team = sales"</span>
            </div>
            <Facts>
                <Fact name="Changed">
                    <Ago at=now - Duration::seconds(41) />
                </Fact>
                <Fact name="Created">
                    <Ago at=now - Duration::hours(30) />
                </Fact>
                <Fact name="Took">
                    <Lasted from=now - Duration::milliseconds(12_700) to=now />
                </Fact>
                <Fact name="Id">
                    <CopyId id="agt_0192f4aa-1111-7000-8000-00000000c81e" />
                </Fact>
                <Fact name="Name">"<script>alert(1)</script>"</Fact>
                <Fact name="Turns, 24 h">
                    <Spark values=vec![3.0, 5.0, 4.0, 9.0, 7.0, 12.0] label="Turns in the last six hours: 3 to 12" />
                </Fact>
                <Fact name="Agents, 9 of 12">
                    <Meter used=9 limit=12 label="Agents" />
                </Fact>
                <Fact name="Secrets, 12 of 12">
                    <Meter used=12 limit=12 label="Secrets" />
                </Fact>
            </Facts>
        </Card>
    }
}

#[component]
pub(super) fn Notes() -> impl IntoView {
    view! {
        <div class="stack">
            <Note
                tone=Tone::Bad
                what="The provider refused the model key."
                means="Revision 6 keeps serving; no turn was interrupted."
                next="Set a new value for the Secret, then deploy again."
                request_id="req_0192f5aa-1111-7000-8000-00000000c81e"
            >
                <Button small=true on_press=|()| {}>
                    "Set a new value"
                </Button>
            </Note>
            <Note
                tone=Tone::Warn
                what="It is not known whether this was saved."
                means="The answer got lost on its way."
                next="Find out before you try again; asking twice changes nothing."
            />
            <Note tone=Tone::Info what="Somebody changed this meanwhile." means="You edit generation 7; 8 is saved." />
            <Note tone=Tone::Ok what="Revision 3 is serving." />
        </div>
    }
}
