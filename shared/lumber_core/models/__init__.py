"""Language models behind one small protocol."""

from lumber_core.models.base import Completion, Model
from lumber_core.models.patient import CallPolicy

__all__ = ["CallPolicy", "Completion", "Model"]
