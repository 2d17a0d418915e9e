"""``make localnet`` without the service: everything starts, says how to reach it, and leaves nothing behind."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from localnet.__main__ import NAMES
from localnet.addresses import CHAIN_IDS
from localnet.nodes import ROOT
from localnet.wallets import TOKENS

START_SECONDS = 60
PORTS = range(20_000, 32_000)
"""Below those that the system hands out to whoever asks for any."""
BASE_USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"


def free_ports(count: int) -> int:
    """The first of so many ports side by side that nobody listens on."""
    begin = PORTS.start + os.getpid() % (len(PORTS) // 2)
    return next(first for first in range(begin, PORTS.stop, count) if all(map(_is_free, range(first, first + count))))


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


@pytest.fixture
def said() -> Iterator[str]:
    """What it prints; stopped at the end."""
    first = free_ports(len(NAMES))
    command = [sys.executable, "-m", "localnet", "--only", "--first-port", str(first)]
    started = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    try:
        lines: list[str] = []
        ends_at = time.monotonic() + START_SECONDS
        while not lines or "curl" not in lines[-1]:
            assert time.monotonic() < ends_at
            assert started.poll() is None, lines
            lines.append(started.stdout.readline())
        yield "".join(lines)
    finally:
        started.send_signal(signal.SIGTERM)
        ended = started.wait(START_SECONDS)
        started.stdout.close()
    assert ended == 0
    assert _still_listening(first) == []


def _still_listening(first: int) -> list[int]:
    found = []
    for port in range(first, first + len(CHAIN_IDS)):
        try:
            requests.get(f"http://127.0.0.1:{port}", timeout=1)
            found.append(port)
        except requests.ConnectionError:
            continue
    return found


def call(url: str, method: str, *parameters: object) -> str:
    """The result of one method of a node."""
    body: Any = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
    return str(requests.post(url, json=body, timeout=10).json()["result"])


def test_everything_runs_and_can_be_reached(said: str) -> None:
    settings = dict(re.findall(r"export (\w+)=(\S+)", said))
    assert settings["NETWORK_PROFILE"] == "localnet"
    for chain, chain_id in CHAIN_IDS.items():
        assert int(call(settings[f"RPC_URLS_{chain.upper()}"], "eth_chainId"), 16) == chain_id
    assert call(settings["RPC_URLS_SOLANA"], "getHealth") == "ok"
    [payer] = re.findall(r"EVM payer +0x(\w{40})", said)
    held = call(settings["RPC_URLS_BASE"], "eth_call", {"to": BASE_USDC, "data": f"0x70a08231{payer:0>64}"}, "latest")
    assert int(held, 16) == TOKENS * 10**6
    assert requests.get(settings["LIFI_URL"] + "/chains", timeout=10).status_code == 200
    mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
    assert requests.get(settings["JUPITER_URL"] + "/price/v3", {"ids": mint}, timeout=10).status_code == 200
    assert os.path.relpath(settings["LOCAL_DIR"], ROOT) == ".local/localnet"
