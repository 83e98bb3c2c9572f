"""How long the server takes for each page on the shipped knowledge. Target: 300 ms at most.

`python -m tests.performance.measure_pages [ADDRESS…]` asks each address once to warm what is kept
per revision, then in rounds over all of them, so that a busy moment of the machine hits every page
alike. It reads the database that the settings name, as `make run` leaves it, and writes nothing.
"""

import os
import statistics
import sys
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "matrix.site.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.test import Client  # noqa: E402

ROUNDS = 7
TARGET_MS = 300.0
PAGES = (
    "/",
    "/check/",
    "/check/?model=Qwen/Qwen3-32B-AWQ&hardware=nvidia-t4&count=2&context_tokens=8192",
    "/check/?model=Qwen/Qwen3-32B-AWQ&hardware=nvidia-t4&count=2&context_tokens=8192&framework=vllm",
    "/check/?model=meta-llama/Llama-3.1-70B-Instruct&quantization=fp8&hardware=nvidia-h100-sxm"
    "&count=4&context_tokens=8192&concurrency=64&ttft_ms=500",
    "/check/stack/",
    "/matrix/",
    "/matrix/?framework=vllm&rows=quantization&columns=hardware",
    "/matrix/?framework=llama.cpp&rows=model&columns=quantization",
    "/cells/?framework=vllm&version=0.11.0&quantization=awq&hardware=turing",
    "/cells/?framework=sglang&model=deepseek-v3&hardware=nvidia-h200",
    "/frameworks/",
    "/frameworks/vllm/",
    "/frameworks/vllm/releases/0.11.0/",
    "/frameworks/vllm/support/",
    "/features/",
    "/features/attention-kernels/",
    "/features/tensorrt-llm-model-paths/",
    "/memory/",
    "/memory/?model=qwen--qwen3-32b&quantization=awq&framework=vllm&hardware=nvidia-t4&count=2"
    "&context_tokens=8192",
    "/memory/accuracy/",
    "/benchmarks/",
    "/benchmarks/history/",
    "/dossiers/",
    "/changes/",
    "/accelerators/domestic/",
    "/freshness/",
    "/prices/",
    "/about/",
    "/about/components/",
    "/api/v1/",
    "/api/v1/verdicts/?framework=vllm&quantization=awq&hardware=turing",
    "/api/v1/checks/?model=Qwen/Qwen3-32B-AWQ&hardware=nvidia-t4&count=2",
)


def main() -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    settings.SECURE_SSL_REDIRECT = False
    # Hashed names need collectstatic first; plain ones cost the server no less.
    settings.STORAGES["staticfiles"] = {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
    }
    client = Client()
    pages = list(sys.argv[1:] or PAGES)
    first: dict[str, float] = {}
    wrong: dict[str, int] = {}
    for page in pages:
        begun = time.perf_counter()
        status = client.get(page).status_code
        first[page] = (time.perf_counter() - begun) * 1_000
        if status != 200:
            wrong[page] = status
    wall: dict[str, list[float]] = {page: [] for page in pages}
    used: dict[str, list[float]] = {page: [] for page in pages}
    for _round in range(ROUNDS):
        for page in pages:
            begun, processor = time.perf_counter(), time.process_time()
            client.get(page)
            wall[page].append((time.perf_counter() - begun) * 1_000)
            used[page].append((time.process_time() - processor) * 1_000)
    print("median  least  processor  first, in ms")
    for page in sorted(pages, key=lambda one: -statistics.median(wall[one])):
        middle, least = statistics.median(wall[page]), min(wall[page])
        mark = "" if middle <= TARGET_MS else "  OVER"
        print(f"{middle:6.0f} {least:6.0f} {statistics.median(used[page]):10.0f}"
              f" {first[page]:6.0f}  {page}{mark}")  # fmt: skip
    for page, status in wrong.items():
        print(f"{status} for {page}")
    over = sum(statistics.median(times) > TARGET_MS for times in wall.values())
    print(f"{len(pages)} pages, {over} over {TARGET_MS:.0f} ms, {len(wrong)} not found or refused")


if __name__ == "__main__":
    main()
