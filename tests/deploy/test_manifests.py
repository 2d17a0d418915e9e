"""What `deploy/kubernetes` would have a cluster run: by Kubernetes' own schemas, the entry's words, the settings.

No cluster is asked: the schemas come with the package ``kubernetes-validate``.
"""

import copy
import re
from collections.abc import Iterator
from typing import Any

import yaml
from kubernetes_validate.utils import ValidationError, validate

from scripts.suite.steps import ROOT
from tests.architecture.test_settings import names_shown
from tests.journeys.production import KINDS

FOLDER = ROOT / "deploy" / "kubernetes"
VERSIONS = ("1.30", "1.37")
"""The oldest and the newest Kubernetes whose schemas they keep to."""
OF_THE_ENTRY = frozenset({"BIND", "PORT", "WEB_WORKERS", "WORKER_CONCURRENCY"})
SECRET = re.compile(r"SECRET|PASS|TOKEN|_KEYS?$|_URL$|RPC_URLS")
PUBLIC = frozenset({"BASE_URL"})
NAME, PART = "app.kubernetes.io/name", "app.kubernetes.io/component"
LONGEST_TASK_SECONDS, LONGEST_REQUEST_SECONDS = 120, 40
"""Source: config/schedule.py, and docs/operators.md, "What stands in front"."""

Manifest = dict[str, Any]


def documents() -> Iterator[tuple[str, Manifest]]:
    for path in sorted(FOLDER.glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            yield f"{path.name}: {document['kind']} {document['metadata']['name']}", document


def of_kind(*kinds: str) -> list[Manifest]:
    return [document for _, document in documents() if document["kind"] in kinds]


def workloads() -> dict[str, Manifest]:
    """Each by the words that its container gives the image's entry."""
    found = of_kind("Deployment", "Job")
    return {" ".join(container_of(one)["args"]): one for one in found}


def pod_of(workload: Manifest) -> Manifest:
    pod: Manifest = workload["spec"]["template"]["spec"]
    return pod


def container_of(workload: Manifest) -> Manifest:
    [container] = pod_of(workload)["containers"]
    found: Manifest = container
    return found


def labels_of(workload: Manifest) -> dict[str, str]:
    labels: dict[str, str] = workload["spec"]["template"]["metadata"]["labels"]
    return labels


def faults(document: Manifest) -> list[str]:
    """What Kubernetes would refuse, fields that it does not know among it."""
    found = []
    for version in VERSIONS:
        try:
            validate(document, version, strict=True)
        except ValidationError as error:
            found.append(f"{version}: {error.message}")
    return found


def test_every_document_keeps_to_the_schemas() -> None:
    assert {name: wrong for name, document in documents() if (wrong := faults(document))} == {}
    assert len(list(documents())) >= 20
    planted = copy.deepcopy(workloads()["web"])
    planted["spec"]["replica"] = 3
    planted["spec"]["replicas"] = "three"
    assert len(faults(planted)) == len(VERSIONS)


def test_there_is_a_program_of_each_kind() -> None:
    """Those that the container's entry takes, and what stops a rolling update from being two clocks."""
    assert set(workloads()) == {*KINDS, "metrics", "migrate"}
    entry = (ROOT / "scripts" / "container.sh").read_text(encoding="utf-8")
    [told] = re.findall(r"^# Usage: container\.sh (\S.*?), or any", entry, re.MULTILINE)
    assert set(told.split("|")) == set(workloads())
    for alone in ("beat", "metrics"):
        assert workloads()[alone]["spec"]["replicas"] == 1
        assert workloads()[alone]["spec"]["strategy"] == {"type": "Recreate"}
    rolling = [one["spec"] for kind, one in workloads().items() if kind not in {"beat", "metrics", "migrate"}]
    assert [spec["replicas"] for spec in rolling] == [3, 2, 2, 2, 2]
    assert {spec["strategy"]["rollingUpdate"]["maxUnavailable"] for spec in rolling} == {0}


def environment_of(workload: Manifest) -> dict[str, Any]:
    """The names that a container is given in clear, with their values."""
    container = container_of(workload)
    given = {one["name"]: one["value"] for one in container.get("env", ())}
    settings = {one["metadata"]["name"]: one["data"] for one in of_kind("ConfigMap")}
    named = [source["configMapRef"]["name"] for source in container["envFrom"] if "configMapRef" in source]
    return {name: value for map_name in named for name, value in settings[map_name].items()} | given


def test_every_name_is_a_setting_and_none_is_a_secret() -> None:
    known = names_shown((ROOT / ".env.example").read_text(encoding="utf-8")) | OF_THE_ENTRY
    for kind, workload in workloads().items():
        given = environment_of(workload)
        assert set(given) - known == set(), kind
        assert [name for name in given if SECRET.search(name) and name not in PUBLIC] == []
        assert {type(value) for value in given.values()} == {str}
    assert SECRET.search("DATABASE_URL")
    assert "PLANTED_SETTING" not in known


def test_secrets_come_by_reference_and_those_that_sign_to_one_program() -> None:
    assert of_kind("Secret") == []
    given = {
        kind: [source["secretRef"]["name"] for source in container_of(one)["envFrom"] if "secretRef" in source]
        for kind, one in workloads().items()
    }
    own = {"worker money": ["causeway-signer"], "migrate": ["causeway-migrate"]}
    assert given == {kind: ["causeway-secrets", *own.get(kind, [])] for kind in given}


def test_no_program_may_do_more_than_it_must() -> None:
    for kind, workload in workloads().items():
        pod, container = pod_of(workload), container_of(workload)
        assert pod["securityContext"]["runAsNonRoot"] is True, kind
        assert pod["securityContext"]["runAsUser"] == 10001, kind
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, kind
        assert pod["automountServiceAccountToken"] is False, kind
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
        }, kind  # fmt: skip
        assert [mount["mountPath"] for mount in container["volumeMounts"]] == ["/tmp"], kind  # noqa: S108 - its own
        assert set(container["resources"]) == {"requests", "limits"}, kind
        assert re.search(r":\d+\.\d+\.\d+$", container["image"]), kind


