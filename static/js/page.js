// What every page gets: a language switch without a button, copyable addresses, and pages that
// come back by themselves while their content is being worked out.
const language = document.getElementById("language-select");
if (language) {
  language.form.querySelector("button").hidden = true;
  language.addEventListener("change", () => language.form.requestSubmit());
}

function offerCopying(root) {
  for (const button of root.querySelectorAll("button[data-copy]")) {
    const field = document.getElementById(button.dataset.copy);
    if (!field) continue;
    field.value = new URL(field.value, location.href).href;
    if (!navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(field.value);
      button.textContent = button.dataset.done;
    });
  }
}

const awaited = document.querySelector("[data-again-after-ms]");
if (awaited) setTimeout(() => location.reload(), Number(awaited.dataset.againAfterMs));

offerCopying(document);
document.addEventListener("htmx:afterSwap", (event) => offerCopying(event.detail.target));
