"""Compares the two verifiers on random variations of the accepted fixtures.

    python3 test/reference/probe.py [--seed N] [--count N] [--mode bytes|shape|world|line] [--keep DIR]

The first verifier is run as a black box through batch.mjs. Every disagreement is printed and, with
--keep, written as a case directory. Prints `N agree, M disagree` and exits 1 on disagreement.
"""

import argparse
import base64
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from cbor import write_cbor
from jcs import jcs
from longline import long_line
from mutate import CBOR_FRAGMENTS, change_bytes, change_shape, change_world
from remake import World
from verify import Inputs, read_bundle, read_case, verify

HERE = Path(__file__).resolve().parent
SIDE_INPUTS = ("trust", "expectations", "supplement", "heads")


class Probe:
    """Makes variations of the accepted cases."""

    def __init__(self, seed: int, fixtures: Path):
        self.rng = random.Random(seed)
        self.cases = {
            path.name: read_case(path)[0] for path in sorted((fixtures / "valid").iterdir()) if path.is_dir()
        }
        self.worlds = {name: World(inputs) for name, inputs in self.cases.items()}

    def make(self, mode: str) -> tuple[str, Inputs]:
        name = self.rng.choice(list(self.cases))
        return getattr(self, "_" + mode)(name, self.cases[name])

    def _input(self, inputs: Inputs) -> str:
        present = ["bundle"] * 4 + [name for name in SIDE_INPUTS if getattr(inputs, name) is not None]
        return self.rng.choice(present)

    def _bytes(self, name: str, inputs: Inputs) -> tuple[str, Inputs]:
        which = self._input(inputs)
        data, fragments = getattr(inputs, which), {}
        if which == "bundle" and self.rng.random() < 0.5:
            data, fragments = write_cbor(read_bundle(data, 1 << 30)[0]), {"fragments": CBOR_FRAGMENTS}
        changed = change_bytes(self.rng, data, **fragments)
        return f"{name}: bytes of {which}", inputs._replace(**{which: changed})

    def _shape(self, name: str, inputs: Inputs) -> tuple[str, Inputs]:
        which = self._input(inputs)
        value = read_bundle(getattr(inputs, which), 1 << 30)[0]
        for _ in range(self.rng.choice((1, 1, 2))):
            if which == "bundle" and self.rng.random() < 0.15:
                other = read_bundle(self.cases[self.rng.choice(list(self.cases))].bundle, 1 << 30)[0]
                member = self.rng.choice(list(other))
                value[member] = other[member]
            else:
                change_shape(self.rng, value)
        write = write_cbor if which == "bundle" and self.rng.random() < 0.3 else jcs
        return f"{name}: shape of {which}", inputs._replace(**{which: write(value)})

    def _line(self, name: str, inputs: Inputs) -> tuple[str, Inputs]:
        return self._world(name, inputs, long=True)

    def _world(self, name: str, _inputs: Inputs, long: bool = False) -> tuple[str, Inputs]:
        while True:
            world = self.worlds[name].copy()
            if long:
                long_line(self.rng, world)
            changes = [] if long and self.rng.random() < 0.7 else change_world(self.rng, world)
            try:
                return f"{name}: {' '.join(changes)}", world.build(cbor=self.rng.random() < 0.2)
            except (KeyError, IndexError, TypeError, AttributeError, ValueError, OverflowError):
                continue  # the changes left nothing that can be built


def run_first(probes: list[Inputs]) -> list[dict]:
    """The first verifier's answers."""
    with tempfile.TemporaryDirectory() as directory:
        with open(Path(directory) / "cases.jsonl", "w", encoding="ascii") as file:
            for inputs in probes:
                fields = {
                    name: value if name == "at" or value is None else base64.b64encode(value).decode("ascii")
                    for name, value in inputs._asdict().items()
                }
                file.write(json.dumps(fields) + "\n")
        done = subprocess.run(
            ["node", str(HERE / "batch.mjs"), directory], capture_output=True, encoding="utf-8", check=False,
        )
    answers = [json.loads(line) for line in done.stdout.split("\n") if line]
    if len(answers) != len(probes):
        raise RuntimeError(f"the first verifier stopped: {done.stderr}")
    return [{"verdict": answer["verdict"], "first_failure": answer["first_failure"]} for answer in answers]


def keep_case(directory: Path, inputs: Inputs, answer: dict) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name in SIDE_INPUTS:
        if getattr(inputs, name) is not None:
            (directory / f"{name}.json").write_bytes(getattr(inputs, name))
    binary = inputs.bundle[:1] and 0xA0 <= inputs.bundle[0] <= 0xBF
    (directory / ("bundle.cbor" if binary else "bundle.json")).write_bytes(inputs.bundle)
    case = {"at": inputs.at, **answer, "derived_from": None}
    (directory / "case.json").write_text(json.dumps(case, indent=2) + "\n", "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--mode", choices=("bytes", "shape", "world", "line", "all"), default="all")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    probe = Probe(options.seed, HERE.parents[1] / "fixtures")
    modes = ("bytes", "shape", "world", "world", "line") if options.mode == "all" else (options.mode,)
    agree = disagree = 0
    codes: Counter = Counter()
    while agree + disagree < options.count:
        size = min(250, options.count - agree - disagree)
        made = [probe.make(modes[index % len(modes)]) for index in range(size)]
        answers = run_first([inputs for _, inputs in made])
        for (label, inputs), first in zip(made, answers):
            try:
                second = verify(inputs)
            except Exception as error:  # pylint: disable=broad-except
                second = {"verdict": "error", "first_failure": repr(error)}
            failure = first["first_failure"]
            codes[failure["code"] if failure else "ACCEPTED"] += 1
            if first == second:
                agree += 1
                continue
            disagree += 1
            print(f"{disagree} {label}\n  first  {first}\n  second {second}")
            if options.keep:
                keep_case(options.keep / f"{options.seed}-{disagree}", inputs, first)
        print(f"{agree + disagree} of {options.count} probes", file=sys.stderr)
    print(" ".join(f"{code}:{count}" for code, count in codes.most_common()))
    print(f"{agree} agree, {disagree} disagree")
    return 1 if disagree else 0


if __name__ == "__main__":
    sys.exit(main())
