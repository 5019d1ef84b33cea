"""The temporary checkout of an earlier version."""

import subprocess
from pathlib import Path

import pytest

from tests.benchmarks.earlier_version import checked_out, commit_of
from tests.benchmarks.installation import PRESENT

# In place of installing, it says with which interpreter it was asked to.
_MAKEFILE = "tools:\n\t@mkdir -p $(VENV)/bin && echo $(PYTHON) > $(VENV)/bin/python\n"


def git(repository: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.com")
    return subprocess.run(
        ["git", *identity, *arguments], cwd=repository, check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(repository: Path, name: str, text: str) -> str:
    (repository / name).write_text(text)
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", name)
    return git(repository, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "tests").mkdir(parents=True)
    git(folder, "init", "--quiet")
    (folder / "tests" / "requirements.lock").write_text("pytest==1\n")
    (folder / "Makefile").write_text(_MAKEFILE)
    commit(folder, "requirements.lock", "django==1\n")
    return folder


def test_a_version_with_the_same_packages_is_served_by_the_present_interpreter(
    repository: Path, tmp_path: Path
) -> None:
    earlier = commit(repository, "code.py", "old")
    commit(repository, "code.py", "new")
    with checked_out(earlier, tmp_path / "build", repository) as version:
        assert (version.checkout / "code.py").read_text() == "old"
        assert version.interpreter == PRESENT.interpreter
    assert list((tmp_path / "build").iterdir()) == []
    assert len(git(repository, "worktree", "list").splitlines()) == 1


def test_a_version_with_other_packages_has_an_environment_of_its_own_that_stays(
    repository: Path, tmp_path: Path
) -> None:
    earlier = git(repository, "rev-parse", "HEAD")
    commit(repository, "requirements.lock", "django==2\n")
    with checked_out(earlier, tmp_path / "build", repository) as version:
        made = Path(version.interpreter)
        assert made.read_text().strip() == PRESENT.interpreter
    assert [made.parent.parent] == list((tmp_path / "build").iterdir())


def test_a_checkout_is_removed_when_what_was_measured_with_it_fails(
    repository: Path, tmp_path: Path
) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        checked_out(git(repository, "rev-parse", "HEAD"), tmp_path / "build", repository),
    ):
        raise ZeroDivisionError
    assert list((tmp_path / "build").iterdir()) == []
    assert len(git(repository, "worktree", "list").splitlines()) == 1


def test_the_last_release_is_the_commit_that_the_changelog_names(repository: Path) -> None:
    unreleased = "# Changelog\n\n## [Unreleased]\n\nCommit `none`.\n"
    commit(repository, "CHANGELOG.md", unreleased)
    with pytest.raises(RuntimeError, match="name the revision"):
        commit_of("release", repository)
    released = git(repository, "rev-parse", "HEAD")
    heading = "\n## [{}] - 2026-11-28\n\nCommit `{}` is it.\n"
    text = unreleased + heading.format("1.1.0", released[:12]) + heading.format("1.0.0", "none")
    commit(repository, "CHANGELOG.md", text)
    assert commit_of("release", repository) == released


def test_an_unknown_revision_is_refused(repository: Path) -> None:
    with pytest.raises(RuntimeError, match="no-such"):
        commit_of("no-such", repository)
