// Tables of the class "sortable": a button in each head sorts, a field filters, a button saves what is shown.
(() => {
const number = cell => {
  const text = (cell.title || cell.textContent).replace(/[\u202f\s]/g, "").replace(/^[+<]/, "").replace("−", "-");
  return /^-?[\d.]+/.test(text) ? parseFloat(text) : NaN;
};
function compare(a, b, column) {
  const [x, y] = [a, b].map(row => row.cells[column]), [p, q] = [x, y].map(number);
  if (!isNaN(p) && !isNaN(q)) return p - q;
  if (isNaN(p) !== isNaN(q)) return Number(isNaN(p)) - Number(isNaN(q));
  return x.textContent.localeCompare(y.textContent);
}
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0], rows = Array.from(body.rows), heads = Array.from(table.tHead.rows[0].cells);
  const name = table.closest("section").querySelector("h2").textContent;
  const field = Object.assign(document.createElement("input"), {type: "search", size: 16});
  const save = Object.assign(document.createElement("button"), {type: "button", textContent: "CSV of what is shown"});
  const count = Object.assign(document.createElement("span"), {className: "mute"});
  count.setAttribute("role", "status");
  const label = document.createElement("label"), tools = document.createElement("p");
  label.append("Rows with ", field);
  tools.className = "tools";
  tools.append(label, save, count);
  table.closest(".scroll").before(tools);
  const shown = () => Array.from(body.rows).filter(row => !row.hidden);
  function filter() {
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(field.value.toLowerCase());
    count.textContent = `${shown().length} of ${rows.length}`;
  }
  field.addEventListener("input", filter);
  save.addEventListener("click", () => {
    const lines = [heads.map(head => csvCell(head.textContent.replaceAll("\u00ad", "").trim())).join()];
    for (const row of shown()) lines.push(Array.from(row.cells, cell => csvCell(cell.title || cell.textContent)).join());
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], {type: "text/csv"}));
    link.download = `${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const falls = head.getAttribute("aria-sort") === "ascending";
      for (const each of heads) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", falls ? "descending" : "ascending");
      body.append(...rows.slice().sort((a, b) => falls ? compare(b, a, column) : compare(a, b, column)));
    });
  });
  filter();
}
})();
