"""Promote: one of several candidates becomes the release; it is copied, verified again from the copy, and entered."""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sudare.errors import GuaranteeError, InputError
from sudare.progress import Plan
from sudare.read.source import is_folder
from sudare.release.ledger.ledger import Ledger
from sudare.release.staging import MANIFEST, is_release, staged_folder, unknown_file
from sudare.verify.manifest import load_manifest
from sudare.verify.verify import verify_release

if TYPE_CHECKING:
    from sudare.progress import Progress
    from sudare.verify.finding import Finding


class Promoted(NamedTuple):
    """A candidate that became a release."""

    folder: Path
    findings: tuple[Finding, ...]
    """What the independent verifier recomputed from the copied files."""
    manifest: dict[str, Any]
    """The internal manifest, that of the candidate."""


def promote(
    candidate: str | Path,
    folder: str | Path,
    *,
    original: Any = None,
    ledger: Ledger | None = None,
    number: str | None = None,
    progress: Progress | None = None,
) -> Promoted:
    """Copy a written candidate to `folder`, verify the copy, and enter it into the ledger as released.

    A candidate may have waited for weeks. The data that are entered are those that were verified: the bytes of the copy.
    Reports are copied as they are. The folder appears whole and verified, or not at all. `original` is the data that it was made from, if they are
    still there: promises about baskets speak of them, and the bytes are searched for values that were removed. `number` is
    the UUID of this run in the ledger; the manifests keep that of the run that made the candidate.
    """
    source, target = Path(candidate), Path(folder)
    parts = ("public", "internal")
    if not all(is_folder(source / part) for part in parts) or not is_release(source) or unknown_file(source):
        raise InputError("release.promote.not_a_candidate", folder=candidate)
    manifest = load_manifest(source / "internal" / MANIFEST)
    book, number = ledger or Ledger(), number or str(uuid.uuid4())
    made = manifest.get("run")
    book.append("started", number, {"candidate": made, "folder": str(target)})
    plan = Plan(progress, {"write": 1, "verify": 9})
    with book.failures(number), staged_folder(target) as place:
        with plan.phase("write"):
            for part in parts:
                shutil.copytree(source / part, place / part)
        with plan.phase("verify") as step:
            findings = verify_release(place, original=original, progress=step)
            broken = next((finding for finding in findings if not finding.holds), None)
            if broken is not None:
                raise GuaranteeError("release.not_verified", finding=broken.sentence)
    book.enter_release(number, manifest, target, [finding.sentence for finding in findings], candidate=made)
    return Promoted(target, tuple(findings), manifest)
