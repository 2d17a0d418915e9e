"""All outgoing HTTP goes through here: what may be reached is decided by number, at the moment of dialling.

It knows addresses and URLs, not what is sent or why. ``addresses`` is the deny table, ``destinations`` reads
URLs, ``client`` dials.
"""
