// Where in the text of a JSON or YAML document the value of a JSON Pointer (RFC 6901) stands.
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
