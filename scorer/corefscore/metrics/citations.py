"""BibTeX entries of this software and of the papers of metrics."""

from __future__ import annotations

from collections.abc import Iterable

from corefscore.core.version import __version__
from corefscore.metrics import AVERAGE, GROUPS
from corefscore.metrics.base import Metric

_BIBTEX = """\
@software{corefscore,
  title = {{corefscore}: A Scorer for Coreference in {CoNLL} Format},
  author = {{The corefscore authors}},
  version = {VERSION},
}

@inproceedings{vilain-etal-1995-model,
  title = {A Model-Theoretic Coreference Scoring Scheme},
  author = {Vilain, Marc and Burger, John and Aberdeen, John and Connolly, Dennis and Hirschman, Lynette},
  booktitle = {Sixth Message Understanding Conference (MUC-6)},
  year = {1995},
}

@inproceedings{bagga-baldwin-1998-algorithms,
  title = {Algorithms for Scoring Coreference Chains},
  author = {Bagga, Amit and Baldwin, Breck},
  booktitle = {LREC Workshop on Linguistic Coreference},
  year = {1998},
}

@inproceedings{luo-2005-coreference,
  title = {On Coreference Resolution Performance Metrics},
  author = {Luo, Xiaoqiang},
  booktitle = {Proceedings of HLT/EMNLP},
  year = {2005},
}

@article{recasens-hovy-2011-blanc,
  title = {{BLANC}: Implementing the {R}and Index for Coreference Evaluation},
  author = {Recasens, Marta and Hovy, Eduard},
  journal = {Natural Language Engineering},
  volume = {17},
  number = {4},
  year = {2011},
}

@inproceedings{luo-etal-2014-extension,
  title = {An Extension of {BLANC} to System Mentions},
  author = {Luo, Xiaoqiang and Pradhan, Sameer and Recasens, Marta and Hovy, Eduard},
  booktitle = {Proceedings of ACL (Short Papers)},
  year = {2014},
}

@inproceedings{moosavi-strube-2016-coreference,
  title = {Which Coreference Evaluation Metric Do You Trust? A Proposal for a Link-based Entity Aware Metric},
  author = {Moosavi, Nafise Sadat and Strube, Michael},
  booktitle = {Proceedings of ACL},
  year = {2016},
}

@inproceedings{lin-etal-2010-cone,
  title = {{CONE}: Metrics for Automatic Evaluation of Named Entity Co-reference Resolution},
  author = {Lin, Bo and Shah, Rushin and Frederking, Robert and Gershman, Anatole},
  booktitle = {Proceedings of the Named Entities Workshop},
  year = {2010},
}

@inproceedings{zabokrtsky-etal-2022-findings,
  title = {Findings of the Shared Task on Multilingual Coreference Resolution},
  author = {{\\v{Z}}abokrtsk{\\'y}, Zden{\\v{e}}k and others},
  booktitle = {Proceedings of the CRAC 2022 Shared Task on Multilingual Coreference Resolution},
  year = {2022},
}

@inproceedings{pradhan-etal-2011-conll,
  title = {{CoNLL}-2011 Shared Task: Modeling Unrestricted Coreference in {OntoNotes}},
  author = {Pradhan, Sameer and Ramshaw, Lance and Marcus, Mitchell and Palmer, Martha and \
Weischedel, Ralph and Xue, Nianwen},
  booktitle = {Proceedings of CoNLL: Shared Task},
  year = {2011},
}

@inproceedings{pradhan-etal-2014-scoring,
  title = {Scoring Coreference Partitions of Predicted Mentions: A Reference Implementation},
  author = {Pradhan, Sameer and Luo, Xiaoqiang and Recasens, Marta and Hovy, Eduard and Ng, Vincent and \
Strube, Michael},
  booktitle = {Proceedings of ACL (Short Papers)},
  year = {2014},
}
"""

_ENTRIES = {
    entry.partition("{")[2].partition(",")[0]: entry
    for entry in _BIBTEX.strip().replace("VERSION", __version__).split("\n\n")
}
"""The entries by key. Those of the papers of a metric are in `Metric.cite`."""

_SOFTWARE, _OFFICIAL, _AVERAGED = "corefscore", "pradhan-etal-2014-scoring", "pradhan-etal-2011-conll"


def bibtex(metrics: Iterable[Metric]) -> str:
    """Return the entries of this software, of the official scorer, whose numbers it reproduces, and of each metric; and
    of the CoNLL average if its three metrics are given. A metric without entries becomes a comment with its paper.
    """
    metrics = list(metrics)
    keys = dict.fromkeys([_SOFTWARE, _OFFICIAL, *(key for metric in metrics for key in metric.cite)])
    if {metric.name for metric in metrics} >= set(GROUPS[AVERAGE]):
        keys[_AVERAGED] = None
    others = [f"% {metric.name}: {metric.paper}" for metric in metrics if not metric.cite]
    return "\n\n".join([*map(_ENTRIES.__getitem__, keys), *others]) + "\n"
