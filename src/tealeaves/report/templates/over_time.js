// topics over time: a row of the heat map opens its timeline
(function () {
  "use strict";
  document.querySelectorAll(".hrow").forEach(row => row.addEventListener("click", () => {
    const target = document.getElementById(row.getAttribute("href").slice(1));
    if (target) target.open = true;
  }));
  addEventListener("beforeprint", () => document.querySelectorAll(".tl").forEach(el => { el.open = true; }));
})();