def test_web_is_asked_whether_it_can_answer_and_goes_when_it_has_answered() -> None:
    web = container_of(workloads()["web"])
    asked = {
        "path": "/api/public/health", "port": "http",
        "httpHeaders": [{"name": "X-Forwarded-Proto", "value": "https"}],
    }  # fmt: skip
    assert [web[probe]["httpGet"] for probe in ("startupProbe", "readinessProbe")] == [asked] * 2
    assert "httpGet" not in web["livenessProbe"]
    rest = int(web["lifecycle"]["preStop"]["exec"]["command"][-1])
    assert pod_of(workloads()["web"])["terminationGracePeriodSeconds"] > rest + LONGEST_REQUEST_SECONDS
    workers = [pod_of(one) for kind, one in workloads().items() if kind.startswith("worker")]
    assert {pod["terminationGracePeriodSeconds"] > LONGEST_TASK_SECONDS for pod in workers} == {True}


def selects(selector: Manifest, labels: dict[str, str]) -> bool:
    """Whether a selector of Kubernetes chooses what has these labels."""
    wanted = selector.get("matchLabels", {})
    among = {one["key"]: one["values"] for one in selector.get("matchExpressions", ())}
    return wanted.items() <= labels.items() and all(labels.get(key) in values for key, values in among.items())


def chosen(selector: Manifest) -> set[str]:
    return {kind for kind, workload in workloads().items() if selects(selector, labels_of(workload))}


def test_selectors_choose_what_they_are_for() -> None:
    workers = {kind for kind in KINDS if kind.startswith("worker")}
    for kind, workload in workloads().items():
        assert labels_of(workload) == {NAME: "causeway", PART: kind.replace(" ", "-")}
        assert workload["kind"] == "Job" or chosen(workload["spec"]["selector"]) == {kind}
    budgets = [chosen(one["spec"]["selector"]) for one in of_kind("PodDisruptionBudget")]
    assert sorted(map(sorted, budgets)) == sorted([kind] for kind in {"web", *workers})
    services = {one["metadata"]["name"]: one["spec"]["selector"] for one in of_kind("Service")}
    chosen_by = {name: chosen({"matchLabels": labels}) for name, labels in services.items()}
    assert chosen_by == {"causeway-web": {"web"}, "causeway-metrics": {"metrics"}}
    everything = set(workloads())
    policies = {one["metadata"]["name"]: one["spec"] for one in of_kind("NetworkPolicy")}
    assert {name: chosen(spec["podSelector"]) for name, spec in policies.items()} == {
        "causeway-nothing": everything, "causeway-stores": everything, "causeway-web": {"web"},
        "causeway-workers": workers, "causeway-metrics": {"metrics"},
    }  # fmt: skip
    assert policies["causeway-nothing"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


def test_every_program_runs_one_image_in_one_namespace() -> None:
    assert len({container_of(one)["image"] for one in workloads().values()}) == 1
    apart = [name for name, document in documents() if document["metadata"].get("namespace") != "causeway"]
    assert apart == ["settings.yaml: Namespace causeway"]
