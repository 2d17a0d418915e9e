"""What a worker's processes may hold fits into what the manifests give it, so the kernel ends none."""

import re

import yaml

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
