"""One bar: while kernels are compiled it says so, and how long that will take, and else the phase."""

import pytest
from rich.console import Console
from rich.progress import Progress

from sudare.cli.bar import Activity, Bar, TimeLeft
from sudare.cli.beside import Beside


class Two(Beside):
    left: float | None = None

    def seconds_left(self):
        return self.left


@pytest.mark.parametrize(
    ("language", "phase", "compiling"),
    [
        ("en", "Refining groups", "Compiling kernels, once per installation, 40 s left"),
        (
            "ja",
            "グループを改善しています",
            "カーネルをコンパイルしています（インストール後の初回のみ）、残り 40 秒",
        ),
    ],
)
def test_the_bar_says_what_is_under_way(language, phase, compiling):
    two = Two()
    activity, left = Activity(two, language), TimeLeft(two)
    bar = Progress(activity, left, console=Console(quiet=True))
    shown = Bar(bar, language)
    shown.start("refine", 10)
    shown.update(5)
    (task,) = bar.tasks
    assert activity.render(task).plain == phase
    assert left.render(task).plain
    two.left = 40.4
    assert activity.render(task).plain == compiling
    assert not left.render(task).plain
    two.left = None
    assert activity.render(task).plain == phase
