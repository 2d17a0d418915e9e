"""Intents and everything that happens to one: attempts, candidates, legs, credits, history.

Children repeat ``merchant`` and ``mode`` so that every read can be scoped alike.
"""

from payments.models.attempts import PayerWallet, PaymentAttempt, RouteCandidate
from payments.models.authorizations import PayerAuthorization
from payments.models.awaited import AwaitedBy
from payments.models.hints import Hint, Reporter, Verdict
from payments.models.intents import MAX_NAME, IntentTransition, PaymentIntent, SettlementProfile, Tenant
from payments.models.money import BridgeOrder, CountedElsewhere, Credit, Leg, MarkedTransaction, stray_id_of
from payments.models.queue import CLAIMED_FOR, KEEPS_ITS_PLACE, MAY_EXPIRE, QueuedIntent
from payments.models.routes import RouteFigures, RouteRisks
from payments.models.settings import FinalityPolicy, LatePolicy, PaymentPolicy, SettlementChange
from payments.models.wallet_words import WalletWord

__all__ = [
    "MAX_NAME",
    "MAY_EXPIRE",
    "AwaitedBy",
    "BridgeOrder",
    "CountedElsewhere",
    "Credit",
    "FinalityPolicy",
    "Hint",
    "IntentTransition",
    "CLAIMED_FOR",
    "KEEPS_ITS_PLACE",
    "LatePolicy",
    "Leg",
    "MarkedTransaction",
    "PayerAuthorization",
    "PayerWallet",
    "PaymentAttempt",
    "PaymentIntent",
    "PaymentPolicy",
    "QueuedIntent",
    "Reporter",
    "RouteCandidate",
    "RouteFigures",
    "RouteRisks",
    "SettlementChange",
    "SettlementProfile",
    "Tenant",
    "Verdict",
    "WalletWord",
    "stray_id_of",
]
