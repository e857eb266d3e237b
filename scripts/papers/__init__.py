"""The experiments of the papers that need no licensed data, as `scripts/update_papers.py` runs them.

A paper is a module with ``PAPER``, its name, ``claims()``, what it says and what we find, ``page()``, its part of
`docs/papers.md`, and ``drawings()``, its figures; the prose lies beside it. Another paper is one more module, its name
in `PAPERS`, and what it prints in `printed.py`.
"""

from __future__ import annotations

from papers import lin_2010, luo_2014, moosavi_strube_2016, recasens_hovy_2011

PAPERS = (moosavi_strube_2016, luo_2014, recasens_hovy_2011, lin_2010)
