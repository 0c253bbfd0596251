(function () {
  "use strict";
  const $ = (q, el) => (el || document).querySelector(q), $$ = (q, el) => [...(el || document).querySelectorAll(q)];
  const data = JSON.parse($("#data").textContent), models = new Map(data.models.map(m => [m.slug, m]));
  const say = text => { $("#status").textContent = text; };
  const make = (tag, text, cls) => { const el = document.createElement(tag); if (text !== undefined) el.textContent = text; if (cls) el.className = cls; return el; };
  document.documentElement.classList.add("scripted");
  $$(".js").forEach(el => { el.hidden = false; });
  $$(".nojs").forEach(el => el.remove());

  // theme: follow the system until the reader chooses
  $("#theme").addEventListener("click", () => {
    const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  $("#print").addEventListener("click", () => print());
  if (matchMedia("(max-width: 1180px)").matches) $(".toc details").open = false;

  // numbers as the rest of the page writes them
  function number(v) {
    if (v === null || v === undefined) return "–";
    const size = Math.abs(v), few = size > 1e-12 && size < 0.01;
    const text = size >= 100 ? Math.round(size).toLocaleString("en-US") : !few ? size.toFixed(2) : size < 0.0005 ? size.toExponential(1).replace(/-(\d)$/, "−0$1").replace("-", "−") : size.toFixed(1 - Math.floor(Math.log10(size)));
    return (v < 0 && Number(text.replace(/,/g, "")) !== 0 ? "−" : "") + text;
  }
  const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
  const shown = word => word.replace(controls, "\ufffd");
  const bdi = (word, cls) => make("bdi", shown(word), cls);

  // a big report holds its rows and matrices as JSON: a tenth of their size as HTML
  const edges = [-0.75, -0.45, -0.2, -0.05, 0.05, 0.2, 0.4, 0.6], colours = ["n4", "n3", "n2", "n1", "z0", "p1", "p2", "p3", "p4"];
  const bin = v => v === null ? "na" : colours[edges.filter(e => v > e).length];
  const pair = v => v === null ? "–" : v <= -0.9995 ? "×" : number(Math.round(v * 100) / 100).replace("0.", ".");
  // numbers of pairs are two letters each, in hundredths above -1; what is empty or as in words is left out
  const unpacked = (text, i) => Array.from({ length: i }, (_, j) => text.substr(i * (i - 1) + 2 * j, 2)).map(two => two === "--" ? null : parseInt(two, 36) / 100 - 1);
  function matrix(box, topic) {
    if (box.firstChild || !topic.matrix) return;
    const judged = Array.isArray(topic.judged) ? topic.judged : topic.words.slice(0, topic.judged);
    const table = make("table", undefined, "pm"), caption = table.createCaption();
    caption.className = "vh"; caption.textContent = "NPMI of each two top words of topic " + topic.id;
    const head = table.createTHead().insertRow(), body = table.createTBody(); head.insertCell();
    const label = (word, scope) => { const th = make("th"), inner = scope === "col" ? make("span") : th; th.scope = scope; inner.append(bdi(word)); if (inner !== th) th.append(inner); return th; };
    judged.slice(0, -1).forEach(word => head.append(label(word, "col")));
    judged.slice(1).forEach((word, i) => {
      const tr = body.insertRow(); tr.append(label(word, "row"));
      unpacked(topic.matrix, i + 1).forEach(v => { tr.insertCell().append(pair(v)); tr.lastChild.className = bin(v); });
    });
    box.append(table);
  }
  function strip(t) {
    if (t.npmi === null) return make("span", "undefined", "small");
    const iv = make("span", undefined, "iv"), set = (k, v) => iv.style.setProperty(k, v), add = cls => iv.append(make("i", undefined, cls));
    iv.setAttribute("aria-hidden", "true"); set("--min", t.min); set("--max", t.max); set("--v", t.npmi);
    if (t.band) { set("--a", t.band[0]); set("--b", t.band[2]); add("band"); }
    add("track"); add("zero");
    if (t.low !== null && t.high !== null) { set("--lo", t.low); set("--hi", t.high); add("ci"); }
    add("v");
    return iv;
  }
  function row(m, t) {
    const el = $("#row").content.firstElementChild.cloneNode(true), put = (q, ...what) => $(q, el).append(...what);
    el.id = m.slug + "-" + t.id;
    Object.assign(el.dataset, { id: t.id, verdict: t.verdict, rank: t.rank, npmi: t.npmi === null ? -9 : t.npmi, size: t.size || 0, words: t.words.join(" ").toLowerCase() });
    put(".id", t.id); $(".badge", el).classList.add(t.verdict); $("use", el).setAttribute("href", "#i-" + t.verdict); $(".badge span", el).textContent = t.label;
    t.words.slice(0, 10).forEach((w, i) => { const b = bdi(w, (t.odd || []).includes(w) ? "odd" : (t.absent || []).includes(w) ? "absent" : ""); if (i < 3) { const strong = make("b"); strong.append(b); put(".words", strong, " "); } else put(".words", b, " "); });
    put(".npmi", number(t.npmi)); put(".strip", strip(t));
    put(".say", make("b", t.label + "."), " " + t.sentence);
    t.words.forEach((w, i) => put(".all-words", i ? ", " : "", bdi(w)));
    $("[data-pair]", el).dataset.pair = t.id;
    const body = $("tbody", el), specs = t.specs || m.specs;
    t.scores.forEach(([value, low, high, n, reason], i) => {
      const tr = body.insertRow(), th = make("th", specs[i]); th.scope = "row"; tr.append(th);
      if (value === null) { const td = tr.insertCell(); td.className = "na"; td.colSpan = 2; td.textContent = "– " + (reason || "undefined"); return; }
      const td = tr.insertCell(); td.className = "num"; td.textContent = number(value);
      tr.insertCell().textContent = low === null || high === null ? "–" : "[" + number(low) + ", " + number(high) + "]";
    });
    return el;
  }
  function fill(slug) {
    const list = $("[data-list=" + slug + "]");
    if (!list || !("json" in list.dataset)) return;
    delete list.dataset.json;
    list.classList.remove("sized"); list.previousElementSibling.classList.add("hide");
    const m = models.get(slug); list.append(...m.topics.map(t => row(m, t)));
  }
  const draw = d => { if (!data.big || !d.open) return; const box = $("[data-pair]", d), m = models.get(d.closest(".model").dataset.model); if (box) matrix(box, m.topics.find(t => t.id === Number(box.dataset.pair))); };
  document.addEventListener("toggle", e => { if (e.target.matches && e.target.matches(".topic")) draw(e.target); }, true);

  // topics: one model at a time, search, order
  const select = $("#model"), sections = $$(".model"), query = $("#q"), order = $("#order");
  const rows = section => $$(".topic", section), current = () => sections.find(s => !s.classList.contains("hide")) || sections[0];
  function refilter() {
    const section = current(); if (!section) return;
    const q = query.value.trim().toLowerCase(), checked = $("input[type=radio]:checked", section), verdict = checked ? checked.value : "all"; let n = 0;
    rows(section).forEach(r => { const found = !q || r.dataset.words.includes(q); r.classList.toggle("hide", !found); n += found && (verdict === "all" || verdict === r.dataset.verdict); });
    $(".none", section).hidden = n > 0;
    say(n + " of " + rows(section).length + " topics shown");
  }
  function reorder() {
    const section = current(); if (!section) return;
    const k = order.value, up = k === "id" || k === "rank" ? 1 : -1, list = $(".list", section);
    list.append(...rows(section).sort((a, b) => up * (a.dataset[k] - b.dataset[k]) || a.dataset.id - b.dataset.id));
  }
  function choose(slug) {
    fill(slug);
    sections.forEach(s => s.classList.toggle("hide", s.dataset.model !== slug));
    if (select) select.value = slug;
    $("#all").setAttribute("aria-pressed", "false");
    reorder(); refilter();
  }
  if (select) { select.addEventListener("change", () => choose(select.value)); }
  if (sections.length) choose(select ? select.value : sections[0].dataset.model);
  say("");
  query.addEventListener("input", refilter); order.addEventListener("change", reorder);
  sections.forEach(s => s.addEventListener("change", refilter));
  $("#all").addEventListener("click", e => { const open = e.currentTarget.getAttribute("aria-pressed") !== "true"; rows(current()).forEach(r => { r.open = open; draw(r); }); e.currentTarget.setAttribute("aria-pressed", open); });

  // a link to a topic shows its model, clears the filters and opens it
  function go() {
    const [, slug, id] = /^#(?:topics-)?(m\d+)(?:-(\d+))?$/.exec(location.hash) || [];
    if (!slug || !models.has(slug)) return;
    choose(slug);
    if (id === undefined) { $("#topics-" + slug).scrollIntoView(); return; }
    query.value = ""; const all = $("input[value=all]", current()); if (all) all.checked = true; refilter();
    const target = document.getElementById(slug + "-" + id);
    if (target) { target.open = true; draw(target); target.scrollIntoView(); $("summary", target).focus({ preventScroll: true }); }
  }
  addEventListener("hashchange", go); go();
  document.addEventListener("click", e => { const a = e.target.closest && e.target.closest("a[href^='#m'],a[href^='#topics-m']"); if (a && a.hash === location.hash) go(); });

  // print: paper is narrow, so what does not fit beside the first columns of a table follows below, with the models again
  const ACROSS = 7;
  addEventListener("beforeprint", () => $$("table.models").forEach(table => {
    const wide = table.rows[0].cells.length;
    if (wide <= ACROSS + 1 || table.querySelector("[colspan]")) return;
    const only = (t, from) => [...t.rows].forEach(row => [...row.cells].forEach((c, i) => { c.classList.toggle("off-paper", i > 0 && (i < from || i >= from + ACROSS)); }));
    for (let from = wide - (wide - 2) % ACROSS - 1; from > 1; from -= ACROSS) { const part = table.cloneNode(true); part.removeAttribute("id"); part.classList.add("paper-only"); only(part, from); table.after(part); }
    only(table, 1);
  }));
  addEventListener("afterprint", () => { $$(".paper-only").forEach(t => t.remove()); $$(".off-paper").forEach(c => c.classList.remove("off-paper")); });
  // and every topic of the model shown but Keep is open; afterwards those are shut that were
  let opened = [];
  addEventListener("beforeprint", () => { const s = current(); opened = s ? rows(s).filter(r => r.dataset.verdict !== "keep" && !r.open) : []; opened.forEach(r => { r.open = true; draw(r); }); });
  addEventListener("afterprint", () => opened.forEach(r => { r.open = false; }));

  // downloads of all topics; the rest is in figures
  $$("[data-topics]").forEach(b => b.addEventListener("click", () => {
    const m = models.get(b.dataset.topics);
    const head = ["model", "topic", "verdict", "words", "size", "chance_05", "chance_95", ...m.specs.flatMap(s => [s, s + " low", s + " high", s + " n_terms", s + " reason"])];
    const lines = [head, ...m.topics.map(t => { const specs = t.specs || m.specs, at = new Map(specs.map((s, i) => [s, t.scores[i]]));
      return [m.name, t.id, t.label, t.words.join(" "), t.size, t.band && t.band[0], t.band && t.band[2], ...m.specs.flatMap(s => at.get(s) || ["", "", "", "", "not scored"])]; })];
    document.dispatchEvent(new CustomEvent("csv", { detail: { name: "topics.csv", lines } }));
  }));
  $$("[data-copy]").forEach(b => b.addEventListener("click", () => { navigator.clipboard.writeText($("#" + b.dataset.copy).textContent.trim()).then(() => { b.textContent = "Copied"; say("Copied"); }, () => { getSelection().selectAllChildren($("#" + b.dataset.copy)); say("Selected: copy with your keyboard"); }); }));
  $$("[data-more]").forEach(b => b.addEventListener("click", () => { $$(".more", $("#" + b.dataset.more)).forEach(r => r.classList.add("shown")); b.setAttribute("aria-expanded", "true"); b.hidden = true; }));

  // where am I
  if ("IntersectionObserver" in window) {
    const links = new Map($$(".toc a").map(a => [a.hash.slice(1), a]));
    const seen = new IntersectionObserver(es => es.forEach(e => { const a = links.get(e.target.id); if (e.isIntersecting && a) { links.forEach(x => x.removeAttribute("aria-current")); a.setAttribute("aria-current", "true"); } }), { rootMargin: "-10% 0px -80% 0px" });
    $$("main section[id]").forEach(s => seen.observe(s));
  }
})();
