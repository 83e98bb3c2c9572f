// Sends only the first bytes of a chosen GGUF file: the header stands there, and the rest is large.
const HEAD_BYTES = 16 * 1024 * 1024;

for (const form of document.querySelectorAll("form[data-head-of]")) {
  const input = document.getElementById(form.dataset.headOf);
  input?.addEventListener("change", () => {
    const [file] = input.files;
    if (!file || file.size <= HEAD_BYTES) return;
    const head = new DataTransfer();
    head.items.add(new File([file.slice(0, HEAD_BYTES)], file.name));
    input.files = head.files;
  });
}
