// The matrix: arrow keys, folding, live filter, and a drawer for a cell's evidence. Every cell is a
// plain link, so all of it works without this file, one page at a time.
const grid = document.getElementById("grid");
const drawer = document.getElementById("drawer");

if (grid && drawer) {
  const links = () =>
    [...grid.querySelectorAll("tbody tr:not(.fold)")]
      .filter((row) => row.offsetParent !== null)
      .map((row) => [...row.querySelectorAll("td")].map((cell) => cell.querySelector("a")));

  // One stop for the Tab key; the arrows move inside.
  function makeCurrent(link) {
    for (const other of grid.querySelectorAll("td a[tabindex='0']")) other.tabIndex = -1;
    link.tabIndex = 0;
  }

  const all = grid.querySelectorAll("td a");
  for (const link of all) link.tabIndex = -1;
  if (all.length) all[0].tabIndex = 0;

  function nearestIn(row, column) {
    for (let distance = 0; distance < row.length; distance += 1) {
      const found = row[column + distance] || row[column - distance];
      if (found) return found;
    }
    return null;
  }

  function neighbour(link, key) {
    const rows = links();
    const y = rows.findIndex((row) => row.includes(link));
    if (y < 0) return null;
    const x = rows[y].indexOf(link);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step) {
      for (let to = x + step; to >= 0 && to < rows[y].length; to += step) {
        if (rows[y][to]) return rows[y][to];
      }
      return null;
    }
    if (key === "Home") return rows[y].find(Boolean);
    if (key === "End") return rows[y].findLast(Boolean);
    const target = y + (key === "ArrowDown" ? 1 : -1);
    return target >= 0 && target < rows.length ? nearestIn(rows[target], x) : null;
  }

  grid.addEventListener("keydown", (event) => {
    if (!["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "Home", "End"].includes(event.key)) return;
    const link = event.target.closest("td a");
    if (!link) return;
    event.preventDefault();
    const next = neighbour(link, event.key);
    if (!next) return;
    makeCurrent(next);
    next.focus();
  });

  // The drawer.
  let opener = null;

  function close() {
    drawer.replaceChildren();
    for (const cell of grid.querySelectorAll("td[aria-current]")) cell.removeAttribute("aria-current");
    if (opener) opener.focus();
    opener = null;
  }

  grid.addEventListener("click", (event) => {
    const link = event.target.closest("td a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !window.htmx) return;
    event.preventDefault();
    for (const cell of grid.querySelectorAll("td[aria-current]")) cell.removeAttribute("aria-current");
    link.closest("td").setAttribute("aria-current", "true");
    makeCurrent(link);
    opener = link;
    window.htmx.ajax("GET", link.href, { target: drawer, swap: "innerHTML" }).then(() => drawer.focus());
  });

  // An answer such as 400 carries its own explanation, which is worth showing.
  drawer.addEventListener("htmx:beforeSwap", (event) => {
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  });
  drawer.addEventListener("click", (event) => {
    if (event.target.closest("[data-close]")) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && drawer.childElementCount) close();
  });

  // Folding keeps the address in step, so that a copied address shows the same.
  grid.addEventListener("click", (event) => {
    const link = event.target.closest(".fold-link");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const body = link.closest("tbody");
    const folded = body.classList.toggle("folded");
    link.setAttribute("aria-expanded", String(!folded));
    const address = new URL(location.href);
    const others = address.searchParams.getAll("fold").filter((name) => name !== body.dataset.group);
    address.searchParams.delete("fold");
    for (const name of others) address.searchParams.append("fold", name);
    if (folded) address.searchParams.append("fold", body.dataset.group);
    history.replaceState(null, "", address);
  });

  // The filter works while typing; sent as a form it filters on the server.
  const filter = document.querySelector("input[data-filter='grid']");
  filter?.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const row of grid.querySelectorAll("tbody tr:not(.fold)")) {
      const group = row.closest("tbody").querySelector(".fold-link")?.textContent ?? "";
      const name = row.querySelector("th").textContent;
      row.classList.toggle("filtered", !`${name} ${group}`.toLowerCase().includes(wanted));
    }
    for (const body of grid.tBodies) {
      const head = body.querySelector("tr.fold");
      const left = body.querySelector("tr:not(.fold):not(.filtered)");
      head?.classList.toggle("filtered", !left);
    }
    const address = new URL(location.href);
    if (wanted) address.searchParams.set("filter", filter.value.trim());
    else address.searchParams.delete("filter");
    history.replaceState(null, "", address);
  });
}
