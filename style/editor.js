// The code editor of the console: CodeMirror behind one function, bundled to /vendor/editor.js and loaded only by pages
// that show a document. Rule: nothing here may need a style attribute or an inline <style> element, which the
// Content-Security-Policy forbids; so the editor lives in a shadow root, where CodeMirror uses constructed style sheets.
import { basicSetup } from "codemirror";
import { Annotation, Compartment, EditorState, StateEffect } from "@codemirror/state";
import { drawSelection, EditorView } from "@codemirror/view";
import { HighlightStyle, ensureSyntaxTree, syntaxHighlighting, syntaxTree } from "@codemirror/language";
import { forceLinting, lintGutter, linter } from "@codemirror/lint";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { tags } from "@lezer/highlight";
import { locate, place } from "./pointer.js";

const languages = { json, yaml };

// Colours are the console's tokens, which cross the shadow boundary and follow the theme by themselves.
const theme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "transparent", fontSize: "12px", minHeight: "inherit" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.7", minHeight: "inherit" },
  ".cm-content": { caretColor: "var(--text)", padding: "10px 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--faint)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in oklab, var(--accent) 7%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in oklab, var(--accent) 25%, transparent)",
  },
  ".cm-selectionMatch, .cm-searchMatch": { backgroundColor: "var(--warn-soft)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--accent)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--sunken)", border: "1px solid var(--line)", color: "var(--muted)" },
  ".cm-panels, .cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--line)" },
  ".cm-panel input, .cm-panel button": {
    backgroundColor: "var(--surface)",
    backgroundImage: "none",
    color: "var(--text)",
    border: "1px solid var(--line-input)",
    borderRadius: "var(--r-s)",
  },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--accent-ink)" },
  ".cm-diagnostic": { fontFamily: "var(--sans)", fontSize: "12px", whiteSpace: "pre-wrap", maxWidth: "60ch" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)" },
});

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: tags.string, color: "var(--ok)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--warn)" },
  { tag: [tags.comment, tags.meta], color: "var(--faint)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator, tags.bracket], color: "var(--muted)" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

/** What the schema offers at the cursor, as CodeMirror asks for it. */
const offered = (complete) => async (context) => {
  const { state, pos } = context;
  const tree = ensureSyntaxTree(state, pos, 200) ?? syntaxTree(state);
  const here = place(tree, state.doc, pos);
  // Unasked it opens only while something is being written.
  if (!here || (!context.explicit && here.from === pos)) return null;
  const found = await complete(here.pointer);
  const followed = /^\s*:/.test(state.doc.sliceString(here.to, here.to + 20));
  const options = found.filter(({ kind }) => kind === (here.key ? "key" : "value")).map(({ text, types, about }) => {
    const key = JSON.stringify(text);
    const label = here.key ? key : text;
    return { label, apply: here.key && !followed ? `${key}: ` : label, detail: types, info: about || undefined, type: here.key ? "property" : "constant" };
  });
  return options.length > 0 ? { from: here.from, to: here.to, options, validFor: /^"?[\w.-]*"?$/ } : null;
};

/** Marks a change that came from the page, so that it is not reported back to it. */
const fromPage = Annotation.define();
/** Asks the linter to run although the text is the same. */
const refreshed = StateEffect.define();

/**
 * Puts an editor into `el`.
 *
 * `lang` is "json" or "yaml"; `onChange(text)` is called after each edit by the person. Attributes of `el` that count:
 * `data-label` (accessible name) and `data-readonly`. The answer has `set(text)`, which replaces the text without a
 * call of `onChange`; `setDiagnostics([{ pointer, message }])`, which marks the values at those JSON Pointers, or
 * their nearest existing parents; `setLanguage(lang)`; `focus()`; and `destroy()`.
 *
 * `complete(pointer)` (JSON only, may be left out) promises what may be written at a place: `[{ text, kind, types, about }]`.
 */
export function mount(el, doc, lang, onChange, complete) {
  const root = el.shadowRoot ?? el.attachShadow({ mode: "open", delegatesFocus: true });
  const language = new Compartment();
  let remote = [];
  let syntax = lang;
  // One source for the editor's life: another one would be asked anew, and that at every change.
  const completion = complete && [{ autocomplete: offered(complete) }];

  const findings = (view) => {
    const found = syntax === "json" && view.state.doc.length > 0 ? jsonParseLinter()(view) : [];
    const tree = ensureSyntaxTree(view.state, view.state.doc.length, 200) ?? syntaxTree(view.state);
    for (const { pointer, message } of remote) {
      found.push({ ...locate(tree, view.state.doc, pointer), message, severity: "error" });
    }
    return found;
  };
  const still = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches;

  const view = new EditorView({
    root,
    state: EditorState.create({
      doc,
      extensions: [
        basicSetup,
        still ? drawSelection({ cursorBlinkRate: 0 }) : [],
        language.of((languages[lang] ?? json)()),
        linter(findings, {
          needsRefresh: (update) => update.transactions.some((tr) => tr.effects.some((e) => e.is(refreshed))),
        }),
        lintGutter(),
        EditorState.languageData.of(() => (completion && syntax === "json" ? completion : [])),
        theme,
        syntaxHighlighting(highlight),
        EditorView.lineWrapping,
        EditorState.tabSize.of(2),
        EditorState.readOnly.of("readonly" in el.dataset),
        EditorView.contentAttributes.of({ "aria-label": el.dataset.label ?? "Document", spellcheck: "false" }),
        EditorView.updateListener.of((update) => {
          const byPerson = update.transactions.some((tr) => tr.docChanged && !tr.annotation(fromPage));
          if (byPerson) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  root.replaceChildren(view.dom);

  return {
    set(text) {
      if (text === view.state.doc.toString()) return;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        annotations: fromPage.of(true),
      });
    },
    setDiagnostics(list) {
      remote = list;
      view.dispatch({ effects: refreshed.of(null) });
      forceLinting(view);
    },
    setLanguage(next) {
      syntax = next;
      view.dispatch({ effects: [language.reconfigure((languages[next] ?? json)()), refreshed.of(null)] });
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
