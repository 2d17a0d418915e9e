"""The short way for what is asked most: an ordinary creation, its repeat, and a retrieval, each in one statement.

``door`` decides what is ordinary and answers; ``caller`` says who asks and counts it; ``creation`` and ``retrieval``
hold a statement each. Whatever else comes goes on untouched to the views, whose answers these are, byte for byte.
Source: docs/fast-path.md; docs/adr/0072.
"""

from payments.fast_path.door import answer_in_loop, learning

__all__ = ["answer_in_loop", "learning"]
