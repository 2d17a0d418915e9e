"""``make localnet`` without the service: everything starts, says how to reach it, and leaves nothing behind."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from localnet.__main__ import NAMES
from localnet.addresses import CHAIN_IDS
from localnet.nodes import ROOT
from localnet.wallets import TOKENS
from tests.machine import PATIENCE_SECONDS

BASE_USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"


@pytest.fixture
def said() -> Iterator[str]:
    """What it prints; stopped at the end."""
    command = [sys.executable, "-m", "localnet", "--only", "--first-port", "0"]
    started = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    lines: list[str] = []
    try:
        for line in started.stdout:
            lines.append(line)
            if "curl" in line:
                break
        yield "".join(lines)
    finally:
        started.send_signal(signal.SIGTERM)
        ended = started.wait(PATIENCE_SECONDS)
        started.stdout.close()
    assert ended == 0
    urls = re.findall(r"http://127\.0\.0\.1:\d+", "".join(lines))
    assert (len(set(urls)), [url for url in urls if _is_listening(url)]) == (len(NAMES), [])


def _is_listening(url: str) -> bool:
    try:
        requests.get(url, timeout=PATIENCE_SECONDS)
    except requests.ConnectionError:
        return False
    return True


def call(url: str, method: str, *parameters: object) -> str:
    body: Any = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
    return str(requests.post(url, json=body, timeout=PATIENCE_SECONDS).json()["result"])


def test_everything_runs_and_can_be_reached(said: str) -> None:
    settings = dict(re.findall(r"export (\w+)=(\S+)", said))
    assert settings["NETWORK_PROFILE"] == "localnet"
    for chain, chain_id in CHAIN_IDS.items():
        assert int(call(settings[f"RPC_URLS_{chain.upper()}"], "eth_chainId"), 16) == chain_id
    assert call(settings["RPC_URLS_SOLANA"], "getHealth") == "ok"
    [payer] = re.findall(r"EVM payer +0x(\w{40})", said)
    held = call(settings["RPC_URLS_BASE"], "eth_call", {"to": BASE_USDC, "data": f"0x70a08231{payer:0>64}"}, "latest")
    assert int(held, 16) == TOKENS * 10**6
    assert requests.get(settings["LIFI_URL"] + "/chains", timeout=PATIENCE_SECONDS).status_code == 200
    priced = {"ids": "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"}
    assert requests.get(settings["JUPITER_URL"] + "/price/v3", priced, timeout=PATIENCE_SECONDS).status_code == 200
    assert os.path.relpath(settings["LOCAL_DIR"], ROOT) == ".local/localnet"
