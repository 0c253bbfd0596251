// coverage: on paper every match matrix is open
addEventListener("beforeprint", () => document.querySelectorAll(".cov-match").forEach(el => { el.open = true; }));
