// Every page works without this. It copies the raters' link, and renews the progress of a live study.
"use strict";

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const said = button.textContent;
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = button.dataset.copied;
    } catch {
      button.textContent = button.dataset.failed;
    }
    setTimeout(() => { button.textContent = said; }, 2000);
  });
}

const progress = document.querySelector("#progress[data-renew]");
if (progress) {
  setInterval(async () => {
    if (document.hidden || progress.contains(document.activeElement)) return; // never under someone's hands
    try {
      const reply = await fetch(location.pathname, { credentials: "same-origin" });
      if (!reply.ok || reply.redirected) return;
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      const fresh = page.querySelector("#progress");
      if (fresh) progress.replaceChildren(...fresh.childNodes);
    } catch { /* the next time */ }
  }, 1000 * Number(progress.dataset.renew));
}
