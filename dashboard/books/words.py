"""The books in words: an account, an asset, an amount, and where a posting leads back to."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from chains.registry import chain, explorer_tx_url
from core.modes import Mode
from core.money import BaseUnits, from_base_units, to_decimal_string
from dashboard.visit import Visit
from ledger.accounts import MEANS, SOURCES_OF_MONEY, Account, Kind, Source
from ledger.models import Posting
from ledger.standing import Amount
from ledger.statements import Asset
from payments.models import Credit, Leg, stray_id_of
from payouts.models import Payout
from refunds.models import Refund
from tokens.models import Token
from tokens.selectors import find_token

KINDS = {
    Kind.BOOKED: "booked",
    Kind.CHANGED: "moved on",
    Kind.REVERSED: "taken back",
    Kind.OPENED: "carried over",
}
SOURCES = {
    Source.CREDIT: "Money that arrived",
    Source.LEG: "The platform's fee",
    Source.REFUND: "A refund",
    Source.PAYOUT: "A payout",
    Source.INTENT: "A reorganisation",
}


@dataclass(frozen=True, kw_only=True)
class AssetName:
    """One asset as people read it. ``token`` is None where it is not on the list: its amounts are base units then."""

    asset: Asset
    token: Token | None
    chain_name: str

    @property
    def symbol(self) -> str:
        """The token's symbol, or its address."""
        return self.asset.token_address if self.token is None else self.token.symbol

    def amount(self, units: BaseUnits) -> str:
        """So many base units, as whole tokens where their decimals are known."""
        if self.token is None:
            return f"{units} base units"
        return f"{to_decimal_string(from_base_units(units, self.token.decimals))} {self.token.symbol}"


@dataclass(frozen=True, kw_only=True)
class AccountLine:
    """What is on one account. Amounts are above zero on either side."""

    name: str
    means: str
    amount: str
    amount_usd: str
    is_source: bool


@dataclass(frozen=True, kw_only=True)
class PostingLine:
    """One posting, with its amount on the side where it stands."""

    posting: Posting
    account: str
    what: str
    kind: str
    debit: str
    credit: str
    amount_usd: str


@dataclass(frozen=True, kw_only=True)
class WayBack:
    """Where an entry comes from: the row that it books, its transaction, and the page that shows more."""

    what: str
    tx_hash: str = ""
    tx_url: str = ""
    page: str = ""
    link: str = ""


def asset_name(asset: Asset) -> AssetName:
    """An asset in words."""
    known = chain(asset.chain)
    name = asset.chain if known is None else known.display_name
    return AssetName(asset=asset, token=find_token(asset.chain, asset.token_address), chain_name=name)


def account_lines(name: AssetName, amounts: dict[Account, Amount]) -> Iterator[AccountLine]:
    """The accounts that hold something, in their order."""
    for account in Account:
        if account in amounts:
            is_source = account in SOURCES_OF_MONEY
            units, usd = Amount().plus(amounts[account], -1 if is_source else 1)
            yield AccountLine(
                name=account_word(account),
                means=MEANS[account],
                amount=name.amount(units),
                amount_usd=to_decimal_string(usd),
                is_source=is_source,
            )


def account_word(account: str) -> str:
    """An account's name, as a heading."""
    return account.replace("_", " ").capitalize()


def posting_lines(name: AssetName, rows: Iterable[Posting]) -> Iterator[PostingLine]:
    """Postings in words."""
    for row in rows:
        shown = name.amount(BaseUnits(abs(row.base_units)))
        is_debit = row.base_units > 0 or (row.base_units == 0 and row.amount_usd > 0)
        yield PostingLine(
            posting=row,
            account=account_word(row.account),
            what=SOURCES[Source(row.source)],
            kind=KINDS[Kind(row.kind)],
            debit=shown if is_debit else "",
            credit="" if is_debit else shown,
            amount_usd=to_decimal_string(abs(row.amount_usd)),
        )


def way_back(visit: Visit, posting: Posting) -> WayBack:
    """From a posting to what it books. A transaction on a simulated chain has no link."""
    payment = visit.url("payment", intent_id=posting.intent_id)
    source, key = Source(posting.source), posting.source_id
    if source is Source.CREDIT:
        credit = Credit.objects.visible_to(visit.principal).filter(pk=key).first()
        tx_hash = "" if credit is None else credit.tx_hash
        what = SOURCES[source]
        if credit is not None and credit.purpose == "stray" and credit.intent_id is not None:
            what = f"A stray, {stray_id_of(credit.intent_id, credit.pk)}"
        return _way(visit, posting, what, tx_hash, payment, "The payment")
    if source is Source.LEG:
        leg = Leg.objects.visible_to(visit.principal).filter(pk=key).first()
        return _way(visit, posting, SOURCES[source], "" if leg is None else leg.tx_hash, payment, "The payment")
    if source is Source.REFUND:
        refund = Refund.objects.visible_to(visit.principal).filter(pk=key).first()
        page = visit.url("refund", refund_id=key)
        return _way(visit, posting, SOURCES[source], "" if refund is None else refund.tx_hash, page, "The refund")
    if source is Source.PAYOUT:
        payout = Payout.objects.visible_to(visit.principal).filter(pk=key).first()
        page = visit.url("payout", payout_id=key)
        return _way(visit, posting, SOURCES[source], "" if payout is None else payout.tx_hash, page, "The payout")
    return WayBack(what=SOURCES[source], page=payment, link="The payment")


def _way(visit: Visit, posting: Posting, what: str, tx_hash: str, page: str, link: str) -> WayBack:  # noqa: PLR0913 - what is shown, each by its name
    is_live = visit.mode == Mode.LIVE
    url = (explorer_tx_url(posting.chain, tx_hash) or "") if is_live and tx_hash else ""
    return WayBack(what=what, tx_hash=tx_hash, tx_url=url, page=page, link=link)
