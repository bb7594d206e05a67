#!/usr/bin/env bash
# llama-index-core 0.14.25: FaithfulnessEvaluator and RelevancyEvaluator, which ask a model for YES or NO, pass an
# answer if "yes" stands anywhere in the reply, also within a word. So "NO, her eyes were closed." and "NO, that was
# yesterday." are counted as YES, and the score is 1.0.
# Exits 0 while this holds; output: "NO: [0.0, 0.0]; NO, her eyes were closed.: [1.0, 1.0]; NO, that was yesterday.:
# [1.0, 1.0]".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from llama_index.core.evaluation import FaithfulnessEvaluator, RelevancyEvaluator
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata


class Judge(CustomLLM):
    answer: str

    @property
    def metadata(self):
        return LLMMetadata()

    def complete(self, prompt, formatted=False, **kwargs):
        return CompletionResponse(text=self.answer)

    def stream_complete(self, prompt, formatted=False, **kwargs):
        raise NotImplementedError


def score(kind, answer):
    evaluator = kind(llm=Judge(answer=answer))
    return evaluator.evaluate("Who swam?", "Ann did.", ["A seal swam while Ann slept."]).score


ANSWERS = ["NO", "NO, her eyes were closed.", "NO, that was yesterday."]
KINDS = [FaithfulnessEvaluator, RelevancyEvaluator]
scores = [[score(kind, answer) for kind in KINDS] for answer in ANSWERS]
print("; ".join(f"{answer}: {of}" for answer, of in zip(ANSWERS, scores)))
raise SystemExit(scores != [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
PYTHON
