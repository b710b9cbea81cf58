"""Long jobs go on where they stopped: what is run again and what is not; what a script depends on."""

import json
import sys
from importlib import import_module
from pathlib import Path

import pytest
from tests.cases.benchmark_scripts import BENCHMARKS, importable


@pytest.fixture(scope="module", autouse=True)
def scripts():
    with importable(BENCHMARKS):
        yield


@pytest.fixture(scope="module")
def loaded(scripts):
    return import_module("loaded")


@pytest.fixture(scope="module")
def parts(scripts):
    return import_module("parts")


class Job:
    """Three parts that each note that they were run and leave a file; the second may be told to fail."""

    def __init__(self, parts, folder):
        self.parts, self.folder, self.state = parts, folder, folder / "state"
        self.said: list[str] = []
        self.source = {name: folder / f"{name}.py" for name in "abc"}
        for name in "abc":
            self.source[name].write_text(self.script(name), encoding="utf-8")

    def script(self, name, code=0, leaves=True):
        note = f"open({str(self.folder / 'runs')!r}, 'a').write({name!r})"
        left = f"open({str(self.left(name))!r}, 'w').write('result')" if leaves else ""
        return f"{note}\n{left}\nraise SystemExit({code})\n"

    def left(self, name):
        return self.folder / f"{name}.out"

    def run(self, versions="1", fresh=False, finished=frozenset({0})):
        made = [
            self.parts.Part(
                name, (sys.executable, str(source)), (self.left(name),), self.folder, finished=finished
            )
            for name, source in self.source.items()
        ]
        return self.parts.run_parts(made, self.state, versions=versions, fresh=fresh, say=self.said.append)

    def runs(self):
        """Parts run since the last question, in order."""
        noted = self.folder / "runs"
        found = noted.read_text(encoding="utf-8") if noted.exists() else ""
        noted.unlink(missing_ok=True)
        return found


@pytest.fixture
def job(parts, tmp_path):
    return Job(parts, tmp_path)


def test_what_is_finished_is_not_run_again(job):
    assert [one.fresh for one in job.run()] == [True] * 3
    assert job.runs() == "abc"
    assert [one.fresh for one in job.run()] == [False] * 3
    assert job.runs() == ""
    assert job.said[-1].startswith("[3/3] c: up to date")


def test_a_changed_source_runs_its_part_alone(job):
    job.run()
    job.runs()
    job.source["b"].write_text(job.script("b") + "# changed\n", encoding="utf-8")
    job.run()
    assert job.runs() == "b"


def test_only_contents_count_not_times(job):
    job.run()
    job.runs()
    for source in job.source.values():
        source.touch()
    job.run()
    assert job.runs() == ""


def test_fresh_runs_all_and_so_do_other_versions(job):
    job.run()
    job.run(fresh=True)
    assert job.runs() == "abcabc"
    job.run(versions="2")
    assert job.runs() == "abc"


def test_a_result_that_is_gone_is_made_again(job):
    job.run()
    job.runs()
    job.left("c").unlink()
    job.run()
    assert job.runs() == "c"


def test_a_failure_does_not_stop_the_others_and_is_tried_again(job):
    job.source["b"].write_text(job.script("b", code=3), encoding="utf-8")
    outcome = job.run()
    assert [one.finished for one in outcome] == [True, False, True]
    assert job.runs() == "abc"
    assert any("b: FAILED (exit code 3)" in line for line in job.said)
    job.run()
    assert job.runs() == "b"


def test_a_part_that_leaves_nothing_has_not_finished(job):
    job.source["a"].write_text(job.script("a", leaves=False), encoding="utf-8")
    assert not job.run()[0].finished


def test_an_expectation_that_did_not_come_out_is_finished_work_and_remembered(job):
    job.source["a"].write_text(job.script("a", code=1), encoding="utf-8")
    both = frozenset({0, 1})
    assert [one.code for one in job.run(finished=both)] == [1, 0, 0]
    again = job.run(finished=both)
    assert [(one.code, one.fresh) for one in again] == [(1, False), (0, False), (0, False)]


def test_stopped_in_the_middle_it_goes_on_there(job, parts, monkeypatch):
    run, count = parts._run, []

    def stopped(part, *others):
        count.append(part.name)
        if len(count) == 2:
            raise KeyboardInterrupt
        return run(part, *others)

    monkeypatch.setattr(parts, "_run", stopped)
    with pytest.raises(KeyboardInterrupt):
        job.run()
    monkeypatch.setattr(parts, "_run", run)
    assert job.runs() == "a"
    job.run()
    assert job.runs() == "bc"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"code": "x"}', '{"mark": 1, "code": 0}'])
