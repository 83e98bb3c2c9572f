"""Pasted terminal text: what names secrets, people and machines goes, what names versions stays."""

import time

import pytest

from matrix.domain.redaction import Hidden, mask_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HF_TOKEN=hf_" + "a" * 34, "HF_TOKEN=‹secret›"),
        ("export OPENAI_API_KEY='sk-" + "b" * 40 + "'", "export OPENAI_API_KEY='‹secret›'"),
        ("--api-key supersecret --port 8000", "--api-key ‹secret› --port 8000"),
        ("--api-key=supersecret", "--api-key=‹secret›"),
        ('"password": "hunter2",', '"password": ‹secret›,'),
        ("AWS_SECRET_ACCESS_KEY: abc/def+ghi", "AWS_SECRET_ACCESS_KEY: ‹secret›"),
        ("Authorization: Bearer abcdefghijkl", "Authorization: Bearer ‹secret›"),
        ("ghp_" + "A1" * 18, "‹secret›"),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.c2ln", "‹secret›"),
        ("git clone https://ada:pw@git.example.org/x", "git clone https://‹secret›@git.example.org/x"),
        ("a\n-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nb",
         "a\n‹secret›\nb"),
        ("-----BEGIN PRIVATE KEY-----\nMII cut", "‹secret›"),
        ("ada@gpu-node-3:~$ nvidia-smi", "‹user›@‹host›:~$ nvidia-smi"),
        ("mail ada.l@example.org now", "mail ‹mail› now"),
        ("/home/ada/.cache/huggingface", "/home/‹user›/.cache/huggingface"),
        # Desktops mount a person's disks under the person's name.
        ("/media/ada/disk /run/media/ada/x", "/media/‹user›/disk /run/media/‹user›/x"),
        ("/Users/ada/models", "/Users/‹user›/models"),
        (r"C:\Users\Ada\models", r"C:\Users\‹user›\models"),
        ("USER=ada HOME=/root", "USER=‹user› HOME=/root"),
        ("Hostname: gpu-node-3", "Hostname: ‹host›"),
        ("Linux gpu-node-3 5.15.0-91-generic x86_64", "Linux ‹host› 5.15.0-91-generic x86_64"),
        ("head.cluster.internal is up", "‹host› is up"),
        ("tcp://10.1.2.3:8000", "tcp://‹address›"),
        ("inet 192.168.0.12/24", "inet ‹address›/24"),
        ("inet6 fe80::1ff:fe23:4567:890a scope", "inet6 ‹address› scope"),
        ("ether 3c:ec:ef:aa:bb:cc txq", "ether ‹address› txq"),
        ("GPU 0: H100 (UUID: GPU-1b2c3d4e-1111-2222-3333-1234567890ab)",
         "GPU 0: H100 (UUID: ‹device›)"),
        ("Serial Number: 1654923012345", "Serial Number: ‹device›"),
    ],
)  # fmt: skip
def test_what_must_not_be_shown_is_masked(text: str, expected: str) -> None:
    assert mask_text(text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve Qwen/Qwen3-32B-AWQ --max-num-batched-tokens 8192 --max-model-len 32768",
        "--tokenizer mistral --served-model-name a",
        "max_tokens: 128, prompt_tokens=12, eos_token_id=2",
        "nvidia-cudnn-cu12==9.1.0.70",
        "cuDNN version: 9.1.0.70",
        "Driver Version: 550.54.15    CUDA Version: 12.4",
        "torch 2.6.0+cu124 on 127.0.0.1:8000 and 0.0.0.0:9000",
        "image vllm/vllm-openai@sha256:" + "ab" * 32,
        "the secret of speed is memory bandwidth",
        "|   0  NVIDIA H100 80GB HBM3   On  | 00000000:18:00.0 Off |",
        "2025-05-02 10:11:12 INFO tokens per second: 1234.5",
        "api_key: None",
        "https://github.com/vllm-project/vllm/issues/17000#issuecomment-1",
        "12:30:45 std::vector a::b",
    ],
)
def test_what_names_versions_and_settings_stays(text: str) -> None:
    masked = mask_text(text)
    assert masked.text == text
    assert masked.hidden == {}


def test_masking_twice_changes_nothing() -> None:
    text = "USER=ada ada@node:~$ HF_TOKEN=hf_" + "a" * 34 + " 10.0.0.1 /home/ada/x password=abc"
    once = mask_text(text)
    again = mask_text(once.text)
    assert again.text == once.text
    assert again.hidden == {}


def test_what_was_hidden_is_counted_by_kind() -> None:
    hidden = mask_text("10.1.2.3 10.1.2.4 password=abc /home/ada/x").hidden
    assert hidden == {Hidden.ADDRESS: 2, Hidden.SECRET: 1, Hidden.USER: 1}


def test_a_long_text_is_masked_in_reasonable_time() -> None:
    hostile = "a" * 20_000 + "token" * 4_000 + ":" * 20_000 + "1." * 10_000
    assert mask_text(hostile).text


@pytest.mark.parametrize(
    "word",
    [
        "token-",
        "a.",
        "a-",
        "eyJaaaaaaaa-",
        "eyJaaaaaaaa.",
        "http://a:",
        "a@a.a.",
        "ab:",
        "-----BEGIN A ",
    ],
)
def test_a_hostile_text_takes_no_longer_than_any_other(word: str) -> None:
    started = time.process_time()
    mask_text(word * (60_000 // len(word)))
    assert time.process_time() - started < 5.0


@pytest.mark.parametrize(
    "text", ["x api_key=XYZ", "a token: XYZ", "...http://me:XYZ@host/", "--my.secret XYZ"]
)
def test_a_secret_is_found_whatever_stands_before_it(text: str) -> None:
    assert "XYZ" not in mask_text(text).text
