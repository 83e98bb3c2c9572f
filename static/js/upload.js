// The upload form: says how much was sent, keeps what was typed when something is wrong.
const form = document.querySelector("form[data-upload]");
const box = document.getElementById("upload-progress");
const bar = document.getElementById("upload-bar");
const said = document.getElementById("upload-said");
const problems = document.getElementById("upload-problems");
const send = form.querySelector("button[type='submit']");
const cancel = form.querySelector("[data-cancel]");

// Browsers leave a file's place in its folder out of the name that they send.
function collect() {
  const data = new FormData(form);
  const files = [];
  for (const name of ["results", "folder"]) {
    files.push(...form.elements.namedItem(name).files);
  }
  data.set("paths", JSON.stringify(files.map((file) => file.webkitRelativePath || file.name)));
  // The field that tells a whole body from one that was cut off has to come last.
  const last = form.querySelector("input[name='complete']");
  data.delete(last.name);
  data.append(last.name, last.value);
  return data;
}

function say(text) {
  if (said.textContent !== text) said.textContent = text;
}

function showProblems(lines) {
  const list = problems.querySelector("ul");
  list.replaceChildren(
    ...lines.map((line) => {
      const item = document.createElement("li");
      item.textContent = line;
      return item;
    }),
  );
  problems.hidden = lines.length === 0;
  if (lines.length) {
    problems.tabIndex = -1;
    problems.focus();
  }
}

function settle() {
  send.disabled = false;
  cancel.hidden = true;
}

function stop(lines) {
  box.hidden = true;
  settle();
  showProblems(lines);
}

function finish(request) {
  let answer = {};
  try {
    answer = JSON.parse(request.responseText);
  } catch {
    // An answer of something between us and the server; the sentence below is all there is to say.
  }
  if (request.status < 300 && answer.url) {
    location.assign(answer.url);
    return;
  }
  stop(answer.problems ?? [box.dataset.failed]);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  showProblems([]);
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  request.setRequestHeader("Accept", "application/json");
  let spoken = -1;
  request.upload.addEventListener("progress", (step) => {
    if (!step.lengthComputable) return;
    const percent = Math.floor((100 * step.loaded) / step.total);
    bar.value = percent;
    // A screen reader would otherwise be told a hundred numbers.
    const tenth = Math.floor(percent / 10);
    if (tenth !== spoken) {
      spoken = tenth;
      say(`${box.dataset.sending}: ${percent} %`);
    }
  });
  request.upload.addEventListener("load", () => {
    bar.removeAttribute("value");
    say(box.dataset.sent);
  });
  request.addEventListener("load", () => finish(request));
  request.addEventListener("error", () => stop([box.dataset.failed]));
  request.addEventListener("abort", () => stop([box.dataset.cancelled]));
  cancel.onclick = () => request.abort();
  cancel.hidden = false;
  send.disabled = true;
  box.hidden = false;
  bar.value = 0;
  say(`${box.dataset.sending}: 0 %`);
  request.send(collect());
});

// Coming back by the browser's history shows the page as it was left.
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  box.hidden = true;
  settle();
});
