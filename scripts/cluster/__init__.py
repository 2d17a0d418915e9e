"""The production form on one machine, from Debian's packages, and the proof that any one part may be lost.

``hosts`` says what stands where; ``engines`` and ``service`` say how each program is started, ``programs`` starts and
kills it; ``address`` gives the address of the two HAProxies to one that lives; ``load`` asks without pause and writes
down what was answered; ``losses`` takes one part away after the other; ``books`` compares. Source: docs/operators.md,
The production form on several machines; docs/adr/0082, docs/adr/0087.
"""
