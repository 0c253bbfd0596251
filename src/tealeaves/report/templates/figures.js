// figures: a footer for each with its picture (SVG), its data (CSV) and the call that draws it for a paper
(function () {
  "use strict";
  const NS = "http://www.w3.org/2000/svg", root = document.documentElement;
  const INLINE = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "color", "font-family", "font-size", "font-weight", "text-anchor", "paint-order", "vector-effect"];
  const MARKED = ".iv, .h, .pm, .heat, .strip";
  const svg = (tag, attributes, text) => { const el = document.createElementNS(NS, tag); Object.entries(attributes).forEach(([k, v]) => el.setAttribute(k, typeof v === "number" ? Math.round(v * 100) / 100 : v)); if (text !== undefined) el.textContent = text; return el; };
  // other programs know rgb() but not color(srgb …), which mixed colours are computed to
  const plain = c => c.replace(/color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)/g, (_, r, g, b, a) => { const x = [r, g, b].map(v => Math.round(255 * v)).join(", "); return a === undefined ? "rgb(" + x + ")" : "rgba(" + x + ", " + a + ")"; });
  const seen = c => c && c !== "transparent" && !/rgba\([^)]*, 0\)$/.test(c);

  function picture(figure, says) {
    const theme = root.dataset.theme, out = svg("svg", { xmlns: NS }), box = figure.getBoundingClientRect();
    root.dataset.theme = "light";
    out.append(svg("title", {}, says));
    let right = 0, bottom = 0, hatches = 0;
    const reach = r => { right = Math.max(right, r.right - box.left); bottom = Math.max(bottom, r.bottom - box.top); };
    const rect = (r, more) => { reach(r); return svg("rect", { x: r.left - box.left, y: r.top - box.top, width: r.width, height: r.height, ...more }); };

    function inlined(el) {
      const copy = el.cloneNode(false), style = getComputedStyle(el);
      ["class", "id", "style", "aria-hidden", "role", "aria-label"].forEach(a => copy.removeAttribute(a));
      if (el.localName === "use") {
        const symbol = document.querySelector(el.getAttribute("href"));
        const inner = svg("svg", { viewBox: symbol.getAttribute("viewBox"), width: "100%", height: "100%" });
        inner.append(...[...symbol.children].map(c => c.cloneNode(true)));
        inner.setAttribute("style", "color:" + plain(style.color));
        return inner;
      }
      if (el.localName !== "title") copy.setAttribute("style", INLINE.map(k => k + ":" + plain(style.getPropertyValue(k))).join(";"));
      el.childNodes.forEach(c => copy.append(c.nodeType === 1 ? inlined(c) : c.cloneNode()));
      return copy;
    }
    function words(node, style, clip) {
      const upright = style.writingMode.startsWith("vertical"), size = parseFloat(style.fontSize), range = document.createRange(), lines = [];
      for (const found of node.data.matchAll(/\S+/g)) {
        range.setStart(node, found.index); range.setEnd(node, found.index + found[0].length);
        const r = range.getClientRects()[0], last = lines[lines.length - 1];
        if (!r || !r.width || last && last.cut) continue;
        if (clip && (r.right > clip.right + 1 || r.top < clip.top - 1)) { // what the page hides, too
          const share = upright ? (r.bottom - clip.top) / r.height : (clip.right - r.left) / r.width, some = found[0].slice(0, Math.max(0, Math.floor(share * found[0].length) - 1)) + "…";
          if (last) { last.text += " " + some; last.cut = true; } else lines.push({ text: some, left: r.left, right: Math.min(r.right, clip.right), top: Math.max(r.top, clip.top), bottom: r.bottom, width: r.width, height: r.height, cut: true });
          continue;
        }
        if (last && !upright && Math.abs(last.top - r.top) < 3) { last.text += " " + found[0]; last.right = r.right; last.width = last.right - last.left; } else lines.push({ text: found[0], left: r.left, right: r.right, top: r.top, bottom: r.bottom, width: r.width, height: r.height });
      }
      const end = /right|end/.test(style.textAlign), middle = style.textAlign === "center";
      lines.forEach(r => {
        reach(r);
        const x = end ? r.right : middle ? (r.left + r.right) / 2 : r.left, at = { "font-family": style.fontFamily, "font-size": size, "font-weight": style.fontWeight, fill: plain(style.color) };
        if (upright) { const cx = r.left + r.width / 2 - box.left + 0.35 * size, cy = r.bottom - box.top; out.append(svg("text", { ...at, transform: "translate(" + cx + " " + cy + ") rotate(-90)" }, r.text)); return; }
        const y = r.top + r.height / 2 + 0.35 * size - box.top;
        out.append(svg("text", { ...at, x: x - box.left, y, "text-anchor": end ? "end" : middle ? "middle" : "start" }, r.text));
        const lined = getComputedStyle(node.parentElement).textDecorationLine;
        if (/line-through|underline/.test(lined)) out.append(svg("path", { d: "M" + (r.left - box.left) + " " + (/through/.test(lined) ? y - 0.3 * size : y + 2) + "h" + r.width, stroke: plain(style.textDecorationColor), "stroke-width": 1 }));
      });
    }
    function ground(el, style) {
      const r = el.getBoundingClientRect();
      if (!r.width && !r.height) return;
      const round = { rx: Math.min(parseFloat(style.borderTopLeftRadius) * (/%/.test(style.borderTopLeftRadius) ? r.width / 100 : 1) || 0, r.width / 2) };
      const image = style.backgroundImage, colours = plain(image).match(/rgba?\([^)]*\)/g);
      if (el !== figure && seen(style.backgroundColor)) out.append(rect(r, { ...round, fill: plain(style.backgroundColor) }));
      if (colours && image.includes("gradient")) {
        const id = "g" + hatches++;
        let paint;
        if (image.startsWith("repeating")) { paint = svg("pattern", { id, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }); paint.append(svg("rect", { width: 3, height: 7, fill: colours[0] })); } else { paint = svg("linearGradient", { id }); colours.forEach((c, i) => paint.append(svg("stop", { offset: i / Math.max(colours.length - 1, 1), "stop-color": c }))); }
        out.append(paint, rect(r, { ...round, fill: "url(#" + id + ")" }));
      }
      const sides = [["Top", 0, 0, 1, 0], ["Right", 1, 0, 0, 1], ["Bottom", 0, 1, 1, 0], ["Left", 0, 0, 0, 1]].map(([side, ...at]) => ({ at, wide: style["border" + side + "Style"] === "none" ? 0 : parseFloat(style["border" + side + "Width"]), ink: style["border" + side + "Color"] })).filter(s => s.wide && seen(s.ink));
      if (sides.length === 4 && round.rx) out.append(rect(r, { ...round, fill: "none", stroke: plain(sides[0].ink), "stroke-width": sides[0].wide }));
      else sides.forEach(s => { reach(r); out.append(svg("path", { d: "M" + (r.left - box.left + s.at[0] * r.width).toFixed(2) + " " + (r.top - box.top + s.at[1] * r.height).toFixed(2) + (s.at[2] ? "h" + r.width.toFixed(2) : "v" + r.height.toFixed(2)), stroke: plain(s.ink), "stroke-width": s.wide })); });
      for (const [, ink, y, spread] of plain(style.boxShadow).matchAll(/(rgba?\([^)]*\)) 0px (-?[\d.]+)px 0px ([\d.]+)px inset/g)) out.append(Number(spread) ? rect(r, { fill: "none", stroke: ink, "stroke-width": spread }) : rect({ left: r.left, right: r.right, top: r.bottom + Number(y), bottom: r.bottom, width: r.width, height: -Number(y) }, { fill: ink }));
    }
    (function walk(el, clip) {
      if (el.matches(".vh, .src, .js, .chev, .tokinfo, [hidden]") || el.checkVisibility && !el.checkVisibility()) return;
      const style = getComputedStyle(el);
      if (el.localName === "svg") {
        const r = el.getBoundingClientRect(), copy = inlined(el);
        reach(r);
        Object.entries({ x: r.left - box.left, y: r.top - box.top, width: r.width, height: r.height, overflow: "visible" }).forEach(([k, v]) => copy.setAttribute(k, v));
        out.append(copy);
        return;
      }
      ground(el, style);
      if (el.dataset.k) { // the number in front of a word, which the page makes by style
        const before = getComputedStyle(el, "::before"), r = el.getClientRects()[0], size = parseFloat(before.fontSize);
        out.append(svg("text", { x: r.left - box.left + 1, y: r.top - box.top + size, "font-family": before.fontFamily, "font-size": size, "font-weight": before.fontWeight, fill: plain(before.color) }, el.dataset.k));
      }
      const inside = style.overflowX === "hidden" ? el.getBoundingClientRect() : clip;
      el.childNodes.forEach(c => { if (c.nodeType === 1) walk(c, inside); else if (c.nodeType === 3) words(c, style, inside); });
    })(figure);
    if (theme === undefined) delete root.dataset.theme; else root.dataset.theme = theme;
    const width = Math.ceil(right) + 16, height = Math.ceil(bottom) + 16;
    Object.entries({ width, height, viewBox: "-8 -8 " + width + " " + height }).forEach(([k, v]) => out.setAttribute(k, v));
    out.firstChild.after(svg("rect", { x: -8, y: -8, width, height, fill: "#fff" }));
    return new XMLSerializer().serializeToString(out);
  }

  // a cell that a spreadsheet would run as a formula is quoted
  const safe = s => /^[=+\-@\t\r]/.test(s) && isNaN(Number(s)) ? "'" + s : s;
  const csv = lines => lines.map(line => line.map(x => '"' + safe(String(x === null || x === undefined ? "" : x)).replace(/"/g, '""') + '"').join(",")).join("\r\n") + "\r\n";
  function save(name, text, type) {
    const a = document.createElement("a");
    a.href = URL.createObjectURL(new Blob([text], { type })); a.download = name; a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 1000);
    const status = document.getElementById("status");
    if (status) status.textContent = "Saved " + name;
  }
  const saveLines = (name, lines) => save(name, "\ufeff" + csv(lines), "text/csv");
  const cell = c => c.dataset.value !== undefined ? c.dataset.value : c.textContent.trim().replace(/\s+/g, " ");
  // every line as long as the longest: a cell over several columns is followed by empty ones, one that shows more
  // than a number by what it also holds (intervals), and a triangle is filled up
  const cells = table => {
    const lines = [...table.rows].map(tr => [...tr.cells].flatMap(c => [cell(c), ...Array(c.colSpan - 1).fill(""), ...(c.dataset.also === undefined ? [] : c.dataset.also.split("|"))])), most = Math.max(...lines.map(l => l.length));
    return lines.map(l => [...l, ...Array(most - l.length).fill("")]);
  };
  document.addEventListener("csv", e => saveLines(e.detail.name, e.detail.lines));
  document.addEventListener("click", e => {
    const b = e.target.closest && e.target.closest("[data-csv]");
    if (b && b.dataset.csv) saveLines(b.dataset.csv + ".csv", cells(document.getElementById(b.dataset.csv)));
  });
  // what a figure is drawn from: a table elsewhere, rows it carries, its own table, or the words of a text
  function lines(figure) {
    if (figure.dataset.of) return cells(document.getElementById(figure.dataset.of));
    if (figure.dataset.rows) return JSON.parse(figure.dataset.rows);
    const table = figure.querySelector("table");
    return table ? cells(table) : [["word", "topic"], ...[...figure.querySelectorAll(".txt b")].map(b => [[...b.childNodes].map(n => n.textContent).join("").trim(), b.dataset.t])];
  }

  function button(text, label, dataset) {
    const el = document.createElement("button");
    el.type = "button"; el.className = "btn"; el.textContent = text; el.setAttribute("aria-label", label);
    Object.assign(el.dataset, dataset);
    return el;
  }
  const named = figure => { const caption = figure.querySelector("caption, svg[role=img]"), heading = figure.closest("section") && figure.closest("section").querySelector("h3, h2"); return figure.getAttribute("aria-label") || caption && (caption.getAttribute("aria-label") || caption.textContent) || heading && heading.textContent || "figure"; };
  function fill(footer, figure, name, says) {
    const there = footer.querySelector("[data-csv], [data-topics]"), picks = [button("SVG", "Download as SVG: " + says, { svg: name })];
    picks[0].addEventListener("click", () => save(name + ".svg", picture(figure, says), "image/svg+xml"));
    if (there) { there.after(...picks); return; }
    picks.unshift(button("CSV", "Download as CSV: " + says, {}));
    picks[0].addEventListener("click", () => saveLines(name + ".csv", lines(figure)));
    footer.prepend(...picks);
  }
  const footer = () => Object.assign(document.createElement("p"), { className: "src" });
  const after = el => { let next = el.nextElementSibling; while (next && next.matches(".read, .none")) next = next.nextElementSibling; return next; };
  function foot(figure, name) {
    const next = after(figure), there = next && next.matches("p.src"), under = there ? next : footer();
    if (!there) figure.after(under);
    fill(under, figure, name, named(figure).replace(/, scrolls sideways$/, ""));
    if (figure.dataset.call && !there) { const call = document.createElement("span"); call.className = "mono"; call.textContent = figure.dataset.call; under.append(call); }
  }
  const place = el => el.querySelector("table[id]") ? el.querySelector("table[id]").id.replace(/^t-/, "") : (el.closest("[id]") || { id: "figure" }).id;
  document.querySelectorAll("[data-figure]").forEach(el => foot(el, el.dataset.figure));
  document.querySelectorAll("main .scroll").forEach(el => { if (!el.closest(".topic, [data-figure]") && el.querySelector(MARKED) && after(el) && after(el).matches("p.src")) foot(el, place(el)); });
  // the matrix of a topic: a footer when it is opened first, after a big report has drawn it
  document.addEventListener("toggle", e => {
    const box = e.target.matches && e.target.matches(".topic[open]") && e.target.querySelector(".col-pairs .scroll"), side = box && box.parentElement;
    if (box) setTimeout(() => {
      if (!box.querySelector("table") || side.querySelector(".src")) return;
      side.append(footer());
      fill(side.lastChild, box, "pairs-" + e.target.id, "pairs of topic " + e.target.dataset.id);
    });
  }, true);
})();
