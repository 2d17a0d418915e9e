"""Rows of a table of codes are led to by their code: ``/docs/errors#intent_not_settled``. Pure."""

from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from guides.named_places import named_in

CODE = "Code"
"""The heading of the column by whose first word a row is named."""


def name_rows(tokens: Sequence[Token]) -> None:
    """Give each row of a table with that column its code as anchor, the first of a code only.

    A place that the page names itself is left to the page.
    """
    taken = set(named_in(tokens))
    for row, code in _rows(tokens):
        if code not in taken:
            taken.add(code)
            row.attrSet("id", code)


def _rows(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    column, at, row = -1, -1, Token("", "", 0)
    for token, inside in zip(tokens, tokens[1:], strict=False):
        if token.type == "table_open":
            column = -1
        elif token.type == "tr_open":
            row, at = token, -1
        elif token.type in {"th_open", "td_open"}:
            at += 1
            if token.type == "th_open" and inside.content == CODE:
                column = at
            elif token.type == "td_open" and at == column and (code := _first_code(inside)):
                yield row, code


def _first_code(cell: Token) -> str:
    return next((part.content for part in cell.children or [] if part.type == "code_inline"), "")
