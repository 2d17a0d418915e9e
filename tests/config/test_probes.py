"""What asks a web process whether it can answer is answered itself, by the headers that it sends."""

import re
from typing import Any

from django.test import Client

from scripts.suite.steps import ROOT

HEALTH = "/api/public/health"


def test_a_probe_is_answered_behind_a_proxy_that_ends_tls(db: None, settings: Any) -> None:
    """It knows the process by its number alone, which is no name of the service. Who says http is sent away."""
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.ALLOWED_HOSTS = ["pay.example.com"]
    answer = Client().get(HEALTH, headers={"host": "10.0.0.5:8000", "x-forwarded-proto": "https"})
    assert answer.status_code == 200


def test_the_probe_of_compose_says_so() -> None:
    """It did not, and every web process was called unhealthy."""
    [probe] = re.findall(r"import http\.client.*?== 200", (ROOT / "compose.yaml").read_text(), re.DOTALL)
    assert f'"{HEALTH}", headers={{"X-Forwarded-Proto": "https"}}' in probe
