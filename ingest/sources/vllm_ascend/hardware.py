"""Products and software: the question list, the README's prerequisites, the installation page."""

import re
from dataclasses import replace

from ingest.contract import (
    Finding,
    FindingKind,
    Page,
    Reading,
    StatementStatus,
    UnexpectedPage,
    Vocabulary,
)
from ingest.reading.document import Item, Table, fold_label
from ingest.sources.collecting import FEATURE, Collector, Facet, facet_of, one_line
from ingest.sources.vllm_ascend.words import PRODUCTS, UNNAMED_YES, find_product, read_products
from matrix.domain.coordinates import Condition
from matrix.domain.levels import Axis, ConditionKind, Limit, Tier

_DEVICES = "devices are currently supported"
_ONLY = re.compile(r"\bONLY\b(.+?)\b(?:series\s+)?are supported", re.DOTALL)
_SERIES = re.compile(r"Atlas (A\d series|300I)\s*\(([\w-]*kernels[\w-]*)\)")
_LISTED = re.compile(r"^(\[Experimental\]\s*)?([^(（]+?)\s*(?:[(（](.+?)[)）])?\.?$")
_REFUSED = re.compile(r"^(.+?)\s*[(（][^()（）]*[)）]\s*(might be supported|unplanned)")
_METHODS = re.compile(
    r"((?:\bw\d+a\d+\b(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)?)+)\s*quantization", re.IGNORECASE
)
_TRANSFER = re.compile(r"supports Prefill-Decode Disaggregation feature with (Mooncake) backend")
_SINCE = re.compile(r"originally on v(\d+\.\d+\.\d+(?:rc\d+)?)")
_ADD_ON = "mindie-turbo"
_SCHEMES = {"w8a8": "int8-w8a8", "w4a8": "w4a8-dynamic", "w4a4": "int4-w4a4"}
_PIN = re.compile(
    r"\b(Python|CANN|PyTorch|torch[-_]npu|TorchNPU|Ascend HDK)\s*:?\s*"
    r"((?:[<>=]=?\s*[\w.+-]+)(?:\s*,\s*[<>=]=?\s*[\w.+-]+)*)"
)
_SPEC = re.compile(r"^[<>=]=?\s*[\w.+-]+(?:\s*,\s*[<>=]=?\s*[\w.+-]+)*$")
_KEYS = {"torch-npu": "torch-npu", "torchnpu": "torch-npu", "pytorch": "torch"}


def read_faq(page: Page, vocabulary: Vocabulary) -> Reading:
    """The device list with its refusals, and the schemes that a later question names."""
    collector = Collector(page, vocabulary)
    _read_headline(collector)
    refused_from = min(
        (t.line for t in page.document.paragraphs_under(_DEVICES) if "NOT supported" in t.text),
        default=None,
    )
    for item in page.document.items_under(_DEVICES):
        if refused_from is not None and item.line > refused_from:
            _read_refused(collector, item)
        else:
            _read_listed(collector, item)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='a list under "What devices are currently supported?"',
            nearest="; ".join(part.text for part in page.document.headings[:4]),
        )
    _read_methods(collector)
    _read_transfer(collector)
    return collector.reading()


def _read_headline(collector: Collector) -> None:
    """Add the series that the sentence above the list names."""
    for text in collector.document.paragraphs_under(_DEVICES):
        match = _ONLY.search(one_line(text.text))
        if not match:
            continue
        for series in _SERIES.finditer(match.group(1)):
            word = f"Atlas {series.group(1)}"
            finding = collector.at_line(text.line, series.group(0))
            slugs = PRODUCTS[fold_label(word)]
            status = StatementStatus.SUPPORTED
            if slugs == ("ascend-310p",):
                # The list below marks what it names of this series as experimental.
                status = StatementStatus.EXPERIMENTAL
            place = facet_of(Axis.HARDWARE, word, *slugs)
            collector.state("platform-series", [place], status, finding)


def _read_listed(collector: Collector, item: Item) -> None:
    """Add "Atlas A2 Training series (Atlas 800T A2, …)"; without a list the series stands."""
    match = _LISTED.match(one_line(item.text))
    finding = collector.at_line(item.line, item.text)
    series = match.group(2) if match else ""
    if not match or not find_product(collector, series):
        # A sentence about one release of another line is no statement about this one.
        collector.value(
            FindingKind.VALUE, f"device-remark/{fold_label(item.text)[:40]}", StatementStatus.VALUE,
            finding, value=one_line(item.text)[:80],
        )  # fmt: skip
        return
    words = [one_line(word) for word in re.split(r"[,、]", match.group(3) or "")]
    status = StatementStatus.EXPERIMENTAL if match.group(1) else StatementStatus.SUPPORTED
    for word in [word for word in words if word] or [series]:
        slugs = find_product(collector, word)
        if not slugs:
            collector.miss(Axis.HARDWARE, word, finding.locator)
        place = Facet(Axis.HARDWARE, word, frozenset(slugs))
        draft = replace(finding, names={"series": series})
        collector.state("platform", [place], status, draft)


