"""The soak: the production form under load for hours of test time and minutes of real time, and whether anything grows.

``form`` starts the programs, ``load`` asks, ``sample`` looks once a minute, ``verdict`` judges what was seen and knows
no service, ``later`` tries how it stands a month on. Source: docs/performance.md, What grows.
"""
