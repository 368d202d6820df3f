"""Holds the second verifier against every fixture, in both encodings.

    python3 test/reference/run_fixtures.py [FIXTURES_DIR]

prints `N agree, M disagree` and exits 1 when any disagrees.
"""

import sys
from pathlib import Path

from cbor import write_cbor
from jcs import jcs
from verify import MAX_BUNDLE, read_bundle, read_case, verify


def other_encoding(data: bytes) -> bytes | None:
    """The bundle in the other encoding, where its bytes can be read at all."""
    value, faults = read_bundle(data, MAX_BUNDLE)
    if faults or not isinstance(value, dict):
        return None
    return jcs(value) if 0xA0 <= data[0] <= 0xBF else write_cbor(value)


def compare(directory: Path) -> list[str]:
    """What disagrees in one case."""
    inputs, case = read_case(directory)
    expected = {"verdict": case["verdict"], "first_failure": case["first_failure"]}
    found = verify(inputs)
    problems = []
    if found != expected:
        problems.append(f"expected {expected}, found {found}")
    other = other_encoding(inputs.bundle)
    too_large = found["first_failure"] and found["first_failure"]["code"] == "FORMAT_TOO_LARGE"
    if other is not None and not too_large:
        if other_encoding(other) != jcs(read_bundle(inputs.bundle, MAX_BUNDLE)[0]) and inputs.bundle[:1] == b"{":
            problems.append("the bundle does not survive the way to CBOR and back")
        again = verify(inputs._replace(bundle=other))
        if again != found:
            problems.append(f"in the other encoding: {again}, found {found}")
    return problems


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "fixtures"
    directories = sorted(path.parent for path in root.glob("valid/**/case.json"))
    directories += sorted(path.parent for path in root.glob("invalid/**/case.json"))
    agree = disagree = 0
    for number, directory in enumerate(directories, 1):
        problems = compare(directory)
        if problems:
            disagree += 1
            print(f"{directory.relative_to(root)}: " + "; ".join(problems))
        else:
            agree += 1
        if number % 50 == 0:
            print(f"{number} of {len(directories)} cases", file=sys.stderr)
    print(f"{agree} agree, {disagree} disagree")
    return 1 if disagree or not directories else 0


if __name__ == "__main__":
    sys.exit(main())
