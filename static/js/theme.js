// Applies the reader's stored colour scheme before the first paint; loaded in the head, not deferred.
(() => {
  const KEY = "runproof-theme";
  const root = document.documentElement;

  function stored() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // Storage may be closed; then the system's scheme stands.
    }
  }

  function store(value) {
    try {
      if (value) localStorage.setItem(KEY, value);
      else localStorage.removeItem(KEY);
    } catch {
      // The choice then lasts for this page.
    }
  }

  const chosen = stored();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

  function isDark() {
    if (root.dataset.theme) return root.dataset.theme === "dark";
    return matchMedia("(prefers-color-scheme: dark)").matches;
  }

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme-button");
    if (!button) return;
    const show = () => button.setAttribute("aria-pressed", String(isDark()));
    button.hidden = false;
    show();
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      store(root.dataset.theme);
      show();
    });
  });
})();
