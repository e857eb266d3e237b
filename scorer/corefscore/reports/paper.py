"""The names of tables of papers before they were in `corefscore.reports.base`."""

from corefscore.reports.base import Scored, scored_columns

__all__ = ["Scored", "scored_columns"]
