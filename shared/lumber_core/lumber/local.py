"""The judge that decides where no model is given, or where one gives no usable answer."""

from __future__ import annotations

from lumber_core.lumber.judges import Judge


def local_judge() -> Judge:
    """Return a judge that costs nothing and asks nobody: the bundled BERT."""
    from lumber_core.lumber.bert_judge import (
        BertJudge,  # deferred: it imports the judges it is one of
    )

    return BertJudge()
