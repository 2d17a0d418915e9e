"""What a worker's processes may hold fits into what the manifests give it, so the kernel ends none."""

import re

import yaml
from celery.signals import worker_init
from celery.worker.state import revoked

import config.celery
from scripts.suite.steps import ROOT

ENTRY = (ROOT / "scripts" / "container.sh").read_text()
PARENT_KILOBYTES = 170_000
"""What the process that starts the others holds. Source: docs/performance.md, What grows."""


def test_a_worker_whose_children_hold_the_most_stays_below_its_limit() -> None:
    [pool, children] = re.findall(r"money \| delivery \| upkeep\) pool=(\w+) concurrency=(\d+)", ENTRY)[0]
    bound = config.celery.app.conf.worker_max_memory_per_child
    assert (pool, bound) == ("prefork", 400_000)
    for kind in ("money", "delivery", "upkeep"):
        manifest = next(yaml.safe_load_all((ROOT / f"deploy/kubernetes/worker-{kind}.yaml").read_text()))
        limits = manifest["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
        assert limits["memory"] == "1Gi"
        assert PARENT_KILOBYTES + int(children) * bound < 1024**2


def test_few_of_the_messages_that_expired_are_remembered() -> None:
    """Else a worker that cannot keep up grows by one for each of them."""
    assert any("forget_expired_messages" in repr(receiver) for _, receiver in worker_init.receivers)
    before = revoked.maxlen
    try:
        config.celery.forget_expired_messages()
        for number in range(3_000):
            revoked.add(str(number))
        assert (len(revoked), "1999" in revoked, "2999" in revoked) == (1_000, False, True)
    finally:
        revoked.maxlen = before
        revoked.clear()
