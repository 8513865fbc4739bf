"""The words of a bank are shown as Markdown: what of it is allowed, and the same words without it.

Allowed are `code`, *emphasis*, **strong** and blank lines between paragraphs. Everything else that
a page would turn into something the author did not see in the file is refused.
"""

from __future__ import annotations

import html
import re
import unicodedata

_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_REFUSED = (
    (re.compile(r"</?[A-Za-z][^>\n]*>?|<!--"), "looks like an HTML tag"),
    (re.compile(r"&(#\d+|#x[\da-fA-F]+|[A-Za-z]\w*);"), "looks like an HTML character"),
    (re.compile(r"!?\[[^\]\n]*\][(\[]"), "would become a link or a picture"),
    (re.compile(r"(?i)\b(https?://|www\.)\S+"), "would become a link"),
    (re.compile(r":[A-Za-z][\w+-]*(\[|:)|:material/"), "would become an icon or a badge"),
    (re.compile(r"\$[^$]+\$"), "would become a formula"),
    (re.compile(r"(?<!\w)__\w[^\n]*?\w__(?!\w)"), "would lose its underlines"),
    (re.compile(r"\w\*\w[^*\n]*\*\w"), "would lose its stars"),
    (re.compile(r"~~[^~\n]+~~"), "would be struck through"),
    (re.compile(r"(?m)^\s*(#{1,6}\s|>|[-+*]\s|\d{1,9}[.)]\s|```|~~~)"), "would become a block"),
    (re.compile(r"(?m)^ {4,}\S.*$"), "would become a block"),
    (re.compile(r"(?m)^\s*(=+|-{2,}|\|?\s*:?-+:?\s*\|.*)\s*$"), "would become a heading or table"),
)
# Letters of other scripts that look like Latin ones.
_TWINS = str.maketrans("аеорсухіјѕԁɡοανρτυκε", "aeopcyxijsdgoavptuke")
_DASHES = re.compile("[\u2010-\u2015\u2212]")
_QUOTES = re.compile("[\u2018-\u201f\u2032\u2033\"']")


def markup_problems(text: str) -> list[tuple[str, str]]:
    """What a page would not show as written: the piece, and what would become of it."""
    bare = _SPAN.sub(" ", text)
    found = [(hit[0].strip(), why) for pattern, why in _REFUSED if (hit := pattern.search(bare))]
    if "`" in bare:
        found.append(("`", "a backtick without its partner"))
    return found


def plain(text: str) -> str:
    """The words alone, without the marks of Markdown."""
    parts: list[str] = []
    end = 0
    for span in _SPAN.finditer(text):
        parts += [_without_stars(text[end : span.start()]), span[2].strip()]
        end = span.end()
    return "".join([*parts, _without_stars(text[end:])])


def as_html(text: str) -> str:
    """The same words as a small piece of HTML, everything else escaped."""
    parts: list[str] = []
    end = 0
    for span in _SPAN.finditer(text):
        code = html.escape(span[2].strip(), quote=False)
        parts += [_stars_as_html(text[end : span.start()]), f"<code>{code}</code>"]
        end = span.end()
    return "".join([*parts, _stars_as_html(text[end:])]).replace("\n", "<br>")


def look(text: str) -> str:
    """Two texts with the same look cannot be told apart by a reader in a hurry."""
    shown = _without_stars(html.unescape(text).replace("`", "")).replace("_", "")
    shown = unicodedata.normalize("NFKC", shown).casefold()
    shown = unicodedata.normalize("NFKC", shown).translate(_TWINS)
    shown = "".join(c for c in shown if unicodedata.category(c) not in ("Cf", "Cc", "Zs"))
    shown = _QUOTES.sub("", _DASHES.sub("-", shown))
    return shown.strip(".,;:!?…·•") or shown


def look_of_code(code: str) -> str:
    """As `look`, for a program: case, indentation and punctuation matter, end of lines do not."""
    seen = unicodedata.normalize("NFKC", code).translate(_TWINS)
    seen = "".join(c for c in seen if unicodedata.category(c) != "Cf")
    return "\n".join(line.rstrip() for line in seen.split("\n") if line.strip())


def _without_stars(text: str) -> str:
    return re.sub(r"(\*{1,3})(?=\S)(.+?)(?<=\S)\1", r"\2", text, flags=re.DOTALL)


def _stars_as_html(text: str) -> str:
    text = html.escape(text, quote=False)
    text = re.sub(r"\*\*(?=\S)(.+?)(?<=\S)\*\*", r"<b>\1</b>", text, flags=re.DOTALL)
    return re.sub(r"\*(?=\S)(.+?)(?<=\S)\*", r"<i>\1</i>", text, flags=re.DOTALL)
