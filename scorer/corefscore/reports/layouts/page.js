"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const STATES = ["right", "span", "wrong", "missing", "extra"];
const SIGNS = ["", "~", "", "\u2212", "+"];
const STYLES = ["dotted", "~ wavy", "solid, 5>r2", "\u2212 dashed", "+ double"];
const KEYS = [
  ["n, p", "next, previous " + data.error], ["e, E", "next, previous mention of the entity"], ["j, k", "next, previous document by cost"],
  ["1 to 9", "show or hide a type of " + data.error], ["x", "other response"], ["t", "light or dark"], ["Esc", "clear the selection"],
  ["Ctrl+P", "print this document"],
];

let system = 0, place = 0, chosen = -1;
let order = [];
let marks = [], elements = [], tokens = [];
const hidden = new Set();

const make = (tag, text, properties) => {
  const element = Object.assign(document.createElement(tag), properties || {});
  if (text !== undefined) element.textContent = text;
  return element;
};

// A mark is [start, end, state, key, response, types], and its parts if it skips tokens; names are places in the list of
// names of its document.
const shows = (mark) => mark[2] !== 0 && data.types.some((_, bit) => typesOf(mark) >> bit & 1 && !hidden.has(bit));

// A main mention that only one side has is no error of its own: the other pieces of its entity are divided or conflated.
const typesOf = (mark) => mark[5] || 1 << data.types.findIndex((its) => its.type === (mark[2] === 3 ? "divided" : "conflated"));

const name = (at) => at < 0 ? "" : data.documents[place].names[at];

function label(mark) {
  const key = name(mark[3]), response = name(mark[4]);
  return mark[2] === 2 ? key + ">" + response : key || response;
}

const parts = (mark) => mark[6] || [[mark[0], mark[1]]];

const words = (mark) => parts(mark).map(([start, end]) => tokens.slice(start, end + 1).join(" ")).join(" ... ");

// An item that only the responses have can stand at another place in each.
const same = (one, other) => data.items ? tokens[one[0]] === tokens[other[0]] : one[0] === other[0] && one[1] === other[1];

function piece(kind, at) {
  const element = make("span", undefined, { className: kind + " " + STATES[marks[at][2]] });
  element.dataset.at = at;
  (elements[at] = elements[at] || []).push(element);
  return element;
}

// A sign before a mention, or a label behind it: the style draws the text, so that it is not copied with the words.
function note(kind, at, text) {
  const element = piece(kind, at);
  element.dataset[kind] = text;
  return element;
}

// Mentions that cross are cut: the later one goes on in an element of its own behind the end of the first.
function paragraph(sentence, first, number, from, to) {
  const top = make("p", undefined, { className: "sentence" });
  top.dataset.number = number;
  const stack = [[-1, top]];
  const ends = new Map();
  const opens = [];
  for (let at = from; at < to; at += 1) for (const [start, end] of parts(marks[at])) opens.push([start, end, at]);
  opens.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  let next = 0, text = "";
  const into = () => { if (text) { stack[stack.length - 1][1].append(text); text = ""; } };
  sentence.forEach((word, offset) => {
    const token = first + offset;
    if (offset) text += " ";
    while (next < opens.length && opens[next][0] <= token) {
      into();
      const [, last, at] = opens[next];
      const element = piece("mention", at);
      const sign = SIGNS[marks[at][2]];
      stack[stack.length - 1][1].append(...(sign ? [note("sign", at, sign)] : []), element);
      stack.push([at, element]);
      const end = Math.min(last, first + sentence.length - 1);
      ends.set(end, (ends.get(end) || []).concat(at));
      next += 1;
    }
    text += word;
    const closing = ends.get(token);
    if (!closing) return;
    into();
    const again = [];
    let left = closing.length;
    while (left) {
      const [at, element] = stack.pop();
      if (closing.includes(at)) {
        left -= 1;
        const text = label(marks[at]) + (token < marks[at][1] && marks[at][6] ? "..." : "");
        if (text) element.after(note("label", at, text));
      } else again.unshift(at);
    }
    for (const at of again) {
      const element = piece("mention", at);
      stack[stack.length - 1][1].append(element);
      stack.push([at, element]);
    }
  });
  into();
  return top;
}