def test_a_spoiled_record_counts_as_none(job, text):
    job.run()
    job.runs()
    (job.state / "a.json").write_text(text, encoding="utf-8")
    job.run()
    assert job.runs() == "a"


def test_records_are_whole_and_progress_is_told(job):
    job.run()
    names = sorted(path.name for path in job.state.iterdir())
    assert names == ["a.json", "b.json", "c.json"]
    assert json.loads((job.state / "b.json").read_text(encoding="utf-8"))["command"][1].endswith("b.py")
    assert job.said[0] == "[1/3] a: running, 0:00:00 so far"
    assert all(line.startswith(f"[{number // 2 + 1}/3]") for number, line in enumerate(job.said))


def test_a_file_is_put_whole(parts, tmp_path):
    parts.put(tmp_path / "new" / "page.md", "one")
    parts.put(tmp_path / "new" / "page.md", "two")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["page.md"]
    assert (tmp_path / "new" / "page.md").read_text(encoding="utf-8") == "two"


def test_what_a_part_imports_counts_and_nothing_else(job):
    package = job.folder / "package"
    package.mkdir()
    for name in ("__init__", "used", "late", "child", "other"):
        (package / f"{name}.py").write_text("", encoding="utf-8")
    # One import at the top, one within a function, one in a process of its own that is killed before it ends.
    killed = "import os, package.child; os.kill(os.getpid(), 9)"
    job.source["b"].write_text(
        "import subprocess, sys, package.used\n"
        f"def f():\n    import package.late\nf()\nsubprocess.run([sys.executable, '-c', {killed!r}])\n"
        + job.script("b"),
        encoding="utf-8",
    )
    job.run()
    assert job.runs() == "abc"
    stored = json.loads((job.state / "b.json").read_text(encoding="utf-8"))
    counting = ["__init__", "child", "late", "used"]
    assert stored["files"] == ["b.py", *(f"package/{name}.py" for name in counting)]
    for name in counting:
        (package / f"{name}.py").write_text("# changed\n", encoding="utf-8")
        job.run()
        assert job.runs() == "b", name
    (package / "other.py").write_text("# changed\n", encoding="utf-8")
    job.run()
    assert job.runs() == ""


def test_a_checkout_elsewhere_has_the_same_fingerprint(loaded, tmp_path):
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text("x = 1", encoding="utf-8")
    marks = {loaded.fingerprint(root, ["a.py"], f"{root}/a.py", "1") for root in tmp_path.iterdir()}
    assert len(marks) == 1
    assert None not in marks
    assert loaded.fingerprint(tmp_path / "here", ["a.py"], "a.py", "1") not in marks
    assert loaded.fingerprint(tmp_path / "here", ["b.py"]) is None


def test_every_experiment_and_benchmark_is_a_part():
    from sudare.experiments.catalogue import EXPERIMENTS

    experiments = import_module("experiments")
    made = experiments.parts_of(experiments.EVIDENCE)
    assert [part.name for part in made] == list(EXPERIMENTS)
    scripts = {Path(part.command[1]).stem for part in import_module("all").parts_of()}
    runnable = {
        path.stem
        for path in BENCHMARKS.glob("*.py")
        if "report.save()" in path.read_text(encoding="utf-8") and path.stem != "harness"
    }
    assert scripts == runnable