def _read_refused(collector: Collector, item: Item) -> None:
    """Add products that the page refuses, some of them with an outlook."""
    text = one_line(item.text)
    match = _REFUSED.match(text)
    finding = collector.at_line(item.line, text)
    if not match:
        collector.miss("status", text[:60], finding.locator)
        return
    planned = match.group(2) == "might be supported"
    status = StatementStatus.PLANNED if planned else StatementStatus.UNSUPPORTED
    note = "an outlook without a promise" if planned else "not planned either"
    for word in re.split(r"[,、]\s*", match.group(1)):
        slugs = find_product(collector, word)
        if not slugs:
            collector.miss(Axis.HARDWARE, word, finding.locator)
        draft = replace(
            finding, note=note, limit=Limit.FRAMEWORK,
            tier=Tier.PLANNED if planned else Tier.OFFICIAL,
        )  # fmt: skip
        place = Facet(Axis.HARDWARE, word, frozenset(slugs))
        collector.state("platform", [place], status, draft)


def _read_methods(collector: Collector) -> None:
    """Add the schemes of "w8a8, w4a8, and w4a4 quantization methods are already supported"."""
    for text in collector.document.paragraphs_under("support quantization method"):
        flat = one_line(text.text)
        match = _METHODS.search(flat)
        if not match:
            continue
        since = _SINCE.search(flat)
        for word in re.findall(r"w\d+a\d+", match.group(1), re.IGNORECASE):
            finding = collector.at_line(text.line, match.group(0))
            finding = _date_method(collector, finding, since.group(1) if since else "", flat)
            slug = _SCHEMES.get(word.lower())
            if slug is None:
                collector.miss(Axis.QUANTIZATION, word, finding.locator)
            scheme = Facet(Axis.QUANTIZATION, word, frozenset({slug} if slug else ()))
            place = facet_of(Axis.HARDWARE, "Ascend NPU", *_supported_series(collector))
            collector.state(
                "quantization-hardware-faq", [scheme, place], StatementStatus.SUPPORTED, finding
            )


def _read_transfer(collector: Collector) -> None:
    """Add the connector by which prefill and decode are served apart."""
    for text in collector.document.paragraphs_under("Disaggregation feature"):
        match = _TRANSFER.search(one_line(text.text))
        if match:
            finding = collector.at_line(text.line, match.group(0))
            feature = facet_of(FEATURE, match.group(1), "mooncake-transfer")
            place = facet_of(Axis.HARDWARE, "Ascend NPU", *_supported_series(collector))
            collector.state(
                "feature-hardware-faq", [feature, place], StatementStatus.SUPPORTED, finding
            )


def _supported_series(collector: Collector) -> frozenset[str]:
    """The series that the same page calls supported, without those it calls experimental."""
    found: set[str] = set()
    for finding in collector.findings:
        series = finding.statement.startswith("platform-series/")
        if series and finding.status is StatementStatus.SUPPORTED and finding.scope is not None:
            found |= finding.scope.nodes[Axis.HARDWARE].include
    return frozenset(found or UNNAMED_YES)


def _date_method(collector: Collector, finding: Finding, since: str, said: str) -> Finding:
    """A method with the release it came with; releases before that need the older add-on."""
    early = collector.page.release.startswith("0.7.")
    if early and _ADD_ON in said:
        package = Condition(kind=ConditionKind.PACKAGE, name=_ADD_ON)
        return replace(finding, conditions=(package,), note="with the mindie-turbo add-on")
    return replace(finding, since=since)


def read_prerequisites(page: Page, vocabulary: Vocabulary) -> Reading:
    """The README's prerequisites: products, Python, CANN, PyTorch, torch_npu."""
    collector = Collector(page, vocabulary)
    for item in page.document.items_under("Prerequisites"):
        text = one_line(item.text)
        if text.startswith("Hardware:"):
            _read_hardware_line(collector, item)
        for name, spec in _PIN.findall(text):
            _state_pin(collector, collector.at_line(item.line, text), name, spec, "")
    if not any(found.kind is FindingKind.COMPATIBILITY for found in collector.findings):
        raise UnexpectedPage(
            path=page.path,
            expected='an item "Hardware: …" under "Prerequisites"',
            nearest="; ".join(part.text for part in page.document.headings[:6]),
        )
    return collector.reading()


def _read_hardware_line(collector: Collector, item: Item) -> None:
    """Add each product of "Hardware: Atlas 800I A2 Inference series, … (Experimental)"."""
    text = one_line(item.text).removeprefix("Hardware:")
    for part in text.split(","):
        word = one_line(part.replace("(Experimental)", ""))
        finding = collector.at_line(item.line, one_line(part))
        slugs = find_product(collector, word)
        if not slugs:
            collector.miss(Axis.HARDWARE, word, finding.locator)
        experimental = "(Experimental)" in part
        status = StatementStatus.EXPERIMENTAL if experimental else StatementStatus.SUPPORTED
        place = Facet(Axis.HARDWARE, word, frozenset(slugs))
        collector.state("platform-prerequisites", [place], status, finding)


