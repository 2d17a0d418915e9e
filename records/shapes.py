"""What merchants are shown of a record. The words in it are those that hashes and signatures are over."""

from typing import Annotated, Any, TypedDict

from core.shapes import Code, Moment, Uuid


class FlightRecordEntryShape(TypedDict):
    """Something that happened to a payment."""

    number: Annotated[int, {"min_value": 1}, "Its place in the chain, counted from 1."]
    at: Annotated[Moment, "When it happened."]
    type: Annotated[Code, "What happened, such as `credit.seen`; more may be added."]
    ref: Annotated[Code, "Which of the like it is; no two entries of a record have the same."]
    facts: Annotated[dict[str, Any], "What is known of it. Amounts are base units or US dollars, as text."]
    hash: Annotated[Code, "SHA-256 over the entry before and this one, in hexadecimal."]


class FlightRecordSealShape(TypedDict):
    """A statement of the service's, and its signature."""

    statement: Annotated[
        dict[str, Any], "What was signed: a receipt, or all that the record says up to an entry. See the guide."
    ]
    key_id: Annotated[Code, "Which key of `/.well-known/causeway-receipt-keys.json` signed it."]
    signature: Annotated[Code, "Ed25519, in hexadecimal."]


class FlightRecordShape(TypedDict):
    """A payment's whole history as a chain of hashes, with the signatures over it."""

    type: Annotated[Code, "The form of the record: `causeway.flight-record.v1`."]
    payment_intent_id: Uuid
    entries: Annotated[list[FlightRecordEntryShape], "Everything that happened, the oldest first."]
    head: Annotated[Code, "The hash of the last entry."]
    seals: Annotated[
        list[FlightRecordSealShape], "The signatures, the oldest first; none until seconds after the settlement."
    ]
