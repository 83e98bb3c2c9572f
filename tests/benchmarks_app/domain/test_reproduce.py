"""Commands that would repeat a run."""

import shlex

import pytest

from benchmarks_app.contract import Fact, Load
from benchmarks_app.domain.client_commands import placeholder
from benchmarks_app.domain.levels import LoadMode
from benchmarks_app.domain.reproduce import Reproduction, reproduce

DIGEST = "sha256:" + "ab" * 32


def facts(**values: object) -> dict[str, Fact]:
    return {name.replace("__", "."): Fact(value) for name, value in values.items()}  # type: ignore[arg-type]


def test_a_serving_run_of_which_all_is_known_gives_three_blocks() -> None:
    found = reproduce(
        facts(
            framework__name="vLLM", framework__arguments="--max-model-len 8192",
            model__id="org/model", model__revision="abc123", parallelism__tp=2,
            container__image="vllm/vllm-openai:v0.9.1", container__digest=DIGEST,
            env__VLLM_USE_V1="1", load__dataset="random", client__backend="vllm",
        ),
        Load(
            mode=LoadMode.CLOSED_LOOP, request_rate_unbounded=True, max_concurrency=16,
            num_prompts=200, isl_target=1024.0, osl_target=128.0, ignore_eos=True,
        ),
        tool="vllm",
    )  # fmt: skip
    assert found == Reproduction(
        environment=f"docker pull vllm/vllm-openai:v0.9.1@{DIGEST}\nexport VLLM_USE_V1=1",
        server="vllm serve org/model --revision abc123 --tensor-parallel-size 2 "
        "--max-model-len 8192",
        client="vllm bench serve --backend vllm --model org/model --dataset-name random "
        "--random-input-len 1024 --random-output-len 128 --num-prompts 200 --request-rate inf "
        "--max-concurrency 16 --ignore-eos",
        recorded=False,
        unknown=(),
    )
    assert found.text.startswith("# environment\ndocker pull")


def test_what_nobody_knows_stands_as_a_quoted_placeholder() -> None:
    found = reproduce(facts(framework__name="vllm"), Load(), tool="vllm")
    assert found.unknown == (
        "model", "dataset", "number of requests", "request rate", "model revision",
        "server arguments",
    )  # fmt: skip
    assert f"--model '{placeholder('model')}'" in found.client
    assert "--revision '<model revision: not captured>'" in found.server
    assert "<model: not captured>" in shlex.split(found.client)


def test_the_command_that_the_run_states_is_given_as_it_was() -> None:
    command = "vllm bench serve \\\n  --model org/a   --metadata 'a b'"
    found = reproduce({}, Load(), tool="vllm", command=command)
    assert found.client == "vllm bench serve --model org/a --metadata 'a b'"
    assert found.recorded


def test_llama_bench_takes_its_settings_and_no_server() -> None:
    found = reproduce(
        facts(framework__name="llama.cpp", model__file="m-Q4_K_M.gguf", kv_cache__type_k="q8_0"),
        Load(mode=LoadMode.MICROBENCH, n_prompt=512, n_gen=0, n_gpu_layers=99,
             extra={"n_threads": 8, "flash_attn": "on"}),
        tool="llama_bench",
    )  # fmt: skip
    assert found.client == (
        "llama-bench -m m-Q4_K_M.gguf -p 512 -n 0 -ngl 99 -t 8 -fa 1 -ctk q8_0 -o jsonl"
    )
    assert (found.server, found.environment) == ("", "")


def test_a_tool_whose_options_are_not_known_gets_no_invented_command() -> None:
    assert reproduce(facts(model__id="a"), Load(), tool="mlperf").client == ""
    newer = reproduce(facts(tool__version="0.8.1"), Load(max_concurrency=4), tool="guidellm")
    assert newer.client == ""


def test_an_image_without_digest_says_so() -> None:
    found = reproduce(facts(container__image="a/b:1"), Load(), tool="")
    assert found.environment == "docker pull a/b:1  # <container digest: not captured>"
    assert found.unknown == ("container digest",)


def test_a_fact_stated_as_not_captured_is_unknown() -> None:
    found = reproduce(facts(model__id="Not captured"), Load(), tool="sglang")
    assert "captured" not in found.client.replace(": not captured>", "")


@pytest.mark.parametrize(
    "evil", ["a; rm -rf ~", "$(id)", "`id`", "a\nrm b", "a' b", "a\x1b[2J", "--flag\r\nid"]
)
def test_values_can_never_run_as_commands(evil: str) -> None:
    found = reproduce(
        facts(
            framework__name="vllm", model__id=evil, model__revision=evil, framework__arguments=evil,
            container__image=evil, env__A=evil, server_param__x=evil, load__dataset=evil,
        ),
        Load(),
        tool="vllm",
    )  # fmt: skip
    for line in filter(None, found.text.split("\n")):
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = list(lexer)
        assert not any(set(word) <= set(";|&()<>\n") for word in words if word)
        assert line.split()[0] in ("#", "docker", "export", "vllm")
        assert line.isprintable()
    assert "$(" not in found.text.replace("'$(id)'", "")


def test_secrets_and_hosts_are_masked_in_commands_and_variables() -> None:
    secret = "hf_" + "a" * 30
    found = reproduce(
        facts(
            env__HF_TOKEN="plainsecret1",
            env__URL="http://u:p4ss@10.1.2.3:80",
            env__V="https://gpu7.example.com/v1",
        ),
        Load(),
        tool="vllm",
        command=f"bench --api-key sk12345678 --host 10.20.30.40 --token={secret}",
    )
    for word in ("plainsecret1", "p4ss", "gpu7", "10.1.2.3", "sk12345678", "10.20.30.40", secret):
        assert word not in found.text


def test_names_of_variables_that_are_none_are_left_out() -> None:
    assert reproduce({"env.A;id": Fact("1")}, Load(), tool="").environment == ""


def test_a_parameter_that_is_off_is_named_not_guessed() -> None:
    found = reproduce(
        facts(framework__name="vllm", server_param__enable_x=True, server_param__y=False),
        Load(),
        tool="vllm",
    )
    assert "--enable-x" in found.server
    assert "--y" not in found.server
    assert "server parameter y" in found.unknown