def read_installation(page: Page, vocabulary: Vocabulary) -> Reading:
    """The software that each group of products needs, and the images built for them."""
    collector = Collector(page, vocabulary)
    for table in page.document.tables:
        if table.has_columns(("Software", "Supported version")):
            _read_software(collector, table)
        elif table.has_columns(("image name", "Hardware", "OS")):
            _read_images(collector, table)
    if not collector.findings:
        raise UnexpectedPage(
            path=page.path,
            expected='a table with the columns "Software" and "Supported version"',
            nearest="; ".join(", ".join(t.columns[:4]) for t in page.document.tables[:3]),
        )
    for item in page.document.items_under("Requirements"):
        for name, spec in _PIN.findall(one_line(item.text)):
            draft = collector.at_line(item.line, item.text)
            _state_pin(collector, draft, name, spec, _products_of(item.tabs))
    return collector.reading()


def _products_of(tabs: tuple[str, ...]) -> str:
    return tabs[-1] if tabs else ""


def _read_software(collector: Collector, table: Table) -> None:
    """Add the versions of one tab, and its products as supported where the tab names them."""
    products = _products_of(table.tabs)
    if products:
        _state_tab(collector, table, products)
    named, stated = table.column("Software"), table.column("Supported version")
    for cells in table.rows:
        name = one_line(cells[named].text)
        finding = collector.at_cell(table, cells[stated], row=name, column=table.columns[stated])
        spec = one_line(cells[stated].text)
        if fold_label(spec) == "not supported":
            collector.value(
                FindingKind.REQUIREMENT,
                f"requirement/{_key(name)}" + (f"/{fold_label(products)}" if products else ""),
                StatementStatus.NONE,
                replace(finding, names={_key(name): spec, "products": products}),
                value=spec,
            )
        else:
            _state_pin(collector, finding, name, spec, products)


def _state_tab(collector: Collector, table: Table, products: str) -> None:
    """Add that the page has instructions for the products of a tab."""
    found = read_products(collector, products)
    finding = collector.at_line(table.line, products)
    for word in found.unknown:
        collector.miss(Axis.HARDWARE, word, finding.locator)
    # What the page installs for the 310P the README and the question list call experimental.
    old = {"ascend-310p", "ascend-atlas-300i-duo"}
    for slug in found.stated:
        status = StatementStatus.EXPERIMENTAL if slug in old else StatementStatus.SUPPORTED
        place = facet_of(Axis.HARDWARE, products, slug)
        draft = replace(finding, note="the page has installation steps for it")
        collector.state("platform-installation", [place], status, draft)


def _key(name: str) -> str:
    plain = fold_label(name).replace(" / ", "-").replace(" ", "-")
    return _KEYS.get(plain, plain)


def _state_pin(collector: Collector, finding: Finding, name: str, spec: str, products: str) -> None:
    """Add a pin ("== 9.1.0"), a lower bound (">= 8.1") or a range (">= 3.10, < 3.13")."""
    key = _key(name)
    if not _SPEC.match(spec):
        status = StatementStatus.NOT_STATED
    elif "," in spec:
        status = StatementStatus.RANGE
    else:
        pinned = spec.startswith("==")
        status = StatementStatus.PINNED if pinned else StatementStatus.REQUIRES
    names = {"software": name, key: spec}
    if products:
        names["products"] = products
    collector.value(
        FindingKind.REQUIREMENT,
        f"requirement/{key}" + (f"/{fold_label(products)}" if products else ""),
        status,
        replace(finding, names=names),
        value=spec,
    )


def _read_images(collector: Collector, table: Table) -> None:
    """Add the images, each with the products and the operating system it is for."""
    order = [table.column(label) for label in ("image name", "Hardware", "OS")]
    for cells in table.rows:
        name, products, system = (one_line(cells[index].text) for index in order)
        finding = collector.at_cell(
            table, cells[order[0]], row=name, column=table.columns[order[0]]
        )
        slugs = find_product(collector, products)
        if not slugs:
            collector.miss(Axis.HARDWARE, products, finding.locator)
        collector.value(
            FindingKind.ARTEFACT,
            f"image/{name}",
            StatementStatus.PUBLISHED,
            replace(finding, names={"image": name, "hardware": products, "os": system}),
            value=_image_name(collector.page, name),
        )


def _image_name(page: Page, name: str) -> str:
    """The image with its registry; the placeholder of a released page stands for its release."""
    if page.version == f"v{page.release}":
        name = re.sub(r"\{\{\s*vllm_ascend_version\s*\}\}", page.version, name)
    return f"quay.io/ascend/{name}" if name.startswith("vllm-ascend:") else name
