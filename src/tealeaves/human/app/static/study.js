/* Pages of raters are whole without this. It adds: keys, the time a page is seen, and an outbox that keeps an answer on
   this device until the server has confirmed it. */
(function () {
  "use strict";
  const BOX = "tealeaves answer ", DRAFT = "tealeaves draft ", KEYS = "tealeaves no-keys";
  const AGAIN = new Set([408, 425, 429]); // and 5xx: try again later
  const WAIT = 15000, LONGEST = 30000; // milliseconds: for one try, and between two
  const $ = (q, from) => (from || document).querySelector(q);
  const $$ = (q, from) => [...(from || document).querySelectorAll(q)];
  const root = document.documentElement;
  const ahead = new Map(); // url → page fetched early
  const WEEK = 7 * 24 * 3600 * 1000; // an answer nobody takes is not kept for longer
  let busy = false, leaving = false, seen = 0, since = 0, timer = 0, pause = 2000, refusal = "";

  // --- What the browser keeps; where it keeps nothing, an answer waits in memory as long as the page is open.
  const memory = new Map();
  const keep = {
    set(name, value) { try { localStorage.setItem(name, value); return true; } catch { memory.set(name, value); return false; } },
    drop(name) { memory.delete(name); try { localStorage.removeItem(name); } catch { /* nothing was kept */ } },
    all() {
      const found = [...memory.values()];
      try { Object.keys(localStorage).filter(n => n.startsWith(BOX)).forEach(n => found.push(localStorage.getItem(n))); } catch { /* as above */ }
      return found.flatMap(text => { try { return [JSON.parse(text)]; } catch { return []; } }).sort((a, b) => a.at - b.at);
    },
  };
  const session = (name, value) => {
    try {
      if (value === undefined) return sessionStorage.getItem(name);
      if (value === null) sessionStorage.removeItem(name); else sessionStorage.setItem(name, value);
    } catch { /* a draft is a comfort, not a promise */ }
    return null;
  };

  // --- Time: only while the page can be seen.
  const clock = () => { if (since) { seen += performance.now() - since; since = 0; } if (!document.hidden) since = performance.now(); };
  const restart = () => { seen = 0; since = document.hidden ? 0 : performance.now(); };
  document.addEventListener("visibilitychange", clock);
  const seconds = () => { clock(); return (seen / 1000).toFixed(1); };
  const today = iso => new Date(iso).toDateString() === new Date().toDateString();
  const local = (iso, options) => { const d = new Date(iso); return isNaN(d) ? "" : d.toLocaleString(root.lang, options); };
  const HOUR = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const DAY = { year: "numeric", month: "long", day: "numeric", ...HOUR };

  // --- What the page says of itself.
  function say(text, mark, waits) {
    const state = $("#state");
    if (!state) return;
    state.textContent = text;
    state.classList.toggle("waits", !!waits);
    if (mark) state.dataset.mark = mark; else delete state.dataset.mark;
  }
  function saySaved(iso) { const state = $("#state"); if (state && state.dataset.saved) say(state.dataset.saved.replace("%", local(iso || new Date(), HOUR)), "✓"); }
  function waiting() { // not what another session has left behind
    const form = $("form[data-outbox]");
    return keep.all().filter(e => !e.held || (form && form.assignment.value === e.assignment));
  }
  function sayWaiting(advice) {
    const form = $("form[data-outbox]"), entries = waiting(), state = $("#state"), note = $("#offline");
    const n = new Set(entries.map(e => e.assignment)).size;
    if (!n) { if (note) note.hidden = true; return; }
    const words = state && (advice ? [state.dataset.heldOne, state.dataset.heldOther] : [state.dataset.one, state.dataset.other]);
    if (words && words[0]) say(n === 1 ? words[0] : words[1].replace("%", n), "!", true);
    if (!note) return;
    const here = !form || entries.some(e => e.assignment === form.assignment.value);
    $("b", note).textContent = n === 1 ? note.dataset.one : note.dataset.other.replace("%", n);
    $("p", note).textContent = memory.size ? note.dataset.full : note.dataset[advice] || (here ? note.dataset.here : note.dataset.ahead);
    note.hidden = false;
  }

  // --- Errors: by field, with the focus on the first.
  function clearError(field) {
    const line = document.getElementById("error-" + field);
    if (line) line.textContent = "";
    $$('[name="' + CSS.escape(field) + '"]').forEach(i => i.removeAttribute("aria-invalid"));
  }
  function showError(field, sentence) {
    const line = document.getElementById("error-" + field), input = $('[name="' + CSS.escape(field) + '"]:not([type=hidden])');
    if (!line || !input) return input;
    line.textContent = sentence;
    line.setAttribute("role", "alert");
    const group = input.type === "radio" ? input.closest("fieldset") : input;
    if (input.type !== "radio") input.setAttribute("aria-invalid", "true");
    const described = new Set((group.getAttribute("aria-describedby") || "").split(" ").filter(Boolean).concat(line.id));
    group.setAttribute("aria-describedby", [...described].join(" "));
    return input;
  }
  function missing(form) {
    const found = new Map();
    for (const input of form.elements) {
      if (!input.name || !input.required || found.has(input.name)) continue;
      if (input.type === "radio" || input.type === "checkbox" ? !$('[name="' + CSS.escape(input.name) + '"]:checked', form) : !input.value.trim()) found.set(input.name, input.dataset.missing || "");
    }
    if (form.none && form.label && !form.none.checked && !form.label.value.trim()) found.set("label", form.label.dataset.missing);
    return found;
  }
  function complain(errors) {
    let first = null;
    for (const [field, sentence] of errors) { const input = showError(field, sentence); first = first || input; }
    if (first) { first.focus(); (first.closest("fieldset, .field, .tick") || first).scrollIntoView({ block: "nearest" }); }
    return errors.size > 0;
  }

  // --- The outbox. An entry is stored before it is sent, and dropped when the server has confirmed it or never will.
  function fresh() { const bytes = crypto.getRandomValues(new Uint8Array(16)); return [...bytes].map(b => b.toString(16).padStart(2, "0")).join(""); }
  function bodyOf(form) { const body = new URLSearchParams(new FormData(form)); body.delete("seconds"); return body; }
  function untouched(form) { return bodyOf(form).toString() === (form.dataset.tried || form.dataset.first); }
  function entryOf(form) {
    const body = bodyOf(form);
    // The same answer again keeps its number, so that it counts once; another answer needs another.
    if (form.dataset.tried && form.dataset.tried !== body.toString()) {
      form.idempotency.value = fresh();
      body.set("idempotency", form.idempotency.value);
    }
    form.dataset.tried = body.toString();
    body.set("seconds", seconds());
    return { url: form.action, body: body.toString(), assignment: form.assignment.value, name: BOX + form.assignment.value + " " + form.idempotency.value, at: Date.now() };
  }
  async function send(entry) {
    const body = new URLSearchParams(entry.body), csrf = token(), stop = new AbortController();
    if (csrf) body.set("csrf", csrf);
    const limit = setTimeout(() => stop.abort(), WAIT);
    try {
      const reply = await fetch(entry.url, { method: "POST", body, credentials: "same-origin", headers: { Accept: "application/json" }, signal: stop.signal });
      const json = (reply.headers.get("content-type") || "").includes("json") ? await reply.json() : null;
      if (reply.ok && json && json.saved) return { done: "saved", next: json.next, at: json.saved_at };
      if (reply.status === 422 && json && json.errors) return { done: "wrong", errors: json.errors };
      if (reply.status === 401 || reply.status === 403) return { done: "", advice: "out" };
      if (AGAIN.has(reply.status) || reply.status >= 500) return { done: "", advice: "busy" };
      if (reply.ok) return { done: "" }; // not our server's words: a network that wants a log-in first
      return { done: "refused" };
    } catch { return { done: "" }; } finally { clearTimeout(limit); }
  }
  function token() { const meta = $("meta[name=csrf]"); return meta ? meta.content : ""; }
  let turn = Promise.resolve();
  function flush() { // one at a time, the oldest first; a later answer to the same question must come later
    turn = turn.then(async () => {
      const results = new Map(), stuck = new Set();
      refusal = "";
      for (const entry of keep.all()) {
        if (stuck.has(entry.assignment)) continue;
        const result = await send(entry);
        results.set(entry.name, { ...result, assignment: entry.assignment });
        if (!result.done) {
          refusal = result.advice || "";
          if (!refusal) break; // no connection: the others would wait as long in vain
          stuck.add(entry.assignment);
          if (refusal === "out" && !entry.held) keep.set(entry.name, JSON.stringify({ ...entry, held: true }));
          continue;
        }
        keep.drop(entry.name);
        if (result.done === "saved") session(DRAFT + entry.assignment, null);
      }
      if (!waiting().length) pause = 2000;
      return results;
    });
    return turn;
  }
  function later() {
    clearTimeout(timer);
    if (!waiting().length) return;
    timer = setTimeout(retry, pause);
    pause = Math.min(2 * pause, LONGEST);
  }
  async function retry() {
    const form = $("form[data-outbox]");
    const results = await flush();
    const saved = [...results.values()].filter(r => r.done === "saved").pop();
    if (waiting().length) { sayWaiting(refusal); later(); return; }
    sayWaiting();
    if (saved) saySaved(saved.at);
    if (!form || !form.isConnected || busy) return;
    const mine = [...results.values()].filter(r => r.assignment === form.assignment.value).pop();
    if (mine && (mine.done !== "saved" || untouched(form))) conclude(form, mine);
  }
  function conclude(form, result) {
    if (result.done === "saved") { go(result.next, result.at); return true; }
    if (result.done === "wrong") { free(form); say($("#state").dataset.refused, "!", true); complain(new Map(Object.entries(result.errors))); return true; }
    if (result.done === "refused") { HTMLFormElement.prototype.submit.call(form); return true; } // let the server say why
    return false;
  }
  function free(form) { busy = false; $$("button", form).forEach(b => b.removeAttribute("aria-disabled")); }

  async function save(form) {
    if (busy) return;
    $$(".err", form).forEach(e => { e.textContent = ""; });
    if (complain(missing(form))) return;
    busy = true;
    $$(".go button", form).forEach(b => b.setAttribute("aria-disabled", "true"));
    say($("#state").dataset.saving);
    const entry = entryOf(form);
    keep.set(entry.name, JSON.stringify(entry));
    clearTimeout(timer);
    const results = await flush();
    if (!form.isConnected) return;
    const mine = results.get(entry.name);
    if (mine && conclude(form, mine)) return;
    free(form);
    const next = (form.dataset.ahead || "").split(" ").find(url => ahead.has(url));
    if (next && refusal !== "out") swap(next, ahead.get(next));
    sayWaiting(refusal);
    later();
  }

  // --- Going on: a page fetched early takes the place of this one, any other is opened as usual.
  function go(url, at) {
    leaving = true;
    if (ahead.has(url)) { swap(url, ahead.get(url)); saySaved(at); } else { location.assign(url); }
  }
  function swap(url, html) {
    const page = new DOMParser().parseFromString(html, "text/html");
    const csrf = $("meta[name=csrf]", page);
    if (csrf && token()) $("meta[name=csrf]").content = csrf.content;
    if (!$("form[data-outbox]", page)) { location.assign(url); return; }
    ahead.delete(url);
    if (!history.state) history.replaceState({ page: true }, "");
    history.pushState({ page: true }, "", url);
    document.title = page.title;
    document.body.className = page.body.className;
    document.body.replaceChildren(...page.body.childNodes);
    busy = leaving = false;
    setUp();
    scrollTo({ top: 0, behavior: "instant" });
    const title = $("h1");
    if (title) title.focus({ preventScroll: true });
  }
  addEventListener("popstate", e => { if (e.state && e.state.page) location.reload(); }); // not for links within the page
  function fetchAhead(form) {
    (form.dataset.ahead || "").split(" ").filter(url => url && !ahead.has(url)).forEach(url => {
      fetch(url, { credentials: "same-origin", headers: { "X-Ahead": "1", Accept: "text/html" } })
        .then(reply => (reply.ok && !reply.redirected ? reply.text() : "")).then(html => { if (html) ahead.set(url, html); }).catch(() => {});
    });
  }

  // --- A draft outlives a reload, a pause, and the way back.
  function restore(form) {
    const draft = session(DRAFT + form.assignment.value);
    if (!draft || $(":checked, .err:not(:empty)", form) || $$("input[type=text]", form).some(i => i.value)) return;
    for (const [name, value] of new URLSearchParams(draft)) {
      for (const input of $$('[name="' + CSS.escape(name) + '"]:not([type=hidden])', form)) {
        if (input.type === "radio" || input.type === "checkbox") { if (input.value === value) input.checked = true; } else input.value = value;
      }
    }
  }
  function draft(form) {
    const body = new URLSearchParams(new FormData(form));
    ["csrf", "assignment", "idempotency", "started", "seconds"].forEach(name => body.delete(name));
    session(DRAFT + form.assignment.value, body.toString());
  }
  function twins(form) { // a word that stands at several times is one answer
    const chosen = $(".slices :checked", form);
    $$(".slices .card input", form).forEach(i => i.parentElement.classList.toggle("twin", !!chosen && i !== chosen && i.value === chosen.value));
  }

  // --- Setting up a page, also one that took the place of another.
  function setUp() {
    restart();
    root.classList.add("js");
    $$(".with-keys, .keys, [data-copy]").forEach(e => { e.hidden = false; });
    const keys = $("#keys");
    if (keys) { keys.checked = !root.classList.contains("no-keys"); }
    const at = $("#state [data-at]");
    if (at) saySaved(at.dataset.at);
    $$("time[datetime]").forEach(t => { t.textContent = local(t.dateTime, today(t.dateTime) ? HOUR : DAY) || t.textContent; });
    $$("form[data-outbox], form[data-once]").forEach(form => { form.noValidate = true; });
    const form = $("form[data-outbox]");
    if (form) { restore(form); form.dataset.first = bodyOf(form).toString(); twins(form); setTimeout(() => { if (form.isConnected) fetchAhead(form); }, 800); }
    const first = $("[data-first]:not([hidden])"); // what is to be read before anything else
    if (first) first.focus();
    keep.all().filter(e => Date.now() - e.at > WEEK).forEach(e => keep.drop(e.name));
    if (keep.all().length && token()) { sayWaiting(); retry(); }
  }
  try { root.classList.toggle("no-keys", !!localStorage.getItem(KEYS)); } catch { /* then they are on */ }
  setUp();
  addEventListener("pageshow", e => { if (e.persisted) { busy = leaving = false; $$("[aria-disabled]").forEach(b => b.removeAttribute("aria-disabled")); restart(); retry(); } });
  addEventListener("online", () => { pause = 2000; retry(); });
  addEventListener("beforeunload", e => { if (!leaving && waiting().length && $("form[data-outbox]")) e.preventDefault(); });

  document.addEventListener("submit", e => {
    const form = e.target;
    if (form.matches("[data-outbox]")) { e.preventDefault(); save(form); return; }
    if (!form.matches("[data-once]")) return;
    if (busy) { e.preventDefault(); return; }
    const free = e.submitter && e.submitter.formNoValidate;
    $$(".err", form).forEach(line => { line.textContent = ""; });
    if (!free && complain(missing(form))) { e.preventDefault(); return; }
    if (form.seconds) form.seconds.value = seconds();
    busy = true;
  });
  document.addEventListener("input", e => { if (e.target.name) clearError(e.target.name); });
  document.addEventListener("change", e => {
    const form = e.target.form;
    if (e.target.id === "keys") {
      root.classList.toggle("no-keys", !e.target.checked);
      try { if (e.target.checked) localStorage.removeItem(KEYS); else localStorage.setItem(KEYS, "1"); } catch { /* then for this page only */ }
    }
    if (!form || !form.matches("[data-outbox]")) return;
    if (e.target.name) clearError(e.target.name);
    draft(form);
    twins(form);
  });
  document.addEventListener("input", e => { if (e.target.form && e.target.form.matches("[data-outbox]")) draft(e.target.form); });
  document.addEventListener("click", e => {
    leaving = !!e.target.closest("a[href]"); // pages of the study send what waits
    const button = e.target.closest("[data-retry], [data-copy]");
    if (!button) return;
    if (button.matches("[data-retry]")) { pause = 2000; retry(); return; }
    const code = document.getElementById(button.dataset.copy), copied = () => { button.textContent = button.dataset.copied; };
    const select = () => { getSelection().selectAllChildren(code); if (document.execCommand("copy")) copied(); };
    if (navigator.clipboard) navigator.clipboard.writeText(code.textContent).then(copied, select); else select();
  });

  // --- Keys: a digit or letter presses what it is printed on.
  document.addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || e.repeat || root.classList.contains("no-keys")) return;
    if (e.target.matches("input[type=text], textarea, select") || $(":popover-open")) return;
    const digit = /^Digit(\d)$/.exec(e.code); // where digits are shifted, as on French keyboards
    const press = digit && !e.shiftKey ? digit[1] : e.key.toLowerCase();
    if (press === "enter" && e.target.matches("a, button, summary")) return;
    const target = $$('[data-press="' + CSS.escape(press) + '"]').find(i => !i.disabled && i.getClientRects().length);
    if (!target) return;
    e.preventDefault();
    if (target.matches("input")) target.focus();
    if (target.matches("input[type=radio]:checked")) return;
    target.click();
  });
})();
