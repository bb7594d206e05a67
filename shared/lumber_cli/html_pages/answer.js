"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en");

const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
(() => {
  const KINDS = {
    exact: ["exact", "word for word"],
    aligned: ["aligned", "worded differently"],
    "not found": ["missing", "not found"],
  };
  const LONG = 3000; // characters that are laid out together: more than a screen
  const narrow = matchMedia("(max-width: 48rem)");
  const list = (kind, places) => places.map((place, index) => ({ ...place, says: kind, number: index + 1, hash: `#${kind.toLowerCase()}-${index + 1}` }));
  const passages = list("Passage", data.passages);
  const quotes = list("Quote", data.citations);
  const places = new Map([...passages, ...quotes.filter((quote) => quote.document !== null)].map((place) => [place.hash, place]));
  const names = data.documents.map(({ name }) => name);
  // The list leaves out the folders that all documents share.
  const folders = names[0]?.split("/").slice(0, -1) ?? [];
  while (!names.every((name) => name.startsWith(folders.map((folder) => `${folder}/`).join("")))) folders.pop();
  const shortName = (which) => make("bdi", { title: names[which], textContent: names[which].split("/").slice(folders.length).join("/") });
  let current = null;
  let shown = null; // the number of the document in the pane

  const opener = (place) => make("a", { className: "open", href: place.hash }, shortName(place.document));
  const line = (className, ...children) => make("p", { className, dir: "auto" }, ...children);
  const quoted = (text) => `“${text}”`;

  // The answer: [1] in it refers to the first quote.
  function said() {
    const found = make("div", {}, ...data.answer.map(blockElement));
    const walker = document.createTreeWalker(found, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const text of texts) text.replaceWith(...text.data.split(/\[(\d+)\]/).map((part, index) => {
      if (index % 2 === 0) return part;
      const quote = quotes[Number(part) - 1];
      return quote ? chip(quote, quote.document === null ? "span" : "a") : `[${part}]`;
    }));
    return found.childNodes;
  }

  function chip(quote, tag) {
    const [className, words] = KINDS[quote.kind];
    const made = make(tag, { className: `number ${className}`, textContent: quote.number, title: words });
    if (tag === "a") made.href = quote.hash;
    return made;
  }

  function quoteElement(quote) {
    const [className, words] = KINDS[quote.kind];
    const kind = make("span", { className: "kind", textContent: words });
    const content = make("div", {});
    if (quote.document === null) {
      content.append(line("", quoted(quote.quote)), line("kind", "These words stand in none of the documents below."));
    } else {
      content.append(make("div", { className: "words" }, ...quote.blocks.map(blockElement)));
      if (quote.kind === "aligned") content.append(line("wording", `The model’s wording: ${quoted(quote.quote)}`));
      content.append(line("about", opener(quote), ...quote.place.map((where) => ` · ${where}`), " · ", kind));
    }
    quote.card = make("li", { className }, chip(quote, "span"), content);
    return quote.card;
  }

  function passageElement(passage) {
    passage.card = make("li", {}, opener(passage), line("where", passage.place.join(" · ")), make("div", { className: "excerpt" }, ...passage.blocks.map(blockElement)));
    return passage.card;
  }

  // The document: its blocks in parts, which are laid out only when they are seen.
  function atomNode(atom) {
    if (typeof atom === "string") return atom;
    const [text, passage, own, styles] = atom;
    let node = styles ? make("span", { className: styles }, text) : text;
    if (own.length) {
      node = make("span", { className: `cited ${KINDS[quotes[own[0] - 1].kind][0]}` }, node);
      node.dataset.quotes = own.join(" ");
    }
    if (!passage) return node;
    const mark = make("mark", {}, node);
    mark.dataset.passage = passage;
    return mark;
  }

  // The line below a header is one cell, and is not to be seen.
  const rowElement = (cells, index) => make("div", { className: cells.length > 1 || index === 0 ? "row" : "hidden", role: "row" },
    ...cells.map((atoms) => make("div", { className: "cell", role: "cell", dir: "auto" }, ...atoms.map(atomNode))));

  function blockElement([kind, atoms, of]) {
    if (kind === "page") return make("p", { className: "page", textContent: `Page ${of}` });
    if (kind === "table") return make("div", { className: "block table", role: "table" }, ...atoms.map(rowElement));
    const block = make("div", { className: `block ${kind.split(" ")[0]}`, dir: "auto" }, ...atoms.map(atomNode));
    if (kind === "heading") {
      Object.assign(block, { role: "heading", ariaLevel: of + 2 });
      block.dataset.level = of;
    }
    if (kind === "list item") block.style.marginInlineStart = `${block.textContent.search(/\S|$/) / 2}em`;
    return block;
  }

  function partElement(blocks) {
    const part = make("div", { className: "part" }, ...blocks);
    const lines = part.textContent.split("\n").reduce((sum, each) => sum + 1 + Math.floor(each.length / 80), 0);
    part.style.containIntrinsicSize = `auto ${lines * 1.65}rem`;
    return part;
  }

  function render(which) {
    const text = byId("text");
    const parts = [];
    let blocks = [];
    let size = 0;
    for (const block of data.documents[which].blocks) {
      blocks.push(blockElement(block));
      size += blocks.at(-1).textContent.length;
      if (size > LONG) {
        parts.push(partElement(blocks));
        [blocks, size] = [[], 0];
      }
    }
    text.replaceChildren(...parts, partElement(blocks));
    for (const { number: own } of quotes.filter((quote) => quote.document === which)) {
      const last = [...text.querySelectorAll(`[data-quotes~="${own}"]`)].pop();
      if (last) last.dataset.ends = `${last.dataset.ends ?? ""}[${own}]`;
    }
    const targets = [...text.querySelectorAll(".page, .heading:not([data-level='0'])")];
    const contents = byId("contents");
    contents.hidden = targets.length < 2;
    contents.replaceChildren(make("option", { textContent: "Go to …" }), ...targets.map((target) => make("option", {
      textContent: "\u00a0\u00a0".repeat((target.dataset.level ?? 1) - 1) + target.textContent.trim().replace(/^#+\s+|\s+#+$|\s+[=-]+$/g, ""),
    })));
    contents.onchange = () => {
      targets[contents.selectedIndex - 1]?.scrollIntoView();
      contents.selectedIndex = 0;
    };
    shown = which;
  }

  // Those that can be stepped through from the current place.
  const steps = () => (current?.says === "Quote" ? quotes : passages).filter((place) => place.document !== null && !place.card.hidden);

  function showSteps() {
    const all = steps();
    const at = all.indexOf(current);
    byId("steps").hidden = all.length < 2;
    byId("at").textContent = at < 0 ? "" : `${current.says} ${at + 1} of ${all.length}`;
    for (const [id, way] of [["previous", -1], ["next", 1]]) {
      const to = at < 0 ? all[0] : all[at + way];
      byId(id).disabled = !to;
      byId(id).onclick = () => location.replace(to.hash);
    }
  }

  function show(place) {
    current?.card.removeAttribute("aria-current");
    current = place;
    place.card.setAttribute("aria-current", "true");
    if (shown !== place.document) render(place.document);
    byId("name").textContent = names[place.document];
    byId("place").textContent = place.place.join(" · ");
    const file = byId("file");
    file.hidden = !place.link;
    if (place.link) {
      file.href = place.link;
      const page = /#page=(\d+)$/.exec(place.link);
      file.textContent = page ? `Open page ${page[1]} ↗` : "Open file ↗";
    }
    showSteps();
    byId("text").querySelectorAll(".chosen").forEach((mark) => mark.classList.remove("chosen"));
    const marks = byId("text").querySelectorAll(place.says === "Quote" ? `[data-quotes~="${place.number}"]` : `[data-passage="${place.number}"]`);
    marks.forEach((mark) => mark.classList.add("chosen"));
    // Once more when what is near has been laid out, and has its true height.
    const scroll = () => marks[0]?.scrollIntoView();
    scroll();
    requestAnimationFrame(() => requestAnimationFrame(scroll));
  }

  // The place in the address says what is shown, so that the browser's Back works.
  function follow() {
    const place = places.get(location.hash);
    const before = document.body.classList.contains("reading");
    document.body.classList.toggle("reading", Boolean(place));
    byId("found").inert = Boolean(place) && narrow.matches;
    if (place) {
      show(place);
      place.card.scrollIntoView({ block: "nearest" });
      if (narrow.matches && !before) byId("name").focus({ preventScroll: true });
    } else if (before) {
      current.card.querySelector(".open").focus();
    }
  }

  function filter() {
    const wanted = new Set([...byId("files").querySelectorAll("input:checked")].map((box) => Number(box.value)));
    for (const passage of passages) passage.card.hidden = wanted.size > 0 && !wanted.has(passage.document);
    const seen = passages.filter((passage) => !passage.card.hidden).length;
    byId("count").textContent = seen < passages.length ? `${seen} of ${passages.length}` : passages.length;
    showSteps();
  }

  byId("question").textContent = data.question;
  if (data.answer !== null) {
    byId("answer").hidden = false;
    byId("said").append(...said());
    byId("citations").append(...quotes.map(quoteElement));
  }
  byId("passages").append(...passages.map(passageElement));
  const found = [...new Set(passages.map((passage) => passage.document))];
  byId("files").hidden = found.length < 2;
  byId("files").append(...found.map((which) => make("label", { className: "file" }, make("input", { type: "checkbox", value: which }), shortName(which))));
  byId("files").addEventListener("change", filter);
  filter();
  addEventListener("hashchange", follow);
  byId("found").addEventListener("click", (event) => {
    if (event.target.closest("a")?.hash === location.hash) follow(); // back to where it is
  });
  narrow.addEventListener("change", follow);
  if (!narrow.matches) show([...places.values()].find((place) => place.says === "Quote") ?? passages[0]);
  follow();
})();
