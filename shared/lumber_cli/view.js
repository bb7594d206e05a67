(() => {
  const at = data.sides.map((side) => (side.slider ? side.slider.initial : 0));
  let shown = data.texts[0];

  // Chunks are [first atom, just past the last, tokens, titles, reason].
  const chunksOf = (side) => shown.sides[side].positions[shown.sides[side].positions.length > 1 ? at[side] : 0];
  const offset = (atom) => (atom < shown.starts.length ? shown.starts[atom] : shown.length);
  // The first atom of a chunk that is not repeated from the chunk before.
  const ownStart = (chunks, index) => (index ? Math.max(chunks[index][0], Math.min(chunks[index - 1][1], chunks[index][1])) : chunks[index][0]);
  const ownStarts = (chunks) => chunks.map((_, index) => ownStart(chunks, index));
  const textOf = (first, last) => shown.atoms.slice(first, last).join("");

  function chunkElement(side, chunks, index, largest) {
    const [first, last, tokens, titles, reason] = chunks[index];
    const own = ownStart(chunks, index);
    const score = shown.sides[side].scores?.[own];
    const meta = make("p", { className: "meta" }, make("b", { textContent: `#${index}` }), `${number.format(tokens)} tokens`);
    const bar = make("i", {});
    bar.style.width = `${(100 * tokens) / largest}%`;
    meta.append(make("span", { className: "size" }, bar));
    if (score !== null && score !== undefined && own > 0) {
      meta.append(make("span", { title: "Score of the start: the highest t among its first tokens", textContent: `t = ${score.toFixed(2).replace("-", "\u2212")}` }));
    }
    if (shown.pages) {
      const [from, to] = [shown.pages[first], shown.pages[Math.max(first, last - 1)]];
      meta.append(make("span", { textContent: from === to ? `page ${from}` : `pages ${from}–${to}` }));
    }
    meta.append(make("span", { className: "range", title: "Characters", textContent: `${number.format(offset(first))}–${number.format(offset(last))}` }));
    if (reason) meta.append(make("span", { className: "why", textContent: shown.words[reason] }));
    const content = make("div", {});
    if (titles) content.append(make("p", { className: "titles", textContent: shown.words[titles] }));
    const body = make("div", { className: "body" });
    if (own > first) body.append(make("span", { className: "repeated", title: "Repeated from the chunk before", textContent: textOf(first, own) }));
    const text = textOf(own, last);
    const visible = text.trimEnd();
    // White space at the end belongs to the chunk but would only leave a gap.
    body.append(visible, make("span", { className: "tail", textContent: text.slice(visible.length) }));
    content.append(body);
    const chunk = make("article", { className: `chunk ${index % 2 ? "odd" : "even"}` }, meta, content);
    chunk.dataset.side = side;
    chunk.dataset.start = offset(first);
    chunk.dataset.end = offset(last);
    return chunk;
  }

  // Rows begin where all sides begin a chunk, so that equal starts stand at one height.
  function rows() {
    const all = data.sides.map((_, side) => chunksOf(side));
    const starts = all.map(ownStarts);
    const sets = starts.map((own) => new Set(own));
    const common = starts[0].filter((own) => sets.every((set) => set.has(own)));
    const largest = Math.max(1, ...all.flat().map((chunk) => chunk[2]));
    const places = all.map(() => 0);
    const found = [];
    for (let row = 0; row <= common.length; row += 1) {
      const stop = row < common.length ? common[row] : Infinity;
      const cells = all.map((chunks, side) => {
        const cell = make("div", {});
        cell.dataset.side = side;
        while (places[side] < chunks.length && starts[side][places[side]] < stop) {
          cell.append(chunkElement(side, chunks, places[side], largest));
          places[side] += 1;
        }
        return cell;
      });
      if (cells.some((cell) => cell.childElementCount)) found.push(make("div", { className: "row" }, ...cells));
    }
    return found;
  }

  function summary(side) {
    const chunks = chunksOf(side);
    if (!chunks.length) return "no chunks: the text is empty";
    const sizes = chunks.map((chunk) => chunk[2]);
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    const low = number.format(Math.min(...sizes));
    const high = number.format(Math.max(...sizes));
    let said = `${number.format(chunks.length)} ${chunks.length === 1 ? "chunk" : "chunks"}, ${number.format(Math.round(mean))} tokens on average (${low} to ${high})`;
    if (data.sides.length > 1 && side === 1) {
      const others = new Set(ownStarts(chunksOf(0)));
      const shared = ownStarts(chunks).filter((own) => own && others.has(own)).length;
      said += `; ${number.format(shared)} of ${number.format(chunks.length - 1)} cuts shared`;
    }
    return said;
  }

  function show() {
    // Keep the text at the top of the window where it is.
    const edge = byId("bar").getBoundingClientRect().bottom;
    const seen = scrollY > 0 && [...document.querySelectorAll(".chunk")].find((chunk) => chunk.getBoundingClientRect().bottom > edge);
    const place = seen ? Number(seen.dataset.start) : 0;
    byId("text").replaceChildren(...rows());
    document.querySelectorAll(".sum").forEach((sum, side) => { sum.textContent = summary(side); });
    if (seen) {
      const again = [...document.querySelectorAll(".chunk")].filter((chunk) => chunk.getClientRects().length && Number(chunk.dataset.start) <= place).pop();
      if (again) scrollTo(0, again.getBoundingClientRect().top + scrollY - edge - 8);
    }
  }

  function control(side) {
    const { title, slider } = data.sides[side];
    const box = make("section", { className: "control" }, make("h2", { textContent: title }));
    box.dataset.side = side;
    if (slider) {
      const value = make("output", { textContent: slider.values[at[side]] });
      const range = make("input", { type: "range", min: 0, max: slider.values.length - 1, value: at[side] });
      range.setAttribute("aria-valuetext", slider.values[at[side]]);
      range.addEventListener("input", () => {
        at[side] = Number(range.value);
        value.textContent = slider.values[at[side]];
        range.setAttribute("aria-valuetext", slider.values[at[side]]);
        show();
      });
      box.append(make("label", {}, slider.setting, range, value));
    }
    box.append(make("p", { className: "sum" }));
    return box;
  }

  function choose(text) {
    shown = text;
    byId("name").textContent = text.name;
    scrollTo(0, 0);
    show();
  }

  byId("controls").append(...data.sides.map((_, side) => control(side)));
  if (data.sides.length > 1) {
    document.body.classList.add("two");
    document.body.dataset.shown = 0;
    byId("tabs").hidden = false;
    byId("tabs").append(...data.sides.map(({ title }, side) => {
      const tab = make("button", { type: "button", textContent: title });
      tab.setAttribute("aria-pressed", side === 0);
      tab.addEventListener("click", () => {
        document.body.dataset.shown = side;
        [...byId("tabs").children].forEach((each, place) => each.setAttribute("aria-pressed", place === side));
      });
      return tab;
    }));
  }
  if (data.texts.length > 1) {
    byId("documents").hidden = false;
    byId("name").classList.add("vh");
    byId("document").append(...data.texts.map((text, place) => make("option", { value: place, textContent: text.name })));
    byId("document").addEventListener("change", (event) => choose(data.texts[Number(event.target.value)]));
  }
  choose(shown);
})();