function draw() {
  const its = data.documents[place];
  marks = its.marks[system];
  tokens = its.sentences.flat();
  elements = [];
  chosen = -1;
  byId("name").textContent = its.name;
  const several = order.length > 1 ? "document " + (order.indexOf(place) + 1) + " of " + order.length + " by cost; " : "";
  byId("counts").textContent = several + its.scores[system] + "; " + its.counts[system];
  const text = document.createDocumentFragment();
  let first = 0, at = 0;
  its.sentences.forEach((sentence, number) => {
    const from = at;
    while (at < marks.length && (marks[at][0] < first + sentence.length || number === its.sentences.length - 1)) at += 1;
    if (!data.items || from < at) text.append(paragraph(sentence, first, number + 1, from, at));
    first += sentence.length;
  });
  byId("text").replaceChildren(text);
  mask();
  for (const button of byId("documents").querySelectorAll("button"))
    button.setAttribute("aria-current", String(Number(button.dataset.place) === place));
  byId("entity").replaceChildren(make("p", "Choose a mention in the text."));
}

function mask() {
  elements.forEach((its, at) => its.forEach((element) => element.classList.toggle("off", marks[at][2] !== 0 && !shows(marks[at]))));
}

function sentenceOf(mark) {
  const types = data.types.filter((_, bit) => mark[5] >> bit & 1).map((type) => type.title);
  const key = name(mark[3]), response = name(mark[4]);
  const where = [key && "entity " + key + " of " + data.key, mark[2] === 2 && "in " + data.response + " in entity " + response,
    mark[2] === 4 && "in " + data.response + " in entity " + response].filter(Boolean).join(", ");
  const other = data.systems.length > 1 && elsewhere(mark);
  return "\u201c" + words(mark) + "\u201d: " + data.said[mark[2]] + " (" + where + (types.length ? "; " + types.join(", ") : "") + ")"
    + (other ? "; in " + data.systems[1 - system].name + ": " + other : "");
}

function elsewhere(mark) {
  const twin = data.documents[place].marks[1 - system].find((its) => same(its, mark));
  return twin ? data.said[twin[2]] : "no such mention";
}

function choose(at, scroll) {
  if (at < 0 || at >= marks.length) return;
  const mark = marks[at];
  for (const element of byId("text").querySelectorAll(".chosen, .same")) element.classList.remove("chosen", "same");
  chosen = at;
  const same = entityOf(mark);
  same.forEach((its) => elements[its].forEach((element) => element.classList.add("same")));
  elements[at].forEach((element) => element.classList.add("chosen"));
  if (scroll) elements[at][0].scrollIntoView({ block: "center" });
  byId("status").textContent = sentenceOf(mark);
  showEntity(mark, same);
  history.replaceState(null, "", "#" + place + "," + at);
}

const mentions = (count) => count + (count === 1 ? " mention" : " mentions");
const alike = (mark, column) => mark[column] < 0 ? [] : marks.flatMap((its, at) => its[column] === mark[column] ? [at] : []);
const entityOf = (mark) => alike(mark, mark[3] < 0 ? 4 : 3);

function showEntity(mark, same) {
  const list = (title, places) => {
    const rows = make("ul");
    for (const at of places.slice(0, 400)) {
      const button = make("button", SIGNS[marks[at][2]] + words(marks[at]) + " ");
      button.append(make("small", label(marks[at])));
      button.addEventListener("click", () => choose(at, true));
      const row = make("li");
      row.append(button);
      rows.append(row);
    }
    if (places.length > 400) rows.append(make("li", "and " + (places.length - 400) + " more"));
    return [make("h3", title), rows];
  };
  const parts = [];
  if (mark[3] >= 0) parts.push(...list("Entity " + name(mark[3]) + " of " + data.key + ": " + mentions(same.length), same));
  if (mark[4] >= 0) {
    const found = alike(mark, 4);
    parts.push(...list("Entity " + name(mark[4]) + " of " + data.response + ": " + mentions(found.length), found));
  }
  byId("entity").replaceChildren(...parts);
}

// The next mention that is wanted after the chosen one, -1 if there is none in this document.
function following(by, wanted) {
  let at = chosen < 0 ? (by > 0 ? 0 : marks.length - 1) : chosen + by;
  while (at >= 0 && at < marks.length && !wanted(marks[at], at)) at += by;
  return at < marks.length ? at : -1;
}

function error(by) {
  const at = following(by, shows);
  if (at >= 0) return choose(at, true);
  let to = order.indexOf(place) + by;
  while (order[to] !== undefined && !data.documents[order[to]].marks[system].some(shows)) to += by;
  if (order[to] === undefined) {
    byId("status").textContent = "No " + data.error + (by > 0 ? " after" : " before") + " this one.";
    return;
  }
  go(order[to]);
  choose(following(by, shows), true);
  byId("status").textContent = byId("name").textContent + ": " + byId("status").textContent;
}

function mention(by) {
  if (chosen < 0) return;
  const same = new Set(entityOf(marks[chosen]));
  const at = following(by, (_, its) => same.has(its));
  if (at >= 0) choose(at, true);
  else byId("status").textContent = "No mention of the entity " + (by > 0 ? "after" : "before") + " this one.";
}

