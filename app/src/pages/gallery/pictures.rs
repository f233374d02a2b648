//! Empty, denied, failed, loading.

use leptos::prelude::*;

use crate::parts::{Button, Card, Denied, Empty, Failed, Icon, Kind, Loading};

#[component]
pub(super) fn Pictures() -> impl IntoView {
    view! {
        <Card title="Nothing here yet" flush=true>
            <Empty
                icon=Icon::Agent
                title="No Agents yet"
                text="An Agent is a definition that is deployed as its own gateway. Make the first one in three steps: provider, key, model."
            >
                <Button kind=Kind::Primary on_press=|()| {}>
                    "New Agent"
                </Button>
            </Empty>
        </Card>
        <Card title="Not allowed" flush=true>
            <Denied
                text="You may read this Namespace, but not its Secrets. It needs secret read."
                request_id="req_0192f5aa-1111-7000-8000-00000000c81e"
            />
        </Card>
        <Card title="Failed" flush=true>
            <Failed
                title="The list could not be read"
                text="A dependency of the control plane does not answer. Nothing was changed."
                request_id="req_0192f5aa-1111-7000-8000-00000000c81e"
            >
                <Button icon=Icon::Refresh on_press=|()| {}>
                    "Try again"
                </Button>
            </Failed>
        </Card>
        <Card title="Loading" flush=true>
            <Loading />
        </Card>
    }
}
