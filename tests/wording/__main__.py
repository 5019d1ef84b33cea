"""Print every retired word in the project, or below the given paths; exit 1 when there is one."""

import sys
from collections import Counter

from tests.wording.project import findings


def main(prefixes: list[str]) -> int:
    """Print one line a finding, then a count a word."""
    found = [one for one in findings() if not prefixes or one.path.startswith(tuple(prefixes))]
    for finding in found:
        print(finding)
    for word, count in Counter(finding.word for finding in found).most_common():
        print(f"{count:>6}  {word}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
