"""BibTeX entries of this software and of the papers of metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from corefscore import __version__
from corefscore.metrics import AVERAGE, GROUPS
from corefscore.metrics.row import Metric

PAPERS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "vilain-etal-1995-model": (
        "inproceedings",
        {
            "title": "A Model-Theoretic Coreference Scoring Scheme",
            "author": "Vilain, Marc and Burger, John and Aberdeen, John and Connolly, Dennis and Hirschman, Lynette",
            "booktitle": "Sixth Message Understanding Conference (MUC-6)",
            "year": "1995",
        },
    ),
    "bagga-baldwin-1998-algorithms": (
        "inproceedings",
        {
            "title": "Algorithms for Scoring Coreference Chains",
            "author": "Bagga, Amit and Baldwin, Breck",
            "booktitle": "LREC Workshop on Linguistic Coreference",
            "year": "1998",
        },
    ),
    "luo-2005-coreference": (
        "inproceedings",
        {
            "title": "On Coreference Resolution Performance Metrics",
            "author": "Luo, Xiaoqiang",
            "booktitle": "Proceedings of HLT/EMNLP",
            "year": "2005",
        },
    ),
    "recasens-hovy-2011-blanc": (
        "article",
        {
            "title": "{BLANC}: Implementing the {R}and Index for Coreference Evaluation",
            "author": "Recasens, Marta and Hovy, Eduard",
            "journal": "Natural Language Engineering",
            "volume": "17",
            "number": "4",
            "year": "2011",
        },
    ),
    "luo-etal-2014-extension": (
        "inproceedings",
        {
            "title": "An Extension of {BLANC} to System Mentions",
            "author": "Luo, Xiaoqiang and Pradhan, Sameer and Recasens, Marta and Hovy, Eduard",
            "booktitle": "Proceedings of ACL (Short Papers)",
            "year": "2014",
        },
    ),
    "moosavi-strube-2016-coreference": (
        "inproceedings",
        {
            "title": "Which Coreference Evaluation Metric Do You Trust? "
            "A Proposal for a Link-based Entity Aware Metric",
            "author": "Moosavi, Nafise Sadat and Strube, Michael",
            "booktitle": "Proceedings of ACL",
            "year": "2016",
        },
    ),
    "lin-etal-2010-cone": (
        "inproceedings",
        {
            "title": "{CONE}: Metrics for Automatic Evaluation of Named Entity Co-reference Resolution",
            "author": "Lin, Bo and Shah, Rushin and Frederking, Robert and Gershman, Anatole",
            "booktitle": "Proceedings of the Named Entities Workshop",
            "year": "2010",
        },
    ),
    "zabokrtsky-etal-2022-findings": (
        "inproceedings",
        {
            "title": "Findings of the Shared Task on Multilingual Coreference Resolution",
            "author": "{\\v{Z}}abokrtsk{\\'y}, Zden{\\v{e}}k and others",
            "booktitle": "Proceedings of the CRAC 2022 Shared Task on Multilingual Coreference Resolution",
            "year": "2022",
        },
    ),
    "pradhan-etal-2011-conll": (
        "inproceedings",
        {
            "title": "{CoNLL}-2011 Shared Task: Modeling Unrestricted Coreference in {OntoNotes}",
            "author": "Pradhan, Sameer and Ramshaw, Lance and Marcus, Mitchell and Palmer, Martha and "
            "Weischedel, Ralph and Xue, Nianwen",
            "booktitle": "Proceedings of CoNLL: Shared Task",
            "year": "2011",
        },
    ),
    "pradhan-etal-2014-scoring": (
        "inproceedings",
        {
            "title": "Scoring Coreference Partitions of Predicted Mentions: A Reference Implementation",
            "author": "Pradhan, Sameer and Luo, Xiaoqiang and Recasens, Marta and Hovy, Eduard and Ng, Vincent and "
            "Strube, Michael",
            "booktitle": "Proceedings of ACL (Short Papers)",
            "year": "2014",
        },
    ),
}
"""The papers by key: the type of the entry, and its fields. The papers of a metric are in `Metric.cite`."""

SOFTWARE = {
    "title": "{corefscore}: A Scorer for Coreference in {CoNLL} Format",
    "author": "{The corefscore authors}",
    "version": __version__,
}

OFFICIAL, AVERAGED = "pradhan-etal-2014-scoring", "pradhan-etal-2011-conll"


def bibtex(metrics: Iterable[Metric]) -> str:
    """The entries of this software, of the official scorer, whose numbers it reproduces, and of each metric; and of the
    CoNLL average if its three metrics are given. A metric without entries becomes a comment with its paper."""
    metrics = list(metrics)
    keys = dict.fromkeys([OFFICIAL, *(key for metric in metrics for key in metric.cite)])
    if {metric.name for metric in metrics} >= set(GROUPS[AVERAGE]):
        keys[AVERAGED] = None
    others = [f"% {metric.name}: {metric.paper}\n" for metric in metrics if not metric.cite]
    papers = [_entry(PAPERS[key][0], key, PAPERS[key][1]) for key in keys]
    return "\n".join([_entry("software", "corefscore", SOFTWARE), *papers, *others])


def _entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@{kind}{{{key},\n{lines}}}\n"
