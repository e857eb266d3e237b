"""The name of a report before `corefscore.reports.base.Reported`."""

from corefscore.reports.base import Reported as Presented

__all__ = ["Presented"]
