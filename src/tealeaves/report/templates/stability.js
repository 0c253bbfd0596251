// found again: on paper the matrix of every model is open
addEventListener("beforeprint", () => document.querySelectorAll(".again").forEach(el => { el.open = true; }));
