"""Jupiter's swap instruction (program v6), decoded as far as money depends on it.

Source: https://github.com/jup-ag/docs, openapi-spec/swap/v2 (``/build`` answers the second form of routes), and the
program's published IDL.
Why the first form (``route``, ``shared_accounts_route``) is refused: its amounts stand behind a route plan of more than
a hundred variants, and the program ignores bytes behind what it reads, so the last bytes of the data prove nothing.
"""

from dataclasses import dataclass

from chains.instructions.given import GivenInstruction
from chains.instructions.programs import JUPITER_V6
from chains.instructions.refusal import Refusal, TransactionRefused
from chains.instructions.setup import check_signers
from chains.instructions.terms import ExchangeTerms

EVENT_AUTHORITY = "D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf"
"""The program's own address under the seed ``__event_authority``."""
ALL_BPS = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class SwapForm:
    """Where one form of the swap keeps what. Positions count accounts, ``amounts`` counts bytes of the data."""

    amounts: int
    authority: int
    source: int
    destination: int
    source_mint: int
    destination_mint: int
    source_program: int
    destination_program: int
    event_authority: int
    program: int
    direct_destination: int | None = None


ROUTE_V2 = SwapForm(
    amounts=8,
    authority=0,
    source=1,
    destination=2,
    source_mint=3,
    destination_mint=4,
    source_program=5,
    destination_program=6,
    direct_destination=7,
    event_authority=8,
    program=9,
)
SHARED_ACCOUNTS_ROUTE_V2 = SwapForm(
    amounts=9,
    authority=1,
    source=2,
    destination=5,
    source_mint=6,
    destination_mint=7,
    source_program=8,
    destination_program=9,
    event_authority=10,
    program=11,
)
FORMS = {
    bytes.fromhex("bb64facc31c4af14"): ROUTE_V2,
    bytes.fromhex("d19853937cfed8e9"): SHARED_ACCOUNTS_ROUTE_V2,
}
"""By the first eight bytes of SHA-256 of ``global:<name>``."""
_DISCRIMINATOR_BYTES, _AMOUNT_BYTES, _PLAN_BYTES = 8, 22, 4


@dataclass(frozen=True, kw_only=True, slots=True)
class SwapAmounts:
    """What the program will hold itself to."""

    input_base_units: int
    quoted_output: int
    slippage_bps: int
    platform_fee_bps: int
    positive_slippage_bps: int

    @property
    def least_output(self) -> int:
        """The least the program accepts to deliver, cut: if it rounds up, the payer only gets more."""
        return self.quoted_output * max(ALL_BPS - self.slippage_bps, 0) // ALL_BPS


def swap_amounts(raw: bytes) -> tuple[SwapForm, SwapAmounts]:
    """Read the head of a swap's data. Raises: TransactionRefused for a form that is not known, or too few bytes."""
    form = FORMS.get(raw[:_DISCRIMINATOR_BYTES])
    if form is None:
        raise TransactionRefused(Refusal.UNKNOWN_INSTRUCTION, "swap")
    head = raw[form.amounts : form.amounts + _AMOUNT_BYTES]
    if len(raw) < form.amounts + _AMOUNT_BYTES + _PLAN_BYTES:
        raise TransactionRefused(Refusal.MALFORMED_ANSWER, "swap")
    return form, SwapAmounts(
        input_base_units=int.from_bytes(head[:8], "little"),
        quoted_output=int.from_bytes(head[8:16], "little"),
        slippage_bps=int.from_bytes(head[16:18], "little"),
        platform_fee_bps=int.from_bytes(head[18:20], "little"),
        positive_slippage_bps=int.from_bytes(head[20:22], "little"),
    )


def check_jupiter_swap(given: GivenInstruction, terms: ExchangeTerms) -> SwapAmounts:
    """Refuse a swap that is not this payer's exchange on these terms. Raises: TransactionRefused."""
    if given.program != JUPITER_V6:
        raise TransactionRefused(Refusal.FOREIGN_PROGRAM, given.program)
    form, amounts = swap_amounts(given.content)
    _check_amounts(amounts, terms)
    check_signers(given, terms.payer)
    for position, wanted in _wanted(form, terms).items():
        if given.address(position) != wanted:
            raise TransactionRefused(Refusal.FOREIGN_ACCOUNT, f"swap account {position}")
    # An account that overrides the destination is absent (the program's own address) or the payer's.
    allowed = {JUPITER_V6, terms.destination_account}
    if form.direct_destination is not None and given.address(form.direct_destination) not in allowed:
        raise TransactionRefused(Refusal.FOREIGN_ACCOUNT, "swap destination")
    # The account of a platform fee comes first behind the fixed ones, among the remaining accounts of the IDL.
    if terms.fee.bps and terms.fee.account not in {entry.address for entry in given.accounts[form.program + 1 :]}:
        raise TransactionRefused(Refusal.UNASKED_FEE, "fee account")
    return amounts


def _check_amounts(amounts: SwapAmounts, terms: ExchangeTerms) -> None:
    if amounts.input_base_units != terms.input_base_units:
        raise TransactionRefused(Refusal.INPUT_TOO_HIGH, "swap")
    if amounts.slippage_bps > terms.most_slippage_bps:
        raise TransactionRefused(Refusal.SLIPPAGE_TOO_HIGH)
    if amounts.least_output < terms.least_output:
        raise TransactionRefused(Refusal.OUTPUT_BELOW_TARGET, "swap")
    if amounts.platform_fee_bps != terms.fee.bps or amounts.positive_slippage_bps:
        raise TransactionRefused(Refusal.UNASKED_FEE)


def _wanted(form: SwapForm, terms: ExchangeTerms) -> dict[int, str]:
    return {
        form.authority: terms.payer,
        form.source: terms.source_account,
        form.destination: terms.destination_account,
        form.source_mint: terms.source.address,
        form.destination_mint: terms.destination.address,
        form.source_program: terms.source.program,
        form.destination_program: terms.destination.program,
        form.event_authority: EVENT_AUTHORITY,
        form.program: JUPITER_V6,
    }
