"""Why a policy refuses to sign, beside the reasons that a rail knows."""

from chains.blockers import Blocker
from chains.signers.base import SignerUnavailable


class NotStored(SignerUnavailable):
    """What is to be signed is not what is stored, or not for this account: a fault, or somebody's attempt."""

    def __init__(self, where: str) -> None:
        super().__init__(f"It is not what was stored, and stays unsigned: {where}.")


class SignerPaused(SignerUnavailable):
    """An operator paused the account: nothing is signed until it is resumed."""

    def __init__(self) -> None:
        super().__init__("The account is paused.")


class SigningPaused(SignerUnavailable):
    """An operator paused all signing of the service."""

    blocker = Blocker.SIGNING_PAUSED

    def __init__(self) -> None:
        super().__init__("All signing is paused.")


class BeyondPolicy(SignerUnavailable):
    """What was allowed when it was taken is not any more: somebody lowered a cap or the list since."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The account may not send it any more: {reason}.")
