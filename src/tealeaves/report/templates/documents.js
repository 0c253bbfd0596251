// documents: the legend shows one topic alone; pointing at a word or arrow keys tell the topics it could have
(function () {
  "use strict";
  document.querySelectorAll(".doc").forEach(doc => {
    const info = doc.querySelector(".tokinfo"), text = doc.querySelector(".txt"), names = JSON.parse(doc.dataset.names || "{}");
    const words = [...text.querySelectorAll("b,u")], buttons = [...doc.querySelectorAll("[data-topic]")];
    let at = -1;
    const bdi = what => { const el = document.createElement("bdi"); el.textContent = what; return el; };
    const topic = k => names[k] ? ["topic " + k + " (", bdi(names[k]), ")"] : ["topic " + k];
    const tell = el => {
      info.classList.add("on");  // from now on it stays in sight
      const said = ["“", bdi(el.textContent), "”"];
      if (el.tagName === "U") { info.replaceChildren(...said, " has no topic"); return; }
      said.push(": given ", ...topic(el.dataset.t));
      (el.dataset.alt ? el.dataset.alt.split(" ") : []).forEach((one, i) => { const [k, p] = one.split(":"); said.push(i ? ", " : "; likely here: ", ...topic(k), " " + Math.round(p * 100) + "%"); });
      info.replaceChildren(...said);
    };
    if (words.length) { info.hidden = false; info.textContent = "Point at a word for its topic and the others it could have; or use the arrow keys in the text."; }
    const show = i => { if (words[at]) words[at].classList.remove("cur"); at = i; words[at].classList.add("cur"); tell(words[at]); };
    buttons.forEach(b => b.addEventListener("click", () => {
      const on = b.getAttribute("aria-pressed") === "true", which = b.dataset.topic;
      buttons.forEach(x => x.setAttribute("aria-pressed", "false"));
      b.setAttribute("aria-pressed", String(!on));
      if (on) delete doc.dataset.only; else doc.dataset.only = which;
      words.forEach(w => w.classList.toggle("hit", !on && (which === "other" ? w.classList.contains("o") : w.dataset.t === which)));
    }));
    text.addEventListener("pointerover", e => { const el = e.target.closest("b,u"); if (el && text.contains(el)) tell(el); });
    text.addEventListener("click", e => { const el = e.target.closest("b,u"); if (el && text.contains(el)) show(words.indexOf(el)); });
    text.addEventListener("keydown", e => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!step || !words.length) return;
      e.preventDefault();
      show(Math.max(0, Math.min(words.length - 1, at + step)));
      words[at].scrollIntoView({ block: "nearest" });
    });
  });
})();
