// Shows only what the chosen automatic check asks; without a script all fields stand there.
const form = document.querySelector("[data-checks-form]");
const select = form?.querySelector("select[name=check_code]");
const kind = form?.querySelector("select[name=kind]");

function fieldOf(element) {
  return element.closest(".field");
}

function showAsked() {
  for (const input of form.querySelectorAll("[data-checks]")) {
    const asked = input.dataset.checks.split(" ").includes(select.value);
    fieldOf(input).hidden = !asked && !fieldOf(input).classList.contains("field-error");
  }
  const weight = form.querySelector("[name=weight_percent]");
  if (weight && kind) fieldOf(weight).hidden = kind.value !== "weighted";
}

if (select) {
  select.addEventListener("change", showAsked);
  kind?.addEventListener("change", showAsked);
  showAsked();
}
