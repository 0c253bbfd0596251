(function () {
  "use strict";
  document.documentElement.classList.add("scripted");
  document.querySelectorAll(".js").forEach(el => { el.hidden = false; });
  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  document.getElementById("print").addEventListener("click", () => print());
  const cell = text => /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  document.querySelectorAll("[data-csv]").forEach(button => button.addEventListener("click", () => {
    const rows = [...document.getElementById(button.dataset.csv).rows].map(tr => [...tr.cells].map(td => cell((td.dataset.value !== undefined ? td.dataset.value : td.textContent).trim())).join(","));
    const a = document.createElement("a");
    a.href = URL.createObjectURL(new Blob([rows.join("\n") + "\n"], { type: "text/csv" }));
    a.download = button.dataset.csv + ".csv";
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 1000);
    document.getElementById("status").textContent = "Saved";
  }));
})();