def test_the_table_of_ratios():
    table = import_module("table")
    result = {
        "about": "What it is.\n\nMore.", "command": "python benchmarks/one.py", "seconds": 3.0, "started": 0.0,
        "load_before": [0.5], "load_after": [1.0], "machine": {"processor": "X"}, "versions": {"python": "3"},
        "ratios": [
            {"what": "rival | Sudare", "over": 30.0, "under": 2.0, "ratio": 15.0, "goal": "tens", "why": "Unused."},
            {"what": "a second / Sudare", "over": 1.0, "under": 2.0, "ratio": 0.5, "goal": "above 1", "why": "Slow."},
            {"what": "of an older run", "over": 1.0, "under": 2.0, "ratio": 0.5, "goal": "above 1"},
            {"what": "no goal", "over": 1.0, "under": 2.0, "ratio": 0.5, "goal": "", "why": "Unused."},
            {"what": "much slower", "over": 0.5, "under": 180.0, "ratio": 0.5 / 180.0, "goal": ""},
        ],
        "tables": [{"title": "T", "columns": ["", "s"], "rows": [["a<b", "1"]]}], "notes": ["Said."],
    }  # fmt: skip
    page = table.page_of({"one": result}, ["one"], ["two"])
    assert "| **[one](#one)** | | | | |\n| rival \\| Sudare | 15.0 | 30 / 2 | tens | met |" in page
    assert "1 of 3 goals are met." in page
    assert "- [one](#one), a second / Sudare: 0.50, the goal is above 1. Slow." in page
    assert "- [one](#one), of an older run: 0.50, the goal is above 1. The script gives no reason." in page
    assert "Unused." not in page
    assert "| much slower | 0.0028 | 0.5 / 180 |" in page
    assert "| [one](#one) | 1970-01-01 | 3 | 0.5 | 1.0 | earlier |" in page
    assert "| machine | X |" in page
    assert "Not measured on this machine: two." in page
    assert "Measured with earlier sources than those beside this page: one." in page
    assert "a&lt;b" in page
    assert "one state of the sources" not in page
    later = {**result, "started": 86400.0, "ratios": []}
    both = table.page_of({"one": result, "later": later}, [], [])
    assert "| date | 1970-01-01 to 1970-01-02 |" in both
    assert "All results are of one state of the sources: that beside this page." in both
    assert "| [later](#later) | 1970-01-02 | 3 | 0.5 | 1.0 | beside this page |" in both
    assert "Missed, and why" not in table.page_of({"later": later}, [], [])
    assert page.index("| command |") < page.index("| date | 1970-01-01 |") < page.index("## Ratios")


def test_a_ratio_keeps_why_its_goal_may_be_missed(capsys):
    report = import_module("harness").Report("one", "What it is.")
    report.ratio("a second / Sudare", 1.0, 2.0, "above 1", why="Slow.")
    assert report.ratios == [
        {
            "what": "a second / Sudare",
            "over": 1.0,
            "under": 2.0,
            "ratio": 0.5,
            "goal": "above 1",
            "why": "Slow.",
        }
    ]
    assert "a second / Sudare: 0.50  (goal: above 1)" in capsys.readouterr().out


def test_goals_in_words():
    met = import_module("table").met
    assert met("at least 50", 124.7)
    assert not met("below 3", 3.2)
    assert not met("tens", 8.5)
    assert met("well above 1", 7.4)
    assert met("at least 1/0.9", 1.112)
    assert not met("at least 1/0.9", 1.111)
    assert met("exactly 1, at four digits", 1.0)
    assert not met("exactly 1", 1.0001)
    assert met("", 2.0) is None
    with pytest.raises(ValueError, match="no meaning"):
        met("soon", 1.0)


def test_a_part_whose_source_changed_while_it_ran_is_run_again(job):
    own = job.source["b"]
    changing = f"import os, time\nopen({str(own)!r}, 'a').write('')\nos.utime({str(own)!r}, (time.time() + 5,) * 2)\n"
    own.write_text(changing + job.script("b"), encoding="utf-8")
    assert all(done.finished for done in job.run())
    assert job.runs() == "abc"
    assert any("b.py changed while it ran" in line for line in job.said)
    job.run()
    assert job.runs() == "b"


def test_the_page_of_startup_has_the_stored_tables_and_its_history():
    stored = {
        name: json.loads((BENCHMARKS / "results" / f"{name}.json").read_text("utf-8"))
        for name in ("startup", "first_call")
    }
    table = import_module("table")
    page = import_module("startup_page").startup_page(stored, ["startup"])
    assert page.startswith("# Start-up, the first call, and memory\n")
    assert "earlier sources than those beside this page: startup." in page
    for result in stored.values():
        assert "\n".join(table.tables_of(result)) in page
        assert any("peak memory" in shown["columns"] for shown in result["tables"])
    assert "Figures of this section are of their day: 2026-11-16" in page


def test_a_whole_process_tells_its_own_time_and_memory():
    whole = import_module("whole")
    small, large = whole.whole("pass"), whole.whole("bytearray(80_000_000)")
    assert small.processor > 0
    assert small.seconds > 0
    assert large.peak_mb > small.peak_mb + 60
    assert "main(['demo'])" in whole.sudare("demo")
