"""What the service remembers of blockchains: its network, a simulated chain, and every transfer it makes."""

from chains.models.gas import AuthorizedCall, GasAccount
from chains.models.networks import ChainReader, Lane, NetworkProfile, WatchedAddress
from chains.models.proofs import EventOwner, OwnerKind, TransferProof
from chains.models.simulated import SimulatedRole, SimulatedTransaction
from chains.models.transfers import AttemptKind, SigningAccount, Transfer, TransferAttempt, TransferTransition

__all__ = [
    "AuthorizedCall",
    "ChainReader",
    "EventOwner",
    "GasAccount",
    "Lane",
    "OwnerKind",
    "NetworkProfile",
    "SigningAccount",
    "SimulatedRole",
    "SimulatedTransaction",
    "Transfer",
    "AttemptKind",
    "TransferAttempt",
    "TransferProof",
    "TransferTransition",
    "WatchedAddress",
]
