// The review queue: choose all, a count, and keys that work while the focus is in the list.
const queue = document.querySelector("form[data-queue]");
if (queue) {
  const boxes = [...queue.querySelectorAll("tbody input[type='checkbox']")];
  const chooseAll = queue.querySelector("[data-choose-all]");
  const chosen = queue.querySelector("[data-chosen]");

  function count() {
    const number = boxes.filter((box) => box.checked).length;
    chosen.textContent = number ? String(number) : "";
    chooseAll.setAttribute("aria-pressed", String(number === boxes.length));
  }

  chooseAll.hidden = boxes.length === 0;
  chooseAll.addEventListener("click", () => {
    const all = boxes.every((box) => box.checked);
    for (const box of boxes) box.checked = !all;
    count();
  });
  queue.addEventListener("change", count);
  // A browser may bring back boxes that were ticked before the page was left.
  count();

  queue.querySelector("tbody").addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = event.target.closest("tr");
    const box = row?.querySelector("input[type='checkbox']");
    const at = boxes.indexOf(box);
    if (event.key === "j" || event.key === "k") {
      const next = boxes[at + (event.key === "j" ? 1 : -1)];
      if (next) next.focus();
    } else if (event.key === "x" && box) {
      box.checked = !box.checked;
      count();
    } else if (event.key === "Enter" && event.target === box) {
      // Enter in a box would send the form; here it opens the item.
      row.querySelector("a").click();
    } else {
      return;
    }
    event.preventDefault();
  });
}
