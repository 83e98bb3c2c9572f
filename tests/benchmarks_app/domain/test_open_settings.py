"""Settings that no closed list names, over several runs."""

from benchmarks_app.contract import Fact, Load
from benchmarks_app.domain.comparability import Role, Verdict, barriers_between
from benchmarks_app.domain.open_settings import MOST_SETTINGS, compare_settings
from tests.benchmarks_app.domain.test_comparability import make_view


def test_every_stated_setting_is_equal_different_or_unknown() -> None:
    one = make_view(
        load=Load(extra={"n_threads": 1, "poll": 50}, n_ubatch=512),
        facts={"env.VLLM_USE_V1": Fact("1"), "server_param.dtype": Fact("auto")},
    )
    other = make_view(
        "b", load=Load(extra={"n_threads": 2, "poll": 50}), facts={"env.VLLM_USE_V1": Fact("0")}
    )
    found = {row.variable.name: row.verdict for row in compare_settings([one, other])}
    assert found == {
        "env.VLLM_USE_V1": Verdict.DIFFERENT,
        "server_param.dtype": Verdict.UNKNOWN,
        "setting.n_threads": Verdict.DIFFERENT,
        "setting.n_ubatch": Verdict.UNKNOWN,
        "setting.poll": Verdict.EQUAL,
    }


def test_a_setting_may_be_what_is_compared_and_no_setting_is_stated_twice() -> None:
    runs = [make_view(load=Load(extra={"n_threads": n})) for n in (1, 2)]
    rows = compare_settings(runs)
    assert [row.variable.role for row in rows] == [Role.EXPECTED]


def test_a_file_full_of_settings_does_not_fill_the_page() -> None:
    many = {f"s{n}": n for n in range(5_000)}
    runs = [make_view(load=Load(extra={**many, "z_last": n})) for n in (1, 2)]
    rows = compare_settings(runs)
    assert len(rows) == MOST_SETTINGS
    assert rows[0].variable.name == "setting.z_last"


def test_names_of_files_stand_in_only_where_no_run_has_an_identifier() -> None:
    left = make_view(facts={"model.file": Fact("a-Q4.gguf")})
    right = make_view("b", facts={"model.file": Fact("b-Q4.gguf")})
    codes = [one.code for one in barriers_between("request_throughput", left, right)]
    assert codes == ["model"]
    named = make_view("c", facts={"model.id": Fact("org/M"), "model.file": Fact("c.gguf")})
    assert barriers_between("request_throughput", left, named) == ()
