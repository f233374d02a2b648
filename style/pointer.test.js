// Where the editor marks a finding. Run: node --test style/
import assert from "node:assert/strict";
import { test } from "node:test";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { locate, place } from "./pointer.js";

function marked(language, text, pointer) {
  const state = EditorState.create({ doc: text, extensions: [language()] });
  const { from, to } = locate(ensureSyntaxTree(state, text.length, 5000), state.doc, pointer);
  return text.slice(from, to);
}

const inJson = (pointer) => marked(json, '{"a": {"b/c": [1, {"d": true}, "x"]}, "e~f": null}', pointer);
const inYaml = (pointer) =>
  marked(
    yaml,
    'a:\n  b/c:\n    - 1\n    - d: true\n      k: v\n  q: {z: [1, 2], "w w": 3}\ntagged: !!str foo\nempty:\nan: &x\n  l: 9\n',
    pointer,
  );

test("a value is marked where it stands", () => {
  assert.equal(inJson("/a/b~1c/0"), "1");
  assert.equal(inJson("/a/b~1c/1/d"), "true");
  assert.equal(inJson("/e~0f"), "null");
  assert.equal(inYaml("/a/b~1c/1/k"), "v");
  assert.equal(inYaml("/a/q/z/1"), "2");
  assert.equal(inYaml("/a/q/w w"), "3");
  assert.equal(inYaml("/tagged"), "foo");
  assert.equal(inYaml("/an/l"), "9");
});

test("an object is marked by its key", () => {
  assert.equal(inJson("/a"), '"a"');
  assert.equal(inYaml("/a/q"), "q");
});

test("what is missing is marked at its nearest parent", () => {
  assert.equal(inJson("/a/b~1c/9"), '"b/c"');
  assert.equal(inJson("/a/nothing/here"), '"a"');
  assert.equal(inYaml("/empty/x"), "empty");
  assert.equal(inYaml("/nothing"), "a:");
});

test("a broken or empty document still gets a mark", () => {
  assert.equal(marked(json, '{"a": ', "/a"), '"a"');
  assert.equal(marked(json, "", "/a"), "");
});

/** What belongs where `|` stands. */
function belongs(marked) {
  const pos = marked.indexOf("|");
  const doc = marked.replace("|", "");
  const state = EditorState.create({ doc, extensions: [json()] });
  const found = place(ensureSyntaxTree(state, doc.length, 5000), state.doc, pos);
  return found && `${found.key ? "key of" : "value"} ${found.pointer || "all"}: ${doc.slice(found.from, found.to)}`;
}

test("what belongs at a place, however unfinished the document is", () => {
  assert.equal(belongs('{|}'), "key of all: ");
  assert.equal(belongs('{"ag|"}'), 'key of all: "ag"');
  assert.equal(belongs('{"a": {"b/c": {"x|": 1}}}'), 'key of /a/b~1c: "x"');
  assert.equal(belongs('{"a": {"b": 1, |}}'), "key of /a: ");
  assert.equal(belongs('{"a": [{}, {"b": "x|"}]}'), 'value /a/1/b: "x"');
  assert.equal(belongs('{"a": {"b": |}}'), "value /a/b: ");
  assert.equal(belongs('{"a": tru|e}'), "value /a: true");
});

test("where nothing belongs nothing is offered", () => {
  assert.equal(belongs('{"a": 1}|'), null);
  assert.equal(belongs('{"a": {} |, "b": 1}'), null);
  assert.equal(belongs('|{}'), null);
});
