// topics over time: a row of the heat map, or a small picture, opens its timeline
(function () {
  "use strict";
  document.querySelectorAll(".hrow[href],.spark[href]").forEach(row => row.addEventListener("click", () => {
    const target = document.getElementById(row.getAttribute("href").slice(1));
    if (target) target.open = true;
  }));
  addEventListener("beforeprint", () => document.querySelectorAll(".tl").forEach(el => { el.open = true; }));
})();
