"""The glossary of the about pages: the terms of docs/glossary.md, translatable."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

TERMS: tuple[tuple[Promise, Promise], ...] = (
    (_("framework"), _("An inference engine, one of its plug-ins or forks.")),
    (_("release"), _("A published version on a release line (stable, rc, nightly, …).")),
    (
        _("latest"),
        _(
            "The newest stable release on the asked day; a post release counts, a "
            "withdrawn one does not."
        ),
    ),
    (_("backend"), _("The compute back end inside a framework: CUDA, ROCm, Metal, Vulkan, …")),
    (
        _("hardware"),
        _("One device type, or its architecture, family or vendor; the number is separate."),
    ),
    (_("model"), _("A published checkpoint, a family, or an architecture class.")),
    (_("quantization"), _("The numeric scheme of weights, activations or KV cache.")),
    (_("container"), _("The file format that carries the scheme.")),
    (
        _("feature"),
        _(
            "Something a framework does beside running a model: LoRA, prefix caching, "
            "speculative decoding."
        ),
    ),
    (_("node"), _("One entry of a catalogue tree; it covers what lies below it.")),
    (
        _("aside"),
        _(
            "A node that is a way of doing its parent, such as a kernel of a scheme: it "
            "hears its parent and does not speak for it."
        ),
    ),
    (_("split"), _("A word for several nodes: it covers all of them, or means one of them.")),
    (
        _("cell"),
        _("One question: a framework release with model, quantization, hardware and features."),
    ),
    (_("scope"), _("The set of cells that a statement speaks about.")),
    (
        _("coverage"),
        _("Whether a scope covers a cell: yes, no, or depends where the cell leaves an axis open."),
    ),
    (_("claim"), _("One dated statement of one source about a scope; never edited.")),
    (_("evidence"), _("What a claim rests on: document, place in it, day, and what stood there.")),
    (_("observation"), _("One document that says the claim's statement at one release.")),
    (_("locator"), _("The place in a document: heading, table, row, column, line, path.")),
    (_("gate"), _("A check in source code by a number, such as a least compute capability.")),
    (
        _("condition"),
        _("What must hold besides: a flag, variable, build option, driver, package, with a value."),
    ),
    (_("level"), _("Supported, conditional, partial, unsupported, unknown.")),
    (
        _("execution"),
        _("How a scheme runs: native, weight-only, emulated, on the CPU, silently ignored."),
    ),
    (
        _("tier"),
        _(
            "How far a project stands behind it: official, unofficial, experimental, "
            "deprecated, planned."
        ),
    ),
    (_("leg"), _("One of the things that must be stated before a cell is supported.")),
    (_("verdict"), _("The computed answer for a cell on a day.")),
    (_("as of"), _("The asked day: only evidence stated by then counts.")),
    (_("stated on"), _("The day that a document speaks for.")),
    (_("retrieved at"), _("When the bytes of a document were taken.")),
    (
        _("recorded at, known at"),
        _("When a claim was written down here, and the question of what stood here on a day."),
    ),
    (_("carried forward"), _("Said at an earlier release and not read since.")),
    (_("stale"), _("Carried forward for too long to answer.")),
    (_("inherited"), _("Taken by a plug-in from the upstream release it names.")),
    (
        _("maintenance status"),
        _(
            "Active, maintenance mode, deprecated, archived, unknown; over a span of "
            "days, with evidence."
        ),
    ),
    (
        _("feed, snapshot, finding"),
        _("A page that is watched, its bytes as kept, and a candidate for a claim read from them."),
    ),
    (
        _("placement"),
        _(
            "The release at which a page without a tag is counted as observed, and how "
            "that is known."
        ),
    ),
    (
        _("review item"),
        _(
            "A question to a curator: a statement added, changed or gone, a drift alarm, "
            "an unknown word."
        ),
    ),
    (
        _("held, quarantined"),
        _(
            "A page of which some statements wait for review; a page of which nothing "
            "counts until then."
        ),
    ),
    (_("curated alias"), _("A word of a source that a curator made a name of a node.")),
    (
        _("freshness"),
        _(
            "How long ago feeds were polled and claims were observed; shipped is never "
            "called polled."
        ),
    ),
    (
        _("due for a re-check"),
        _(
            "Nobody repeated the claim within 90 days, and it neither ended nor holds "
            "“from this release on”."
        ),
    ),
    (_("delivery"), _("One message of a webhook on its way, tried until it is taken or given up.")),
    (
        _("knowledge revision"),
        _("A counter that every write of knowledge raises; a verdict names the one it rests on."),
    ),
    (_("run"), _("One execution of a benchmark, with workload, machine, software and outcome.")),
    (_("TTFT"), _("Time from sending a request to its first output token, in milliseconds.")),
    (
        _("TPOT"),
        _(
            "Of one request: the time after its first token, per further token, in "
            "milliseconds; undefined for one token."
        ),
    ),
    (_("ITL"), _("Gaps between streamed pieces, over all requests, in milliseconds.")),
    (_("E2EL"), _("Time from sending a request to its last token, in milliseconds.")),
    (
        _("throughput"),
        _(
            "Requests, output tokens or all tokens per second; always with the word that "
            "says which."
        ),
    ),
    (_("goodput"), _("Requests per second that met every stated objective.")),
    (_("ISL, OSL"), _("Tokens in and out of a request.")),
    (
        _("concurrency, request rate"),
        _("Requests in flight at once, and requests arriving per second."),
    ),
    (_("peak VRAM"), _("The most memory used on one device; allocated, reserved or used is said.")),
    (_("cold start"), _("Seconds from starting the process to the first token served.")),
    (_("OOM"), _("A run or request that failed for lack of device memory: an outcome.")),
    (
        _("TP, PP, EP, DP"),
        _("In how many parts tensors, layers, experts or requests are spread over devices."),
    ),
    (_("P50, P95, P99"), _("Percentiles of a stated sample, with the method kept.")),
    (_("dossier"), _("The dated and frozen evidence of one decision.")),
    (
        _("workload, environment, measurement"),
        _(
            "The load of a run as it was defined; machine, driver, software and build "
            "options it ran on; one value of a metric."
        ),
    ),
    (
        _("memory fit"),
        _(
            "Whether an estimate of weights, KV cache, buffers and runtime stays below "
            "the memory of the fullest device, and with what headroom."
        ),
    ),
    (
        _("price"),
        _(
            "What an offer of hardware costs from a day on, with its source; withdrawn, "
            "never edited."
        ),
    ),
    (
        _("cost per million tokens"),
        _(
            "The price of the devices over the output tokens that runs reached within "
            "the objectives."
        ),
    ),
    (
        _("need, candidate, criterion"),
        _(
            "What a decision is for; one of the stacks that are compared; what they are "
            "judged by, as a knock-out or with a weight."
        ),
    ),
    (
        _("sign-off, dissent, waiver"),
        _(
            "A person stands behind a frozen dossier, or stands against it with a "
            "reason; a missed criterion that is accepted until a day."
        ),
    ),
)
