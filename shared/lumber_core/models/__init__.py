"""Language models behind one small protocol."""

from lumber_core.models.base import Completion, Model

__all__ = ["Completion", "Model"]
