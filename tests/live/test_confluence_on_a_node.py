"""Histories of tests/confluence once more, told on a real node: what it says is what the model says."""

from collections.abc import Callable, Iterator

import pytest
import time_machine
from hypothesis import given

from chains.clients.channel import Channel
from localnet.devchain import DevChain
from tests.confluence.mirror import MirroredChain, RealNode, real_node
from tests.confluence.stage import BEGAN, World, set_up
from tests.confluence.steps import History, histories
from tests.confluence.telling import tell
from tests.confluence.test_confluence import BY_HAND, by_hand
from tests.properties import search

HISTORIES = 50


@pytest.fixture
def clock(db: None, nodes: Callable[..., None]) -> Iterator[time_machine.Traveller]:
    """A stopped clock. Why after ``nodes``, whose clock goes on: how long a node is left alone is part of a history."""
    with set_up() as stopped:
        yield stopped


@pytest.fixture(scope="module")
def emptied() -> Iterator[Callable[[], DevChain]]:
    """A node with nothing but its first block, whenever it is asked for."""
    with real_node(BEGAN) as node:
        kept = [node.rpc("evm_snapshot")]

        def empty() -> DevChain:
            node.rpc("evm_revert", kept[0])
            kept[0] = node.rpc("evm_snapshot")
            return node

        yield empty


@pytest.fixture
def world(emptied: Callable[[], DevChain]) -> Callable[[], World]:
    """Begins a chain. However slow its node is, it is not given up for it."""

    def begin() -> World:
        node = emptied()
        chain = MirroredChain(began=BEGAN, node=node)
        return chain, RealNode(chain=chain, channel=Channel(node.url))

    return begin


@pytest.mark.parametrize("name", BY_HAND)
def test_told_by_hand_on_a_node(clock: time_machine.Traveller, world: Callable[[], World], name: str) -> None:
    assert tell(by_hand(name), clock, world) == []


@search(HISTORIES)
@given(history=histories())
def test_the_books_end_as_the_node_has_it(
    clock: time_machine.Traveller, world: Callable[[], World], history: History
) -> None:
    wrong = tell(history, clock, world)
    assert not wrong, "\n".join([str(history), *wrong])
