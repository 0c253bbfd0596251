// people: on paper what notes say of the intervals is open
addEventListener("beforeprint", () => document.querySelectorAll("#people .said ul").forEach(el => { el.parentElement.open = true; }));
