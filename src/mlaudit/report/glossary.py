"""The glossary: the words that every page uses, each defined once."""

import re

from mlaudit.report.markup import Html, el, join

GLOSSARY = {
    "D and D′": "The two datasets of an audit. D′ is D with one or a few rows replaced, added or removed.",
    "neighbour relation": "The rule that says which datasets differ in one record: replace-one (a row is replaced "
    "by another one), add-remove (a row is added or removed), label-only (the label of a row is changed) or zero-out "
    "(a row becomes zeros, or was zeros). A claim holds for one relation.",
    "step": "The unit of distance between D and D′. One replaced row is one step under replace-one and two steps "
    "under add-remove and zero-out. Over k steps a learner may leak k times its ε, so the bound is divided by k.",
    "unit": "The owner of rows, such as a user, whose rows a step changes all at once. Without a column that names "
    "owners, every row is a unit of its own.",
    "mechanism": "The randomised program that is audited: a learner, a query, or a training of a network. Its input "
    "is the data, and its output is released.",
    "training": "One run of the mechanism on D or on D′ with noise of its own, also if the mechanism fits no model.",
    "summary": "The numbers that an audit takes from an output, such as the coefficients of a model.",
    "distinguisher": "A rule, learned from trainings, that guesses from an output whether it was made from D or D′.",
    "attack": "A rule that makes D′ from D, such as a replaced row. A search tries many attacks and keeps the best.",
    "detector": "One of the ways in which a test of a claim looks for a violation. All detectors of a test share "
    "its α.",
    "claim": "The ε, δ and neighbour relation that the mechanism is said to satisfy. The smaller the ε, the less an "
    "output may depend on one record. With δ above 0, the guarantee may fail with about that probability.",
    "bound": "The result of an audit: the true ε is at least this number, with the stated confidence. A bound above "
    "the claim refutes the claim. A bound below the claim proves nothing.",
    "ceiling": "The highest bound that the audit could have given, if every guess had been correct. If the "
    "ceiling is not above the claim, the audit is inconclusive.",
    "witness": "The evidence of a violation: D, D′ and the rule that tells their outputs apart. Anybody can count "
    "it again on fresh trainings.",
    "pilot": "A training that helps to choose the pair or the rule. It is never counted in the bound.",
    "transcript": "All noisy answers of a training, as a trace records them. What they cost together is an upper "
    "limit for their pair, if all noise was followed.",
    "suspect": "A line of code, or a part of the output, that a trace or a scan points at. A suspect is no proof: "
    "fresh trainings decide.",
    "canary": "A record, or a gradient, that the audit itself inserts with probability ½ and then looks for in the "
    "output.",
}
# How each word is written where it is linked; longer forms first.
_FORMS = {
    "D and D′": ("D′",),
    "neighbour relation": ("neighbour relation", "replace-one", "add-remove", "label-only", "zero-out"),
    "step": ("steps", "step"),
    "unit": ("Unit",),
    "mechanism": ("Mechanism", "mechanism"),
    "training": ("Trainings", "Training"),
    "summary": ("Summary",),
    "distinguisher": ("Distinguisher", "distinguisher"),
    "attack": ("Attack",),
    "detector": ("Detector", "detectors", "detector"),
    "claim": ("Claimed", "Claim", "claims", "claim"),
    "bound": ("Lower bound", "lower bound", "Bound", "bound"),
    "ceiling": ("Ceiling", "ceiling"),
    "witness": ("Witness", "witness"),
    "pilot": ("pilots", "pilot"),
    "transcript": ("Transcript", "transcripts", "transcript"),
    "suspect": ("Suspects", "Suspect", "suspects", "suspect"),
    "canary": ("Canaries", "canaries", "Canary", "canary"),
}
_TERM_OF = {form: term for term, forms in _FORMS.items() for form in forms}
_TIED = re.compile(r"(?<=[εδα]) (?=[=≥])|(?<=[=≥]) (?=\d)|(?<=\d) (?=%|\d{3}\b)")
_WORDS = re.compile(rf"(?<!\w)({'|'.join(sorted(map(re.escape, _TERM_OF), key=len, reverse=True))})(?!\w)")


def anchor(term: str) -> str:
    """The id of a word's definition on a page.

    >>> anchor("D and D′"), anchor("neighbour relation")
    ('term-d-and-d', 'term-neighbour-relation')
    """
    return "term-" + re.sub(r"[^a-z]+", "-", term.lower()).strip("-")


def link_terms(text: str, seen: set[str] | None = None) -> Html:
    """Text in which the first mention of each word leads to its definition.

    Args:
        text: Plain text.
        seen: The words that are linked already; those of this text are added.

    Returns:
        The text as markup. Numbers stay with their units at the end of a line.

    Example:
        >>> link_terms("The claim, <b> and the claim")
        'The <a class="term" href="#term-claim">claim</a>, &lt;b&gt; and the claim'
    """
    parts: list[str | Html] = []
    linked = set() if seen is None else seen
    for index, piece in enumerate(_WORDS.split(_TIED.sub("\u00a0", text))):
        term = _TERM_OF.get(piece, "") if index % 2 else ""
        if term and term not in linked:
            linked.add(term)
            parts.append(el("a", piece, class_="term", href=f"#{anchor(term)}"))
        else:
            parts.append(piece)
    return join(parts)


def glossary_section() -> Html:
    """The definitions, at the end of a page; each may lead to other words, not to its own."""
    entries = [
        part
        for term, meaning in GLOSSARY.items()
        for part in (el("dt", term, id=anchor(term)), el("dd", link_terms(meaning, {term})))
    ]
    return el("section", el("h2", "Glossary"), el("dl", *entries, class_="facts"), id="glossary")
