"""Everything that can be wrong or odd in a file: a finding has the place, the table below has the words.

An error refuses the input; a notice says what the scorer did with something odd. Both are findings with a stable code,
so that each text is in one place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from corefscore.core.tuples import NamedTuple

ERROR, NOTICE = "error", "notice"

VISIBLE = {**{code: 0x2400 + code for code in range(0x20)}, 0x7F: 0x2421, **dict.fromkeys(range(0x80, 0xA0), 0xFFFD)}
"""The visible replacements of control characters, so that the content of a file cannot control a terminal."""

SHOWN = 5
"""The number of notices of one kind that are shown; the rest are counted."""

MOST = 1000
"""The number of findings of one kind that are listed if all are wanted; the rest are counted, to bound memory."""

_NO_DETAILS: Mapping[str, object] = {}

NO_CHARACTERS = (
    "; offsets of characters cannot be scored, since their tokens are not known: convert them to offsets of tokens"
)
"""The advice about offsets that are too large for tokens."""

T = TypeVar("T")


class _Kind(NamedTuple):
    """One row of the table: the severity, what was found, and what it means or what to do."""

    severity: str
    found: str
    advice: str


_ERRORS = {
    "unopened-mention": (
        'in document "{document}": "{piece}" closes a mention that is not open',
        'expected "({label}" at this token or before, after the document begins at line {begin}; '
        "open the mention or remove the bracket",
    ),
    "unclosed-mention": (
        'in document "{document}": "{piece}" opens a mention that is never closed',
        'expected "{label})" at this token or after, before the document ends {where}; '
        "close the mention or remove the bracket",
    ),
    "nested-document": (
        'a document begins inside document "{document}", which began at line {begin}',
        'expected "#end document" before it; end the first document',
    ),
    "repeated-name": (
        'a second document named "{document}"; the first is at {first}',
        "each name may occur only once; give one of the two another name or part number",
    ),
    "no-document": ("no document: {what}", "expected {expected}"),
    "other-notation": (
        "text with tags in another notation",
        "expected {expected} (docs/language-models.md); if the ids here are those of entities, this pattern reads the "
        "tags: --tags '{pattern}'",
    ),
    "not-clusters": ("{where}the clusters are {what}", "expected {expected}"),
    "unreadable": ("{what}", "the file was not checked to its end; give a file that exists and can be read to its end"),
    "bad-json": ("not JSON: {what}", "expected {expected}"),
    "json-document": (
        "the file is not JSON lines but one JSON object over several lines",
        "expected one whole object on each line; jq -c '.' FILE writes it so",
    ),
    "bad-row": ("{what}", "expected {expected}"),
    "not-object": ("{holder} contains {what}", "expected an object with doc_key and clusters {each}"),
    "missing-field": ('{where}no field "{field}"; the object has {fields}', "expected {expected}"),
    "bad-field": ('{where}field "{field}" {what}', "expected {expected}"),
    "bad-mention": ('in document "{document}": {place} is {what}', "expected {expected}"),
    "other-end": (
        'in document "{document}": {place} has the words "{words}", but {field} has "{said}"',
        "{expected}; correct the offsets, or remove {field} to score the offsets as they are",
    ),
    "other-text": (
        'in document "{document}": the text differs from that of the other side, {place}: "{text}" here, "{other}" '
        "there",
        "offsets of characters need the same text on both sides, apart from blanks; correct the text, or score with "
        "--align, which finds the words of the response in the key",
    ),
    "no-tokens": (
        'in document "{document}": mentions count characters, and the other side, {place}, has no words',
        "offsets of characters are mapped to the tokens of the other side; give the other side with its words, or "
        "both sides with offsets of tokens",
    ),
    "unnamed-documents": (
        "{count} without names here, but {others} on the other side",
        "documents without names are paired by position, so both sides need the same number; name them "
        "with doc_key in JSON, or in a column document of a table",
    ),
    "too-many-repeated": (
        "Found too many repeated mentions (> {limit}) in the response, so refusing to score. Please fix the output.",
        "{count} later copies of {spans} in {documents}; score with --repeated first to keep the first copy of each, "
        "or list them with corefscore validate",
    ),
    "no-unit": ("{what}", "expected {expected}, from which --unit {unit} takes the unit of every token of the key"),
    "one-unit": (
        "intervals and tests have only one unit to resample (--unit {unit}; documents: {documents})",
        "at least two are needed: give more documents, or choose other units with --unit (part, column:N in CoNLL, "
        "field:NAME in JSON); for scores alone, run corefscore METRIC KEY RESPONSE",
    ),
    "not-a-baseline": (
        "{what}",
        "expected BASELINE KEY RESPONSE, where BASELINE is the output of corefscore METRIC KEY RESPONSE --format "
        "json, or of the official scorer",
    ),
    "other-signature": (
        'the baseline was made with "{baseline}", but this run is "{run}"',
        "scores are comparable only if these are the same; use the options of the baseline, or make a new baseline",
    ),
    "scores-changed": (
        "the baseline was made by corefscore {baseline}, but this is {run}; scores changed in {versions}",
        "make a new baseline with this version; the changelog lists the changes under Scores",
    ),
    "other-documents": (
        'the documents are not those of the baseline: {count} on one side only; the first is "{first}", which {which}',
        "scores can be compared only for the same documents; make a new baseline",
    ),
    "other-key": (
        "the baseline is of another key: {what}",
        "scores can be compared only for the same key, read by the same options; make a new baseline",
    ),
    "unexpected-key": (
        "the key has the fingerprint {found}, and --expect-key asks for {expected}",
        "give the key that was expected; the fingerprint covers its mentions, entities and numbers of tokens, and the "
        "signature of every report has it",
    ),
    "other-groups": (
        "the baseline {what}",
        "make a new baseline: corefscore METRIC KEY RESPONSE --by {by} --format json",
    ),
    "bad-name": (
        'in document "{document}": "{cell}" in column {column} {what}',
        "expected {expected}; correct the column of named entities, or choose another with --columns ne=N",
    ),
    "no-names": (
        "{what}",
        'expected names such as "(PERSON*" to "*)" or "(GPE)" in a column of CoNLL-2011/2012{advice}',
    ),
    "other-tokens": (
        'in document "{document}": token {token} is {word}; in the key, {place}, it is {key_word}',
        "names of the key are found in the response by token, so both need the same tokens; --ne-from own takes the "
        "names of each side from its own column",
    ),
    "absent-column": (
        "column {column}, in which --columns word=N expects the words, {what}",
        "columns are counted from 1; name another, or leave the option out",
    ),
    "unknown-words": (
        'in document "{document}": the words of a name of type {type} are not known',
        "a key is estimated from the words of names; expected words in the fourth column of at least "
        "five, or in the column that --columns word=N sets, and names in another column",
    ),
    "unnamed-answers": (
        "no answer has the name of a document of the key, and {count} cannot be paired with {documents} documents",
        "name each answer after its document, by its file name or in doc_key; or give as many answers as documents, in "
        "the order of the key",
    ),
    "text-unknown": (
        'the words of document "{document}" of the {side} are not known',
        "words can be looked up only if both sides have them; give a {side} with its words",
    ),
    "bad-id": (
        '"{piece}" is not the number of a word',
        "expected an integer, n.m for an empty node or n-m for a range, and ten columns with tabs between them; repair "
        "or remove this line",
    ),
    "no-entity-header": (
        "{what} says what is in {piece}",
        'expected a line such as "# global.Entity = eid-etype-head-other"; add it at the top of the file',
    ),
    "mention-across-sentences": (
        'in document "{document}": "{piece}" closes a mention that opened in another sentence, at line {line}',
        "a mention cannot leave its sentence; close it there",
    ),
    "part-of-nothing": (
        'in document "{document}": "{piece}" continues a mention that did not begin',
        'expected "({label}[1/..." before it; number the parts of a discontinuous mention from 1',
    ),
    "odd-id": (
        'in document "{document}": "{piece}" has no entity id',
        "expected an id such as e1, or e1[1/2] for the first of two parts of a discontinuous mention",
    ),
    "odd-head": (
        'in document "{document}": the head of "{piece}" is not a word of the mention',
        "expected the number of a word among those of the mention, from 1; correct the head, or score with --heads "
        "tree",
    ),
    "odd-dependency": (
        '"{piece}" is not a dependency, and zeros (mentions whose head is an empty node) are aligned by theirs',
        'expected PARENT:RELATION, or several of these separated by "|"; correct the DEPS column',
    ),
}

_NOTICES = {
    "guessed-columns": (
        "the header does not name both columns; by position, {taken}",
        "name the columns item and entity in the header, or with --columns item=NAME,entity=NAME",
    ),
    "named-by-file": (
        "the document has no name",
        'in a corpus of several files such a document is called like its file, here "{document}"; later ones are not '
        "reported",
    ),
    "other-items": (
        'in document "{document}": {extra} here that the key does not have, and {missing} of the key missing',
        "they count: what an entity has besides lowers precision, what it lacks lowers recall; --mentions given leaves "
        "out items of one side only",
    ),
    "repeated-mention": (
        'in document "{document}": "{words}"{tokens} is annotated {count} times, as entities {entities}',
        "annotate each span once: remove the extra copies, or score with --repeated first",
    ),
    "crosses-window": (
        'in document "{document}": "{words}" (tokens {start} to {end}) extends beyond its window, which ends before '
        "token {border}",
        "on both sides such a mention counts in the window of its first token",
    ),
    "nothing-of-kind": (
        "for mentions of the kind {kind}, {where}",
        "such a score is printed as 0, and left empty in tables; choose another kind or measure to get a score",
    ),
    "crosses-unit": (
        'in document "{document}": {count} of {entities} of the {side} {has} mentions in several units (--unit '
        '{option}); for example, entity {entity} has "{words}" in {unit} and "{other_words}" in {other_unit}',
        "scores do not change; for intervals and tests such an entity counts in the unit of its first mention",
    ),
    "not-a-system": (
        "this entry of the folder of systems is skipped: {what}",
        "if it is a system, name it as a SYSTEM: it is scored then, or the error says why not",
    ),
    "other-version": (
        "the baseline was made by corefscore {baseline}, and this is {run}",
        "the changelog lists no change of scores between the two, so they are compared; make a new baseline with this "
        "version to silence this notice",
    ),
    "no-words-in-column": (
        "column {column}, which is read as the column of words, contains {what}",
        "choose the column of words with --columns word=N; the columns of this line are: {cells}",
    ),
    "no-name-column": (
        "there is no column {column} of named entities in this file: {what}",
        "no mention in it counts as named; to leave such files out, choose the files of the folder by a pattern: "
        "FOLDER/*.conll",
    ),
    "absent-type": (
        'no name in column {column} has the type "{type}", which --ne-types lists',
        "types in the column: {known}",
    ),
    "no-named-mentions": (
        "no mention of the key counts as named with --named {named}, although column {column} contains names",
        "every score of names is 0; try another --named, or --estimate-key, which needs no mentions",
    ),
    "no-singletons": (
        "{alone} of {entities} entities of the estimated key have only one name, and the response has no such entity",
        "a system that leaves out entities of one mention cannot find these, which lowers recall; --singletons drop "
        "leaves them out of both sides",
    ),
    "dropped-repeat": (
        'in document "{document}": "{words}"{tokens} is annotated {count} times, as entities {entities}',
        "only the first copy counts",
    ),
    "missing-document": (
        'the response has no document "{document}"',
        "it is scored as a document without mentions, which lowers recall{nearest}",
    ),
    "extra-document": ('the key has no document "{document}"', "it is not scored{nearest}"),
    "no-common-document": (
        "key and response have no document name in common",
        'every score is 0; the key has "{key}", the response "{response}"; give documents the same names and part '
        "numbers in both",
    ),
    "token-count": (
        'document "{document}" has {response} tokens here and {key} in the key',
        "mentions are compared by token number, so all after the first difference fail to match; --align finds the "
        "words of the response in the key",
    ),
    "other-comments": (
        'the comments of document "{document}" are not where they are in the key: {response} here, {key} in the key',
        "the official scorer counts each comment as a token, so its numbers can differ from these, which ignore them; "
        "remove the comments on both sides",
    ),
    "byte-order-mark": (
        'a byte order mark (BOM) before the begin of document "{document}"',
        "it is ignored; the official scorer does not read a document that begins so, so its numbers can differ; remove "
        "the mark",
    ),
    "outside-document": (
        "{count} outside any document",
        'such lines are ignored; a document begins with "#begin document NAME"',
    ),
    "no-end": (
        'the file ends inside document "{document}"',
        'it is scored anyway; expected "#end document" after its last line',
    ),
    "dropped-columns": (
        "the tokens have {count} columns",
        "only words and coreference are converted, not parts of speech, parses, names, speakers or other columns",
    ),
    "dropped-comments": ("a comment within a document", "comments are not converted; later ones are not reported"),
    "empty-sentences": (
        'document "{document}" has {count} without words',
        "{format} cannot contain empty sentences; they are left out",
    ),
    "dropped-fields": (
        'document "{document}" has other fields as well: {fields}',
        "only words and clusters are converted; these fields are dropped, also in later documents",
    ),
    "dropped-ids": (
        "{what}",
        "JSON lines cannot contain them; clusters are in the order in which the entities first appear",
    ),
    "joined-files": (
        "{files} files with {documents} documents become one file",
        "OUT does not say which document came from which file, so --by file cannot be used with it; to keep data sets "
        "apart, convert each file into a file of the same name in another folder",
    ),
    "dropped-heads": (
        "heads of mentions and empty nodes are not converted",
        "the new format has only spans of tokens; to score by head, use the CorefUD file",
    ),
    "other-heads": (
        'in document "{document}": {count} with a head that is not the highest of its words in the tree',
        "tags cannot mark heads: when the text is scored, the highest words are its heads, so scores by head change; "
        "--heads tree chooses the same heads in the key",
    ),
    "dropped-zeros": (
        'in document "{document}": {count} of empty nodes only (zeros)',
        "such a mention is not converted, since it has no token",
    ),
    "zeros-as-words": (
        'in document "{document}": {count} with ## at the beginning, the sign of a zero',
        "{format} has no such sign, so these are written as words; --key KEY, a key of CorefUD, makes them zeros of it",
    ),
    "filled-gaps": (
        'in document "{document}": {count} with a gap',
        "such a mention is written as all tokens from its first to its last, so scores change",
    ),
    "changed-mentions": (
        'in document "{document}": {count} of other words than in the file',
        "zeros are written after the words on which they depend, and of a mention that then has a gap only the part "
        "with its head, both as text2text-coref does; scores with --matching exact change",
    ),
    "numbered-ids": (
        'in document "{document}": {format} cannot contain the id {entity}',
        "entities of such documents are numbered from 0 as they appear; later documents are not reported",
    ),
    "split-mentions": (
        'in document "{document}": {count} across sentences; the first has the tokens {first}',
        "CorefUD has no mentions across sentences; such a mention is not converted",
    ),
    "changed-order": (
        'in document "{document}": a mention is in two entities, which appear in another order in the new file',
        "the order decides which copy counts, so scores may change; give each mention one entity, or score the old "
        "file",
    ),
    "dropped-marks": (
        'in document "{document}": {count} of the coreference column that the official scorer ignores; the first is '
        '"{piece}"',
        "such pieces are not converted",
    ),
    "crossing-mentions": (
        'in document "{document}": mentions {first} and {second} of entity {entity} cross',
        "{format} cannot distinguish them from nested ones; they will be read as other spans, and scores will differ",
    ),
    "no-words": (
        'document "{document}" has no sentences',
        'its words are not known: "-" is written for each of the {tokens} tokens up to the end of its last mention',
    ),
    "half-character": (
        'in document "{document}": {count}, as only JSON can have them (\\ud800)',
        "the name or words that contain them are written with six other characters for each",
    ),
    "joined-subtokens": (
        'the sentences of document "{document}" contain subtokens',
        'words are joined from them without "##", and segments become sentences',
    ),
    "merged-subtokens": (
        'in document "{document}": mentions that differ only in subtokens become the same ({count})',
        "mentions are compared by word, so such a mention is a repeated one; see --repeated",
    ),
    "changed-word": (
        'in document "{document}": {count} that {format} cannot contain: {word} (token {token}) is written as '
        '"{written}"',
        "if the words of both sides are compared, convert the other side, too",
    ),
    "changed-name": (
        '{format} cannot contain the name of the document "{document}"',
        'it is written as "{written}"; documents are paired by name, so convert the other side, too',
    ),
    "other-words": (
        'in document "{document}": {count} whose words are not those of the tokens: {place} is "{words}", but {field} '
        'has "{said}"',
        "the offsets are scored; other mentions of the document agree, so check whether these are multiword tokens",
    ),
    "within-token": (
        'in document "{document}": {count} whose characters begin or end within a token of the other side; the '
        'first is "{words}"',
        "such a mention is extended to whole tokens",
    ),
    "blank-token": (
        'in document "{document}": {count} with a token of blanks only at the beginning or end; the first is "{words}"',
        "offsets of characters reach no such token, so none of the other side equals it; give both sides offsets of "
        "tokens, or end the mention at a word",
    ),
    "cut-text": (
        'document "{document}" has a text without tokens',
        "it is split into tokens at blanks and at both ends of mentions; score the original file, since another file "
        "may be split at other places",
    ),
    "dropped-sentences": (
        "the sentences are not converted",
        "{name} has one list of words for a document, without sentences",
    ),
    "joined-sentences": (
        'in document "{document}": {count} joined with the one before',
        "a mention extends over both, but this format has offsets within one sentence",
    ),
    "unscored-fault": ("an error in a document that is not scored: {fault}", "it does not affect the score"),
    "no-begin": (
        "the end of a document that did not begin",
        'lines outside documents are ignored; expected "#begin document NAME" before it',
    ),
    "odd-marker": (
        'in document "{document}": "{text}" looks like the line that {what} a document, but is not',
        'the document continues after it; expected "{expected}"',
    ),
    "no-mentions": (
        'document "{document}" has no mentions',
        "each of its mentions on the other side counts as an error; check whether its annotation is missing",
    ),
    "empty-cluster": (
        'in document "{document}": {count} without mentions in field "{field}"',
        "such clusters are ignored",
    ),
    "singletons": ("{count} one mention only", "{hint}"),
    "overlapping-mentions": (
        'in document "{document}": "{words}"{tokens} {how} another mention of entity {entity}{other_tokens}',
        "mentions of one entity that cross look like nested ones, and are read as nested; check the brackets and the "
        "entities of both",
    ),
    "odd-cell": (
        'in document "{document}": "{cell}" is not a plain coreference cell',
        'it is read as "{read}", the rest is ignored; expected "-", or pieces such as (1), (1 and 1), separated by "|"',
    ),
    "other-column": (
        'the last column of document "{document}" does not look like coreference: {count} of {cells} contain '
        'something else, such as "{cell}"',
        'only the last column is read; expected "-", or pieces such as (1), (1 and 1) in it',
    ),
    "column-count": (
        "{found} where the sentence began with {expected}",
        "only the last column is read, whatever its number; give every token of a sentence the same number of columns",
    ),
    "token-number": (
        "token number {found} after {before} within a sentence",
        "token numbers are not used, but a line may be missing, duplicated or moved, or there is no empty line between "
        "two sentences",
    ),
    "mixed-separators": (
        'in document "{document}": {count} with blanks where the others have tabs',
        "these lines are split at blanks, and only the last column counts; separate their columns by tabs",
    ),
    "mixed-line-ends": (
        "{count} with {found}, but the first line of the file ends with {expected}",
        "an empty column at the end of a line counts before CR LF, but not before LF; validate --fix changes all to LF",
    ),
    "not-utf-8": (
        "{count} not UTF-8",
        "words may be shown wrongly, but scores do not depend on them; convert the file to UTF-8",
    ),
    "no-tags": (
        'there is no tag in the text of "{document}" (notation: {notation})',
        "it is scored as a document without mentions; if it has tags in another notation, name that or give a "
        "pattern: --tags NAME|REGEX",
    ),
    "unclosed-tags": (
        'in document "{document}": {count} never closed',
        "such tags are ignored; docs/language-models.md shows how each notation closes a mention",
    ),
    "unopened-tags": (
        'in document "{document}": {count} without an opening tag',
        "such tags are ignored; docs/language-models.md shows how each notation opens a mention",
    ),
    "unreadable-tags": (
        'in document "{document}": {count} without an id, or with no word between them',
        "such tags are ignored; every mention needs the id of its entity and a word",
    ),
    "crossing-tags": (
        'in document "{document}": {count} of a mention that crosses another one',
        "the mention is scored as it is; check whether a tag closes the wrong mention",
    ),
    "unknown-tags": (
        'in document "{document}": {count} misspelled or in another notation',
        "such tags are read as text; correct them, or read another notation with --tags NAME|REGEX "
        "(docs/language-models.md)",
    ),
    "parting-text": (
        'in document "{document}": the text differs from that of the key here; the key has {key_word}',
        "its words are aligned with those of the key, and the fidelity counts what differs",
    ),
    "lower-fidelity": (
        "the fidelity of the text is {now} % now, and was {before} % ({what})",
        "scores can change because of the text alone; check first what the system changes in it",
    ),
    "low-fidelity": (
        'the fidelity of the text of document "{document}" is {fidelity} %, below {least} % ({what})',
        "{hint}; --strict makes this an error",
    ),
    "joined-pieces": (
        'the text of document "{document}" comes in {count} answers',
        "each is found in the key separately; {meaning} (--pieces)",
    ),
    "by-position": (
        "no answer has the name of a document of the key",
        "the {count} answers are paired with the {documents} documents of the key in order; to be safe, name each "
        "answer after its document, by its file name or in doc_key",
    ),
    "unsaid-crossing": (
        'in document "{document}": {count} crossing another one',
        "the notation {notation} cannot express this, and such mentions are left out; --tags words can express it",
    ),
    "other-format": (
        "the beginning of the new file looks like that {taken}, not of {format}",
        "give --input-format {name} wherever it is read, and --tags with the notation if it is text with tags",
    ),
    "lost-mentions": (
        'in document "{document}": {count} of the response in words that the key does not have',
        "such mentions are left out, since the key has no token for them",
    ),
    "no-pronouns": (
        "no mention counts as a pronoun: {what}",
        "the first mention of an entity is its main one, pronoun or not; list the pronouns with --pronouns "
        "words:FILE or tags:A,B*, or count none with --pronouns none",
    ),
    "no-common-mention": (
        "key and response have {documents} in common, but {few} mention",
        "{what}; the first mention of the key is {key}, that of the response {response}: {hint}",
    ),
    "side-without-mentions": (
        "the {side} has no mention in any scored document ({documents})",
        "every score is 0, except that BLANC with --boundary both is 1 if no side has any; {hint}",
    ),
    "no-head": (
        "{count} with {what}",
        "the first word of each is taken as its head; --heads tree takes the highest node of the tree, on both sides",
    ),
    "zero-without-dependency": (
        "{count} whose head is an empty node that depends on nothing (DEPS is empty)",
        "such a zero is compared by its position; the official scorer fails on such files",
    ),
    "dropped-mention": (
        '"{piece}" opens a mention that is never closed',
        "it is left out, as in the official scorer; close the mention or remove the bracket",
    ),
    "stretched-mention": (
        '"{piece}" opens a mention that is closed at the same word, with other brackets between',
        "it is read up to the end of the sentence, as in the official scorer; write a mention of one word as (e1)",
    ),
    "unfinished-mention": (
        '"{piece}" begins a discontinuous mention whose last part is missing',
        "the mention consists of the parts that are there, as in the official scorer; add the last part or correct the "
        "number of parts",
    ),
    "misnumbered-parts": (
        '"{piece}" belongs to a discontinuous mention whose parts are not numbered 1, 2, 3 and so on',
        "they are read in the order of the file, up to the part with the last number, as in the official scorer; "
        "correct the numbers, as validate --fix does",
    ),
    "odd-entity": (
        '{count} with something that is not a mention, such as in "{piece}"',
        "it is ignored; expected pieces such as (e1-person-1-), (e1-person-1- and e1)",
    ),
    "entity-header": (
        '{what}: "{piece}"',
        'expected one header before the first mention, such as "# global.Entity = eid-etype-head-other", where further '
        "fields may follow; udvalidate --coref calls this {rule}",
    ),
    "entity-attribute": (
        '{what}: "{piece}"',
        "expected one Entity, with brackets such as (e1-person-1-), (e1-person-1- and e1), and at most one Bridge and "
        "SplitAnte beside it; udvalidate --coref calls this {rule}",
    ),
    "entity-field": (
        '{what}: "{piece}"',
        "expected the fields of the header, such as (e1-person-1-, or (e1[1/2]-person-1- for the first of two parts; "
        "udvalidate --coref calls this {rule}",
    ),
    "mention-place": (
        '{what}: "{piece}"',
        "expected mentions within a sentence, each of other words; udvalidate --coref calls this {rule}",
    ),
    "different-fields": (
        '{what}: "{piece}"',
        "expected the same type and identity wherever an entity is mentioned, in one document; udvalidate --coref "
        "calls this {rule}",
    ),
    "entity-relation": (
        '{what}: "{piece}"',
        "expected Bridge=e1<e2:type or SplitAnte=e1<e3,e2<e3, where a mention of e2 or e3 begins, once for each; "
        "udvalidate --coref calls this {rule}",
    ),
    "same-document-names": (
        '{count} with the name of a document in an earlier file; the first is "{document}"',
        'each file is a data set of its own, so such a document is called "{document} ({file})"; it is paired with '
        "the one in the file of the same name on the other side",
    ),
    "no-newdoc": (
        'the file begins without "# newdoc"',
        'the sentences before the first "# newdoc" are scored as a document; the official scorer fails if they have '
        "mentions",
    ),
    "lost-newdoc": (
        '{count} with "# newdoc" among comments that belong to no sentence',
        "no document begins there, as in the official scorer; remove the empty line after the comments",
    ),
    "repeated-newdoc": (
        'a second "# newdoc" of document "{document}"; the first is at line {begin}',
        "the document continues here, as in the official scorer; give this part another id if it is another document",
    ),
    "split-entity": (
        'entity "{entity}" of document "{before}" has mentions in document "{document}" as well{more}',
        "each document has an entity of its own, as in the official scorer; use different ids for entities of "
        "different documents",
    ),
    "repeated-attribute": (
        "{count} with the attribute Entity more than once",
        "the last one counts, as in the official scorer; put all brackets of a word into one attribute",
    ),
    "repeated-number": (
        "{count} with a number that another word of the sentence has; the first number is {number}",
        "words with the same number count as one word, as in the official scorer; give each word its own number",
    ),
    "not-ten-columns": (
        "{count} without ten columns, the first of which has {found}",
        'missing columns are read as "_" and further ones are ignored; put ten columns with tabs between them; '
        "validate --fix adds those that are missing",
    ),
    "no-empty-line": (
        "the file ends without an empty line",
        "it is read like any other; the official scorer fails on it, so add an empty line, as validate --fix does",
    ),
    "official-lookup": (
        "for {count} the official scorer takes another entity than that of the aligned mention",
        "the scores are those of the official scorer, which papers report; --task aligned uses the aligned entity",
    ),
    "different-sentence": (
        'in document "{document}": token {token}, {word}, has another sentence or word number than in the key, {place}',
        "words are compared by sentence and number, so mentions from here on may fail to match; split both texts into "
        "the same sentences",
    ),
    "different-word": (
        'in document "{document}": token {token} is {word}; in the key, {place}, it is {key_word}',
        "mentions are compared by token number; check whether the texts are the same from here on, or score with "
        "--align, which finds the words of the response in the key",
    ),
    "not-a-file": (
        "this is a pipe, a device or a socket in a folder, or a link in an archive",
        "it is skipped; only the regular files of a folder or archive are read",
    ),
    "replaced-file": (
        "the file that this one replaces {what}",
        "the new text is complete under this name; to change the old file itself, write to another file and copy it "
        "over the old one with cp",
    ),
}
"""The texts of errors and of notices by code: what was found, and what it means or what to do."""

KINDS: Mapping[str, _Kind] = {
    code: _Kind(severity, *texts)
    for severity, rows in ((ERROR, _ERRORS), (NOTICE, _NOTICES))
    for code, texts in rows.items()
}
"""Every kind of finding, by code."""


class Finding(NamedTuple):
    """An error or notice at one place.

    ``path``, ``line`` and ``column`` (both from 1) say where, if that is known; ``details`` are inserted into the texts
    of its kind; ``excerpt`` is the text of the cell and the caret line under it; ``strict`` turns a notice into an
    error.
    """

    code: str
    path: str
    line: int | None = None
    column: int | None = None
    details: Mapping[str, object] = _NO_DETAILS
    excerpt: tuple[str, str] | None = None
    strict: bool = False

    @property
    def severity(self) -> str:
        """The severity of its kind, or an error if the finding is ``strict``."""
        return ERROR if self.strict else KINDS[self.code].severity

    def as_error(self) -> Finding:
        """Return the same finding as an error."""
        return self._replace(strict=True)

    @property
    def found(self) -> str:
        """What was found, in one sentence."""
        return KINDS[self.code].found.format(**self.details)

    @property
    def advice(self) -> str:
        """What was expected, what it means for the score, or what to do."""
        return KINDS[self.code].advice.format(**self.details)

    @property
    def place(self) -> str:
        """``FILE:LINE:COLUMN``, or the known part of it."""
        known = (str(part) for part in (self.path, self.line, self.column) if part is not None)
        return ":".join(known)

    def to_dict(self) -> dict[str, Any]:
        """Describe a notice as data; see ``docs/json.md``."""
        return {"code": self.code, "file": self.path, "line": self.line, "text": self.found, "advice": self.advice}

    def __str__(self) -> str:
        lines = [f"{self.place}: {self.severity}[{self.code}] {self.found}"]
        if self.excerpt:
            lines += [f"    {line}" for line in self.excerpt]
        lines.append(f"  {self.advice}")
        return "\n".join(line.translate(VISIBLE) for line in lines)


Noticed = tuple[str, Finding]
"""A notice and the name of the system that it is about, which is empty for the key."""


def in_words(findings: Iterable[Finding]) -> list[str]:
    """Return findings as text, by kind: at most `SHOWN` of each, then the number of further ones."""
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    lines: list[str] = []
    for code, of_code in by_code.items():
        lines += map(str, of_code[:SHOWN])
        if len(of_code) > SHOWN:
            lines.append(f"... and {plural(len(of_code) - SHOWN, 'more ' + of_code[0].severity)} [{code}]")
    return lines


class _Coded(Protocol):
    """Anything with a code."""

    @property
    def code(self) -> str: ...


_C = TypeVar("_C", bound=_Coded)


class Collected(Generic[_C]):
    """A collection of findings or fixes: at most `MOST` of each code, and the number of further ones."""

    def __init__(self) -> None:
        self.listed: list[_C] = []
        self.unlisted: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()

    def add(self, *things: _C) -> None:
        """Add things; beyond `MOST` of a code they are only counted."""
        for thing in things:
            if self.room(thing.code):
                self.listed.append(thing)
                self._counts[thing.code] += 1
            else:
                self.add_unlisted(thing.code, 1)

    def room(self, code: str) -> int:
        """Return the number of things of a code that can still be listed."""
        return MOST - self._counts[code]

    def take(self, code: str, things: Sequence[T]) -> Sequence[T]:
        """Return the first of some things, which can be listed; the others are counted."""
        listed = things[: self.room(code)]
        self.add_unlisted(code, len(things) - len(listed))
        return listed

    def add_unlisted(self, code: str, count: int) -> None:
        """Count further things that are not listed."""
        if count:
            self.unlisted[code] += count


Found = Collected[Finding]
"""The findings of a file."""


def plural(number: int, noun: str) -> str:
    """``1 line``, ``2 lines``; ``1 entity``, ``2 entities``."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"


def shortened(text: str) -> str:
    """Return text of at most 60 characters, cut at its end if it is longer."""
    return text if len(text) <= 60 else f"{text[:57]}..."


def tokens(start: int, end: int) -> str:
    """Return the text `` (tokens 3 to 4)``, which follows the words of a mention; empty if it is not a span of tokens.
    A zero has an empty span (`corefscore.core.documents.Documents`).
    """
    if 0 <= start > end:
        return f" (empty node before token {start})"
    if start < 0:
        return ""
    return f" (token {start})" if start == end else f" (tokens {start} to {end})"
