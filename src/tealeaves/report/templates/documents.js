// documents: the legend shows one topic alone; hovering or arrow keys tell the topics a word could have
(function () {
  "use strict";
  const all = [...document.querySelectorAll(".doc")];
  all.forEach(doc => {
    const info = doc.querySelector(".tokinfo"), text = doc.querySelector(".txt");
    const words = [...doc.querySelectorAll(".txt b, .txt u")], buttons = [...doc.querySelectorAll("[data-topic]")];
    const named = new Map(buttons.map(b => [b.dataset.topic, b.textContent.trim().replace(/^\d+ /, "").replace(/ · [^·]*$/, "")]));
    let at = -1;
    const topic = k => "topic " + k + (named.has(k) ? " (" + named.get(k) + ")" : "");
    const tell = el => {
      if (el.tagName === "U") { info.textContent = "“" + el.textContent + "” has no topic"; return; }
      const others = el.dataset.alt ? el.dataset.alt.split(" ").map(x => { const [k, p] = x.split(":"); return topic(k) + " " + Math.round(p * 100) + "%"; }).join(", ") : "";
      info.textContent = "“" + el.textContent + "”: given " + topic(el.dataset.t) + (others ? "; likely here: " + others : "");
    };
    buttons.forEach(b => b.addEventListener("click", () => {
      const on = b.getAttribute("aria-pressed") === "true";
      buttons.forEach(x => x.setAttribute("aria-pressed", "false"));
      b.setAttribute("aria-pressed", String(!on));
      if (on) delete doc.dataset.only; else doc.dataset.only = b.dataset.topic;
      words.forEach(w => w.classList.toggle("hit", !on && w.dataset.t === b.dataset.topic));
    }));
    text.addEventListener("pointerover", e => { const el = e.target.closest("b,u"); if (el && text.contains(el)) tell(el); });
    text.addEventListener("keydown", e => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!step || !words.length) return;
      e.preventDefault();
      if (words[at]) words[at].classList.remove("cur");
      at = Math.max(0, Math.min(words.length - 1, at + step));
      words[at].classList.add("cur");
      tell(words[at]);
    });
  });
})();
