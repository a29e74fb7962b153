"use strict";
// Tables are whole without this: it only sorts them, hides what does not match, and says which of them scroll.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, column) => {
    const cell = row.cells[column];
    const number = cell.dataset.v;
    return number === undefined ? cell.textContent : number === "" ? -Infinity : Number(number);
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    // Browsers leave buttons out of the headings they repeat on every printed page.
    const printed = document.createElement("span");
    printed.className = "only-print";
    printed.textContent = button.textContent = head.textContent;
    head.replaceChildren(printed, button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].map((row) => [value(row, column), row]);
      const order = (a, b) =>
        typeof a[0] === "number" && typeof b[0] === "number" ? a[0] - b[0] || 0 : String(a[0]).localeCompare(String(b[0]));
      rows.sort((a, b) => (down ? order(b, a) : order(a, b)));
      body.append(...rows.map((pair) => pair[1]));
    });
  });
}
for (const box of document.querySelectorAll("input[data-filters]")) {
  const body = document.getElementById(box.dataset.filters).tBodies[0];
  const told = document.getElementById(box.getAttribute("aria-describedby"));
  const texts = [...body.rows].map((row) => [row, row.textContent.toLowerCase()]);
  box.closest(".tools").hidden = false;
  box.addEventListener("input", () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [row, text] of texts) {
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    told.textContent = words.length ? `${shown} of ${texts.length} rows match` : "";
  });
}
// Also called when a folded table is opened, or the window changes its width.
const sideways = new ResizeObserver((seen) => {
  for (const { target } of seen) {
    const hidden = target.scrollWidth > target.clientWidth + 1;
    target.parentElement.classList.toggle("more", hidden);
    if (hidden) target.tabIndex = 0;
  }
});
for (const box of document.querySelectorAll(".sideways > :not(.hint)")) sideways.observe(box);
