"""What an exchange on Solana was agreed to be; every instruction is held against it."""

from dataclasses import dataclass

from chains.instructions.programs import TOKEN_PROGRAM, WRAPPED_SOL, token_account


@dataclass(frozen=True, kw_only=True, slots=True)
class Mint:
    """A token of Solana: its mint, the program that runs it, and whether it stands for the native coin itself.

    The native coin is exchanged as wrapped SOL: ``address`` is then that mint.
    """

    address: str
    program: str
    decimals: int
    is_native: bool = False


NATIVE_SOL = Mint(address=WRAPPED_SOL, program=TOKEN_PROGRAM, decimals=9, is_native=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class PlatformFee:
    """The operator's own share, in basis points, and the token account it goes to. Zero for none."""

    bps: int = 0
    account: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExchangeTerms:
    """At most ``input_base_units`` of the source leave the payer; at least ``least_output`` of the destination arrive.

    Both sides are the payer's own token accounts.
    """

    payer: str
    source: Mint
    destination: Mint
    input_base_units: int
    least_output: int
    most_slippage_bps: int
    fee: PlatformFee = PlatformFee()

    @property
    def source_account(self) -> str:
        """Where the payer's source tokens lie while they are exchanged."""
        return token_account(self.payer, self.source.address, self.source.program)

    @property
    def destination_account(self) -> str:
        """Where the exchange pays the payer."""
        return token_account(self.payer, self.destination.address, self.destination.program)

    @property
    def wrapped_account(self) -> str:
        """The payer's own account of wrapped SOL."""
        return token_account(self.payer, WRAPPED_SOL, TOKEN_PROGRAM)

    @property
    def touches_native(self) -> bool:
        """Whether SOL is wrapped or unwrapped on the way."""
        return self.source.is_native or self.destination.is_native
