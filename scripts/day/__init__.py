"""The operator's day: the production form on one machine, broken in each way of a table while payments go on.

``engines`` and ``form`` say how each program is started; ``trickle`` pays and ``receiver`` books what it is told, both
programs of their own; ``rows`` is the table of what is broken, ``faults`` breaks it; ``watch`` looks at readiness and
alerts meanwhile, ``account`` compares the books, ``verdict`` judges. Source: docs/operators-day.md; docs/adr/0099.
"""
