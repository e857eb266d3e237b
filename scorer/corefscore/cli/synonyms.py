"""Words that people type for an option or a command that has another name, and what to type instead."""

from __future__ import annotations

from collections.abc import Collection

REMOVED = {
    "--include": "give the pattern as part of the path, in quotes: 'FOLDER/*.conll'",
    "--max-unpacked": "unpack a file that is refused as too large, and give the unpacked one",
    "--fidelity": "the notice is given below 95 %; --format json has the fidelity itself",
    "--lookup": "use --task crac22, crac23 or aligned",
    "--definitions": "use --task none in CorefUD; convert other files to CorefUD for the definitions of its scorer",
    "--order": "--format markdown and latex have precision first, table has recall first",
    "--notices": "notices are shown unless --quiet is given",
    "--scheduler": "use --jobs tcp://HOST:PORT",
    "--alpha": "use --confidence PERCENT; 99 means tests at the level 0.01",
    "--test": "the test is approximate randomization; leave the option out",
    "--metric": "name the metric of a baseline as METRIC=BASELINE; elsewhere a metric is the command",
    "--measure": "use --measures MEASURE",
    "--spans": "the tags of the key decide which words do not count at the ends of mentions; leave the option out",
    "--top": "--format json has every document and every error, --html shows them",
    "--list": "--format json has every error, and so have csv and tsv, one a line",
    "--type": "use --only TYPE",
    "--entity": "use --only ID",
    "--all": "use --around all",
    "--color": "colours are used on a terminal unless NO_COLOR is set",
    "--other": "give the second response as the third argument",
    "--expect": "give the score after RESPONSE: corefscore explain KEY RESPONSE 63.8",
    "--write-key": "leave RESPONSE out: cone KEY --estimate-key --output FILE writes the estimated key",
    "--plot": "use --output FILE with a name that ends in .png, .svg or .pdf",
    "--to": "use --format FORMAT",
    "--word-column": "use --columns word=N",
    "--ne-column": "use --columns ne=N",
    "--clusters-field": "use --columns clusters=NAME; key.clusters=NAME,response.clusters=NAME for two fields",
}
"""Options that were removed, and the new way."""

OPTIONS = (
    (
        "-o --out --outfile --output-file --save --write",
        "--output FILE",
        "the file without an option, as the last word",
    ),
    ("--metrics -m", "--measures LIST", "a metric first: corefscore lea KEY RESPONSE"),
    ("--key --gold --reference --truth -k", "the key without an option: KEY is the first file"),
    ("--response --pred --prediction --predictions --sys --hyp -r", "the response without an option, after KEY"),
    ("--system", "--systems FOLDER", "the response without an option, after KEY"),
    ("--baseline", "corefscore check BASELINE KEY RESPONSE, or for systems corefscore compare KEY A B"),
    ("--macro --mean", "--average documents", "corefscore METRIC KEY RESPONSE --average documents"),
    ("--micro --total --totals", "no option: totals over all documents are the default; NAME none prints them alone"),
    ("--verbose -v --debug", "no option: everything is reported"),
    ("--silent -q", "--quiet"),
    ("--html --visualize --view", "--html FILE", "corefscore errors KEY RESPONSE --html FILE"),
    ("--significance --p-value --pvalue --ttest --t-test", "corefscore compare KEY A B"),
    ("--bootstrap", "--intervals", "corefscore compare KEY A B"),
    ("--ci --confidence-interval --confidence-intervals", "--intervals", "--confidence PERCENT"),
    ("--samples --resamples --iterations --n-trials", "--trials N", "corefscore compare KEY A B --trials N"),
    ("--random-seed --random-state", "--seed N"),
    ("--decimals --precision --round", "--digits N"),
    ("--threads --workers --processes --n-jobs -j -n", "--jobs N"),
    ("--document --doc --document-name", "NAME after RESPONSE: corefscore METRIC KEY RESPONSE NAME"),
    ("--keep-singletons --with-singletons", "--singletons keep"),
    ("--remove-singletons --no-singletons --drop-singletons --ignore-singletons", "--singletons drop"),
    ("--column --col", "--columns word=N"),
    ("-f", "--format LAYOUT"),
)
"""Options that do not exist, and what they may mean, in order: the first whose option the command has, or that is no
option."""

COMMANDS = (
    ("score eval evaluate evaluation scorer", "a metric, such as: corefscore conll KEY RESPONSE"),
    ("f1 f-score average avg macro micro", "a metric, such as: corefscore conll KEY RESPONSE"),
    (
        "agreement kappa alpha krippendorff iaa annotators",
        "corefscore errors A B --symmetric, or a metric: corefscore conll A B; nothing is corrected for chance",
    ),
    ("significance ttest t-test test p-value pvalue bootstrap randomization", "corefscore compare KEY A B"),
    ("leaderboard ranking", "corefscore rank KEY --systems FOLDER"),
    ("baseline regression threshold", "corefscore check BASELINE KEY RESPONSE"),
    ("html view show visualize visualise display", "corefscore diff KEY RESPONSE --html FILE"),
    ("analyse analyze analysis error", "corefscore errors KEY RESPONSE"),
    ("lint verify stats statistics info", "corefscore validate FILE"),
    ("fix repair", "corefscore validate FILE --fix OUT"),
    ("export transform", "corefscore convert IN OUT"),
    ("bibtex citation", "corefscore cite METRIC"),
)
"""Commands that do not exist, and the call that is probably meant."""


def of_option(word: str, known: Collection[str]) -> str | None:
    """Return what to type instead of an option in a command with the ``known`` options; None if that is not listed."""
    for words, *meant in OPTIONS:
        if word in words.split():
            possible = (each for each in meant if each[0] != "-" or each.split(",")[0].split()[0] in known)
            return next((f"expected {each}" for each in possible), None)
    return None


def of_command(word: str) -> str | None:
    """Return what to type instead of a command; None if that is not listed."""
    return next((meant for words, meant in COMMANDS if word in words.split()), None)
