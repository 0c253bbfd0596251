/* Pages of curators are whole without this. It saves each tick and each field at once, keeps on this device what the
   server has not confirmed, and moves through lists by keys. Keys with letters are those of study.js. */
(function () {
  "use strict";
  const BOX = "tealeaves step ", FOCUS = "tealeaves focus";
  const AGAIN = new Set([408, 425, 429]); // and 5xx: try again later
  const WAIT = 15000, LONGEST = 30000, WEEK = 7 * 24 * 3600 * 1000; // milliseconds
  const $ = (q, from) => (from || document).querySelector(q);
  const $$ = (q, from) => [...(from || document).querySelectorAll(q)];
  const state = $("#state"), sheet = $("form[data-sheet]");
  let timer = 0, pause = 2000, last = 0;

  // --- What waits: in the browser's store, or in memory where there is none.
  const memory = new Map();
  const keep = {
    set(name, value) { try { localStorage.setItem(name, value); } catch { memory.set(name, value); } },
    drop(name) { memory.delete(name); try { localStorage.removeItem(name); } catch { /* nothing was kept */ } },
    all() {
      const found = [...memory.values()];
      try { Object.keys(localStorage).filter(n => n.startsWith(BOX)).forEach(n => found.push(localStorage.getItem(n))); } catch { /* as above */ }
      return found.flatMap(text => { try { return [JSON.parse(text)]; } catch { return []; } })
        .filter(e => e.url === action()).sort((a, b) => a.at - b.at);
    },
  };
  const action = () => { const form = $("form[data-step], form[data-sheet]"); return form ? form.action : ""; };
  const token = () => { const meta = $("meta[name=csrf]"); return meta ? meta.content : ""; };
  function fresh() { const bytes = crypto.getRandomValues(new Uint8Array(12)); return [...bytes].map(b => b.toString(16).padStart(2, "0")).join(""); }

  // --- What the page says of itself.
  function say(text, mark, waits) {
    state.textContent = text;
    state.classList.toggle("waits", !!waits);
    if (mark) state.dataset.mark = mark; else delete state.dataset.mark;
  }
  function time(iso) { const d = new Date(iso); return isNaN(d) ? "" : d.toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }); }
  function sayWaiting() { const n = keep.all().length; if (n) say(n === 1 ? state.dataset.waitsOne : state.dataset.waits.replace("%", n), "!", true); }
  function complain(errors) {
    say(state.dataset.refused, "!", true);
    for (const [field, sentence] of Object.entries(errors)) {
      const line = document.getElementById("error-" + field), input = document.getElementById(field);
      if (line && input) { line.textContent = sentence; line.setAttribute("role", "alert"); input.setAttribute("aria-invalid", "true"); continue; }
      let note = $("#errors");
      if (!note) {
        note = document.createElement("div");
        note.id = "errors"; note.className = "note bad"; note.setAttribute("role", "alert"); note.tabIndex = -1;
        $("h1").before(note);
      }
      const said = document.createElement("p"), again = document.createElement("a");
      said.textContent = sentence + " "; again.href = location.href; again.textContent = "↻"; again.setAttribute("aria-label", document.title);
      said.append(again); note.replaceChildren(said); note.focus();
    }
  }
  function learn(reply, entry) {
    for (const what of ["undo", "redo"]) {
      const button = document.getElementById(what);
      if (!button) continue;
      button.disabled = !reply[what];
      button.form.of.value = reply[what];
      button.title = "";
    }
    const bar = $(".head progress"), count = $("#count");
    if (bar && bar.value !== reply.done) { count.textContent = count.textContent.replace(String(bar.value), String(reply.done)); bar.value = reply.done; }
    if (sheet && entry && new URLSearchParams(entry.body).get("topic") === sheet.topic.value && reply.seen) {
      sheet.seen.value = reply.seen;
      $$("[data-unmade]").forEach(form => { form.hidden = true; }); // what is part of a reference topic is not set aside
    }
  }

  // --- Sending: one after the other, the oldest first; the same step is taken once, however often it is sent.
  async function send(entry) {
    const body = new URLSearchParams(entry.body), stop = new AbortController();
    body.set("csrf", token());
    const limit = setTimeout(() => stop.abort(), WAIT);
    try {
      const reply = await fetch(entry.url, { method: "POST", body, credentials: "same-origin", keepalive: true, headers: { Accept: "application/json" }, signal: stop.signal });
      const json = (reply.headers.get("content-type") || "").includes("json") ? await reply.json() : null;
      if (reply.ok && json && json.saved) { learn(json, entry); return json.saved_at; }
      if (AGAIN.has(reply.status) || reply.status >= 500 || reply.status === 401 || reply.status === 403 || reply.ok) return "";
      complain((json && json.errors) || { step: state.dataset.refused });
      return "refused";
    } catch { return ""; } finally { clearTimeout(limit); }
  }
  let turn = Promise.resolve();
  function flush() {
    turn = turn.then(async () => {
      clearTimeout(timer);
      for (const entry of keep.all()) {
        const done = await send(entry);
        if (!done) { sayWaiting(); timer = setTimeout(flush, pause); pause = Math.min(2 * pause, LONGEST); return false; }
        keep.drop(entry.name);
        if (done !== "refused" && !keep.all().length) say(state.dataset.saved.replace("%", time(done)), "✓");
      }
      pause = 2000;
      return true;
    });
    return turn;
  }
  function save(changed) {
    const body = new URLSearchParams({ do: "sheet", topic: sheet.topic.value, item: sheet.item.value, seen: sheet.seen.value, idempotency: fresh(), ...changed });
    last = Math.max(Date.now(), last + 1); // two in one millisecond stay in order
    const name = BOX + last + " " + body.get("idempotency");
    keep.set(name, JSON.stringify({ name, url: sheet.action, body: body.toString(), at: last }));
    say(state.dataset.saving);
    flush();
  }

  // --- The sheet: what was changed is saved.
  const first = new Map();
  if (sheet) {
    const texts = () => ["label", "category", "text"].map(name => sheet[name]);
    texts().forEach(input => first.set(input.name, input.value));
    const write = input => { if (first.get(input.name) !== input.value) { first.set(input.name, input.value); save({ [input.name]: input.value }); } };
    sheet.addEventListener("change", e => {
      const input = e.target;
      if (first.has(input.name)) {
        input.removeAttribute("aria-invalid");
        const line = document.getElementById("error-" + input.name);
        if (line) line.textContent = "";
        write(input);
      } else if (input.name) save({ [input.name]: input.type === "checkbox" ? (input.checked ? "1" : "0") : input.value });
    });
    sheet.addEventListener("submit", e => { e.preventDefault(); texts().forEach(write); flush().then(done => { if (done && state.dataset.mark !== "!") say(state.dataset.saved.replace("%", time(new Date())), "✓"); }); });
    sheet.label.addEventListener("keydown", e => { // from the name to the words
      if (e.key !== "Enter" || e.isComposing) return;
      e.preventDefault();
      write(sheet.label);
      const box = $("input[type=checkbox]", sheet);
      if (box) box.focus();
    });
  }

  // --- Whatever leaves the page waits until all is saved.
  const steady = form => { try { sessionStorage.setItem(FOCUS, document.activeElement && document.activeElement.id && form.of ? document.activeElement.id : ""); } catch { /* a comfort */ } };
  let going = false;
  document.addEventListener("submit", e => {
    const form = e.target;
    if (!form.matches("[data-step]")) return;
    if (going) { e.preventDefault(); return; }
    going = true;
    steady(form);
    if (!keep.all().length) return;
    e.preventDefault();
    flush().then(done => { going = false; if (done) { going = true; HTMLFormElement.prototype.submit.call(form); } });
  });
  document.addEventListener("click", e => {
    const link = e.target.closest("a[href]");
    if (!link || e.defaultPrevented || e.button || e.ctrlKey || e.metaKey || e.shiftKey || link.target) return;
    if (document.activeElement && first.has(document.activeElement.name)) document.activeElement.blur(); // its change is saved first
    if (!keep.all().length) return;
    e.preventDefault();
    Promise.race([flush(), new Promise(resolve => setTimeout(resolve, 3000))]).then(() => location.assign(link.href));
  });
  addEventListener("pageshow", e => { going = false; if (e.persisted) location.reload(); }); // what it shows may be old
  addEventListener("online", () => { pause = 2000; flush(); });
  addEventListener("beforeunload", e => { if (memory.size) e.preventDefault(); });

  // --- Keys: up and down in a list of boxes.
  document.addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || e.target.matches("input[type=text], input[type=radio], textarea, select")) return;
    const way = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[e.key];
    const letter = e.key.length === 1;
    if (!way || (letter && document.documentElement.classList.contains("no-keys"))) return;
    const list = e.target.closest("[data-list]");
    const boxes = $$("[data-list] input[type=checkbox]"), at = boxes.indexOf(document.activeElement);
    if (!list && !letter) return; // arrows scroll the page elsewhere
    if (list && at < 0 && !letter) return; // and the text of a document
    const next = boxes[at < 0 ? 0 : Math.min(boxes.length - 1, Math.max(0, at + way))];
    if (!next) return;
    e.preventDefault();
    next.focus();
    next.closest("label, li").scrollIntoView({ block: "nearest" });
  });
  $$(".shows input").forEach(i => i.addEventListener("change", () => i.form.requestSubmit()));

  keep.all().filter(e => Date.now() - e.at > WEEK).forEach(e => keep.drop(e.name));
  if (keep.all().length) flush();
  try {
    const id = sessionStorage.getItem(FOCUS), element = id && document.getElementById(id);
    sessionStorage.removeItem(FOCUS);
    if (element && !element.disabled) element.focus();
  } catch { /* a comfort */ }
  const errors = $("#errors");
  if (errors) errors.focus();
})();
