// Draws the figures of a page. The table under each figure says the same, and stays open where this
// file or the plotting library does not run.
const LIGHT = ["#0b5cad", "#b3500b", "#1a7f4b", "#8a3fa0", "#a6212b", "#6b6300", "#00727d", "#4a4f57"];
const DARK = ["#7cb8f5", "#f2a65a", "#6fd39a", "#d59aec", "#ff8f8a", "#d9cc4a", "#5fd0da", "#b9c1cb"];
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash"];
const SYMBOLS = ["circle", "square", "diamond", "cross", "triangle-up", "x", "star", "hexagon"];
const root = document.documentElement;
const drawn = new Map();

// A token holds both schemes; only an element that uses it knows the present colour.
const probe = document.createElement("span");
probe.hidden = true;
document.body.append(probe);

function token(name) {
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

function isDark() {
  if (root.dataset.theme) return root.dataset.theme === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

// Many names stand beside a wide plot; under it they would take its height.
function legendOf(place) {
  if (place.closest(".crowded") && place.clientWidth > 900) return { orientation: "v", x: 1.02, y: 1 };
  return { orientation: "h", y: -0.25 };
}

function styled(figure, place) {
  const colours = isDark() ? DARK : LIGHT;
  const ink = token("--ink");
  const line = token("--line");
  const data = figure.data.map((trace) => {
    const slot = trace.meta?.slot ?? 0;
    const colour = colours[slot % colours.length];
    const round = Math.floor(slot / colours.length);
    const copy = { ...trace };
    copy.marker = { ...trace.marker, color: colour, symbol: SYMBOLS[(slot + round) % SYMBOLS.length] };
    if (trace.type === "bar") {
      const shape = ["", "/", "x", "\\", "+", ".", "-", "|"][slot % 8];
      copy.marker = { color: colour, line: { color: ink, width: 0.5 }, pattern: { shape, solidity: 0.25 } };
    } else {
      copy.line = { width: 2, ...trace.line, color: colour, dash: DASHES[(slot + round) % DASHES.length] };
    }
    return copy;
  });
  const axis = { gridcolor: line, zerolinecolor: line, linecolor: line, automargin: true };
  const layout = {
    margin: { t: 16, r: 16, b: 48, l: 56 },
    hovermode: "closest",
    transition: { duration: 0 },
    ...figure.layout,
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: ink, size: 12, family: getComputedStyle(document.body).fontFamily },
    hoverlabel: { bgcolor: token("--raised"), bordercolor: line, font: { color: ink } },
    legend: { ...legendOf(place), ...figure.layout.legend },
  };
  for (const [name, given] of Object.entries(figure.layout)) {
    if (/^[xy]axis\d*$/.test(name)) layout[name] = { ...axis, ...given };
  }
  return { data, layout };
}

const SETTINGS = { displayModeBar: false, responsive: true, showTips: false };

// The library's map view, which no figure uses, writes its style into the page unless an element of
// this name is there already; our content policy would refuse that style.
const MAP_STYLE = "9f215cf04c5486422605d13261cb87401f4e7763b6296af81e98efbc0130da53";

let library = null;
function plotly() {
  if (window.Plotly) return Promise.resolve(window.Plotly);
  if (!document.getElementById(MAP_STYLE)) {
    const stand = document.createElement("template");
    stand.id = MAP_STYLE;
    document.head.append(stand);
  }
  library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = document.querySelector("[data-plotly]").dataset.plotly;
    script.addEventListener("load", () => resolve(window.Plotly));
    script.addEventListener("error", reject);
    document.head.append(script);
  });
  return library;
}

async function draw(place) {
  if (drawn.has(place)) return;
  const figure = JSON.parse(document.getElementById(place.dataset.plot).textContent);
  drawn.set(place, figure);
  const Plotly = await plotly();
  place.hidden = false;
  const { data, layout } = styled(figure, place);
  await Plotly.newPlot(place, data, layout, SETTINGS);
  place.dataset.drawn = "";
  place.closest("figure")?.querySelector("details[data-plot-table]")?.removeAttribute("open");
}

function repaint() {
  for (const [place, figure] of drawn) {
    if (!("drawn" in place.dataset)) continue;
    const { data, layout } = styled(figure, place);
    window.Plotly.react(place, data, layout, SETTINGS);
  }
}

const places = document.querySelectorAll("[data-plot]");
if (places.length) {
  // The figure is looked at, because a hidden place is nowhere.
  const watch = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        watch.unobserve(entry.target);
        draw(entry.target.querySelector("[data-plot]"));
      }
    },
    { rootMargin: "400px" },
  );
  for (const place of places) watch.observe(place.closest("figure"));
  new MutationObserver(repaint).observe(root, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
}

for (const button of document.querySelectorAll("button[data-copy-text]")) {
  const source = document.getElementById(button.dataset.copyText);
  if (!source || !navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = button.dataset.done;
  });
}