function go(to) {
  if (to === undefined || to === place) return;
  place = to;
  draw();
  document.querySelector("main").scrollTop = 0;
  const nav = document.querySelector("nav"), frame = nav.getBoundingClientRect();
  const { top, bottom } = nav.querySelector("[aria-current=true]").getBoundingClientRect();
  if (top < frame.top || bottom > frame.bottom) nav.scrollTop += top - frame.top - frame.height / 2;
  history.replaceState(null, "", "#" + place);
}

const beside = (by) => go(order[order.indexOf(place) + by]);

function toggle(bit) {
  if (!data.types[bit]) return;
  if (!hidden.delete(bit)) hidden.add(bit);
  byId("types").children[bit].firstChild.setAttribute("aria-pressed", String(!hidden.has(bit)));
  mask();
}

function theme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
}

function change(to) {
  if (to >= data.systems.length) return;
  const mark = marks[chosen];
  system = to;
  byId("system").value = to;
  panels();
  draw();
  if (mark) {
    const twin = marks.findIndex((its) => same(its, mark));
    if (twin >= 0) choose(twin, true);
  }
}

function panels() {
  const its = data.systems[system];
  document.querySelector("h1").textContent = its.headline;
  document.title = its.headline;
  byId("score").textContent = its.title;
  byId("signature").textContent = its.signature;
  const most = Math.max(...its.types.map((type) => type.cost), 1e-9);
  byId("types").replaceChildren(...data.types.map((type, bit) => {
    const button = make("button", type.title);
    button.append(make("small", its.types[bit].count + " · " + (its.types[bit].cost * 100).toFixed(2)));
    const bar = make("span", undefined, { className: "bar" });
    bar.style.setProperty("--size", Math.max(0, its.types[bit].cost / most * 100) + "%");
    button.append(bar);
    button.setAttribute("aria-pressed", String(!hidden.has(bit)));
    button.classList.toggle("none", !its.types[bit].count);
    button.title = "show or hide (" + (bit + 1) + "); count and cost in turn";
    button.addEventListener("click", () => toggle(bit));
    const row = make("li");
    row.append(button);
    return row;
  }));
  order = data.documents.map((_, at) => at).sort((a, b) => data.documents[b].costs[system] - data.documents[a].costs[system]);
  byId("documents").replaceChildren(...order.map((at) => {
    const button = make("button", data.documents[at].name);
    button.append(make("small", (data.documents[at].costs[system] * 100).toFixed(2)));
    button.dataset.place = at;
    button.title = "what this document costs, in points of the total";
    button.addEventListener("click", () => go(at));
    const row = make("li");
    row.append(button);
    return row;
  }));
}

function keys() {
  const shown = byId("keys").hidden;
  byId("keys").hidden = !shown;
  byId("help").setAttribute("aria-expanded", String(shown));
  if (shown) byId("keys").scrollIntoView({ block: "nearest" });
}

const ACTIONS = {
  n: () => error(1), p: () => error(-1), e: () => mention(1), E: () => mention(-1), j: () => beside(1),
  k: () => beside(-1), t: theme, x: () => change((system + 1) % data.systems.length), "?": keys,
  Escape: () => { draw(); byId("status").textContent = ""; },
};

function start() {
  byId("keys").append(...KEYS.map(([key, text]) => {
    const row = make("div");
    row.append(make("dt", key), make("dd", text));
    return row;
  }));
  byId("kind").textContent = data.error + "s: count \u00b7 cost";
  for (const [id, text, title] of [["previous", "\u2190 " + data.error, "previous (p)"], ["next", data.error + " \u2192", "next (n)"]])
    Object.assign(byId(id), { textContent: text, title });
  byId("legend").textContent = STYLES.map((style, at) => style + ": " + data.said[at]).join("; ");
  data.systems.forEach((its, at) => byId("system").append(make("option", its.name, { value: at })));
  byId("systems").hidden = data.systems.length < 2;
  byId("system").addEventListener("change", (event) => change(Number(event.target.value)));
  byId("previous").addEventListener("click", () => error(-1));
  byId("next").addEventListener("click", () => error(1));
  byId("theme").addEventListener("click", theme);
  byId("help").addEventListener("click", keys);
  byId("text").addEventListener("click", (event) => {
    const element = event.target.closest("[data-at]");
    if (element) choose(Number(element.dataset.at), false);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    if (/^[1-9]$/.test(event.key)) toggle(Number(event.key) - 1);
    else if (ACTIONS[event.key]) ACTIONS[event.key]();
    else return;
    event.preventDefault();
  });
  panels();
  const [first, mark] = location.hash.slice(1).split(",").map(Number);
  place = location.hash && data.documents[first] ? first : order[0] || 0;
  draw();
  if (mark >= 0) choose(mark, true);
}

start();
