//! A JSON or YAML editor: a textarea that works without JavaScript, replaced by a real editor once the page is alive.
//!
//! The editor (`/vendor/editor.js`, loaded only on pages that show one) lives in a shadow root: there its style sheets are
//! adopted, not inlined, so the strict policy holds.

use std::future::Future;
use std::pin::Pin;

use leptos::html;
use leptos::prelude::*;
use occ_model::configuration::Completion;
use wasm_bindgen::prelude::*;

use super::bind::bind_value;
use crate::local::Local;

/// A problem at a place in the document.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Mark {
    /// JSON Pointer of the place.
    pub pointer: String,
    /// What is wrong there.
    pub message: String,
}

#[wasm_bindgen(inline_js = r#"
export async function occMountEditor(url, host, doc, lang, changed, complete) {
  const module = await import(url);
  return module.mount(host, doc, lang, changed, complete);
}
"#)]
extern "C" {
    #[wasm_bindgen(catch, js_name = occMountEditor)]
    async fn mount_editor(
        url: &str,
        host: &web_sys::HtmlElement,
        doc: &str,
        lang: &str,
        changed: &Closure<dyn FnMut(String)>,
        complete: Option<&Closure<Complete>>,
    ) -> Result<JsValue, JsValue>;

    type Editor;
    #[wasm_bindgen(method)]
    fn set(this: &Editor, text: &str);
    #[wasm_bindgen(method, js_name = setDiagnostics)]
    fn set_diagnostics(this: &Editor, marks: &JsValue);
}

type Complete = dyn FnMut(String) -> js_sys::Promise;

/// What may be written at the place of a pointer; asked as a person writes.
pub type Completer = Callback<String, Pin<Box<dyn Future<Output = Vec<Completion>>>>>;

/// The editor and the closures that it calls, kept alive together.
struct Mounted {
    editor: Editor,
    _changed: Closure<dyn FnMut(String)>,
    _complete: Option<Closure<Complete>>,
}

/// `complete` as the editor calls it. It promises a list; an empty one where nothing is known, or the page is gone.
fn completing(complete: Completer) -> Closure<Complete> {
    Closure::new(move |pointer: String| {
        let asked = complete.try_run(pointer);
        wasm_bindgen_futures::future_to_promise(async move {
            let offered = match asked {
                Some(asked) => asked.await,
                None => Vec::new(),
            };
            let list = serde_json::to_string(&offered).ok().and_then(|json| js_sys::JSON::parse(&json).ok());
            Ok(list.unwrap_or_else(|| js_sys::Array::new().into()))
        })
    })
}

/// The editor.
#[component]
pub fn CodeEditor(
    /// The textarea's element id, unique on the page; also the field's name.
    id: &'static str,
    /// The accessible name.
    #[prop(into)]
    label: String,
    /// `json` or `yaml`.
    #[prop(default = "json")]
    lang: &'static str,
    /// The document.
    text: RwSignal<String>,
    /// Problems to show at their places.
    #[prop(optional, into)]
    marks: Signal<Vec<Mark>>,
    /// What may be written where.
    #[prop(optional, into)]
    complete: Option<Completer>,
) -> impl IntoView {
    let area = NodeRef::<html::Textarea>::new();
    let host = NodeRef::<html::Div>::new();
    let mounted = Local::<Mounted>::default();
    let ready = RwSignal::new(false);
    // What the editor itself last reported: writing that back would move the cursor.
    let reported = StoredValue::new(String::new());
    bind_value(area, text);

    Effect::new(move |_| {
        let Some(host) = host.get() else { return };
        leptos::task::spawn_local(async move {
            let changed = Closure::new(move |now: String| {
                reported.set_value(now.clone());
                let _ = text.try_set(now);
            });
            // The area is read again: bind_value may have adopted what was typed before hydration.
            let doc = text.get_untracked();
            reported.set_value(doc.clone());
            // It measures itself while it is made, so it has to be visible by then.
            let _ = host.remove_attribute("hidden");
            let complete = complete.map(completing);
            match mount_editor("/vendor/editor.js", &host, &doc, lang, &changed, complete.as_ref()).await {
                Ok(editor) => {
                    mounted.set(Mounted { editor: editor.unchecked_into(), _changed: changed, _complete: complete });
                    ready.set(true);
                }
                // When it cannot be loaded the textarea stays: plainer, but the same document.
                Err(_) => {
                    let _ = host.set_attribute("hidden", "");
                }
            }
        });
    });
    Effect::new(move |_| {
        let now = text.get();
        if ready.get() && reported.get_value() != now {
            reported.set_value(now.clone());
            mounted.with(|mounted| mounted.editor.set(&now));
        }
    });
    Effect::new(move |_| {
        let marks = marks.get();
        if ready.get() {
            let list = serde_json::to_string(&marks).ok().and_then(|json| js_sys::JSON::parse(&json).ok());
            if let Some(list) = list {
                mounted.with(|mounted| mounted.editor.set_diagnostics(&list));
            }
        }
    });
    view! {
        <div class="editor">
            <div node_ref=host data-label=label.clone() hidden=move || !ready.get()></div>
            <textarea
                node_ref=area
                id=id
                name=id
                aria-label=label
                spellcheck="false"
                autocapitalize="off"
                autocomplete="off"
                hidden=move || ready.get()
                on:input=move |event| text.set(event_target_value(&event))
            >
                {text.get_untracked()}
            </textarea>
        </div>
    }
}
