// Where in the text of a JSON or YAML document the value of a JSON Pointer (RFC 6901) stands, and the other way round for JSON.
// Works on the editor's own syntax tree, so it also answers while the document has errors elsewhere.

const containers = new Set(["JsonText", "Stream", "Document"]);
const wrappers = new Set(["Tagged", "Anchored"]);
const mappings = new Set(["Object", "BlockMapping", "FlowMapping"]);
const sequences = new Set(["Array", "BlockSequence", "FlowSequence"]);

/** Range `{ from, to }` of the value at `pointer`; of its nearest existing parent's key when there is none. */
export function locate(tree, doc, pointer) {
  let node = value(tree.topNode);
  let mark = node;
  for (const token of tokens(pointer)) {
    const next = node && step(node, doc, token);
    if (!next) break;
    // A whole object underlined says nothing; its key does.
    mark = next.key ?? next.value ?? mark;
    node = next.value;
    if (node && !mappings.has(node.name) && !sequences.has(node.name)) mark = node;
  }
  if (!mark) return { from: 0, to: Math.min(1, doc.length) };
  const line = doc.lineAt(mark.from);
  return { from: mark.from, to: Math.max(mark.from, Math.min(mark.to, line.to)) };
}

/**
 * What stands at `pos` of a JSON document: `{ pointer, key, from, to }`. `key` says whether a key of the object at `pointer` belongs
 * there, else it is the value at `pointer`; `from` to `to` is what is written there already. `null` where neither belongs.
 */
export function place(tree, doc, pos) {
  let node = tree.resolveInner(pos, -1);
  // A bracket, a comma, a colon, something broken: what it is a part of counts.
  while (node.parent && !/^[A-Z]/.test(node.name)) node = node.parent;
  const written = { from: node.from, to: node.to };
  if (node.name === "PropertyName") return { pointer: path(node.parent?.parent, doc), key: true, ...written };
  if (node.name === "Object") {
    // Only after the brace, before its end.
    if (pos <= node.from || (doc.sliceString(node.to - 1, node.to) === "}" && pos >= node.to)) return null;
    const before = doc.sliceString(node.from, pos).trimEnd();
    if (/[{,]$/.test(before)) return { pointer: path(node, doc), key: true, from: pos, to: pos };
    return null;
  }
  if (node.name === "Property") {
    const key = node.firstChild;
    const colon = key && doc.sliceString(key.to, pos).includes(":");
    return colon ? { pointer: path(node, doc), key: false, from: pos, to: pos } : null;
  }
  if (/^(String|Number|True|False|Null)$/.test(node.name)) return { pointer: path(node, doc), key: false, ...written };
  return null;
}

/** The pointer of the value that `node` is, or (a property) has. */
function path(node, doc) {
  const parts = [];
  for (; node; node = node.parent) {
    if (node.name === "Property" && node.firstChild) parts.unshift(text(node.firstChild, doc));
    else if (node.parent?.name === "Array") parts.unshift(String(children(node.parent).filter(isValue).findIndex((c) => c.from === node.from)));
  }
  return parts.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function tokens(pointer) {
  const parts = pointer.split("/").slice(1);
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value inside documents, tags and anchors. */
function value(node) {
  while (node) {
    if (containers.has(node.name)) node = children(node).find((c) => c.name === "Document" || isValue(c));
    else if (wrappers.has(node.name)) node = children(node).findLast(isValue);
    else return node;
  }
  return null;
}

function step(node, doc, token) {
  if (mappings.has(node.name)) {
    for (const pair of children(node)) {
      if (pair.name !== "Property" && pair.name !== "Pair") continue;
      const key = pair.firstChild;
      if (!key || text(key, doc) !== token) continue;
      const last = pair.lastChild;
      return { key, value: last && last.from >= key.to && isValue(last) ? value(last) : null };
    }
  }
  if (sequences.has(node.name)) {
    const items = children(node).filter(isValue);
    const item = /^(0|[1-9][0-9]*)$/.test(token) ? items[Number(token)] : undefined;
    if (item) return { key: null, value: value(item.name === "Item" ? children(item).find(isValue) : item) };
  }
  return null;
}

function children(node) {
  const found = [];
  for (let child = node.firstChild; child; child = child.nextSibling) found.push(child);
  return found;
}

/** Not punctuation, a comment, a tag, an anchor's name, a directive, or an error. */
function isValue(node) {
  return /^[A-Z]/.test(node.name) && !/^(Comment|Tag|Anchor|Key|PropertyName|DirectiveEnd|Directive|DocEnd|BOM)$/.test(node.name);
}

function text(key, doc) {
  const raw = doc.sliceString(key.from, key.to).trim();
  if (raw.startsWith('"')) {
    try {
      return JSON.parse(raw);
    } catch {
      return raw.slice(1, -1);
    }
  }
  return raw.startsWith("'") ? raw.slice(1, -1).replaceAll("''", "'") : raw;
}
