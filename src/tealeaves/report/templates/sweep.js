(function () {
  "use strict";
  document.documentElement.classList.add("scripted");
  document.querySelectorAll(".js").forEach(el => { el.hidden = false; });
  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  document.getElementById("print").addEventListener("click", () => print());
})();
